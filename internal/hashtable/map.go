package hashtable

import "math/bits"

// Map keeps a small value beside each hash, so that a lookup waits for memory once. A [Table] waits twice and takes a fraction of the
// memory. Hashes are placed by their first bits: use hashes that nobody can choose or predict. The hashes 0 and 1 are the same. The zero
// value is empty.
type Map[V any] struct {
	slots []slot[V]
	used  int
	shift uint // from a hash to the index of its slot
}

// slot holds a hash and its value. It is free if the hash is 0.
type slot[V any] struct {
	hash  uint64
	value V
}

// minMapSlots is the least number of slots of a map, a power of two. Most maps stay small.
const minMapSlots = 1 << 6

// Len returns how many hashes have a value.
func (m *Map[V]) Len() int { return m.used }

// Get returns the value of a hash, or nil. The value is valid until the next change.
func (m *Map[V]) Get(hash uint64) *V {
	if len(m.slots) == 0 {
		return nil
	}
	if s := m.probe(max(1, hash)); s.hash != 0 {
		return &s.value
	}
	return nil
}

// Put gives a hash a value.
func (m *Map[V]) Put(hash uint64, value V) {
	if 4*m.used >= 3*len(m.slots) {
		m.resize(max(minMapSlots, 2*len(m.slots)))
	}
	hash = max(1, hash)
	s := m.probe(hash)
	if s.hash == 0 {
		m.used++
	}
	*s = slot[V]{hash, value}
}

// Reset removes all hashes.
func (m *Map[V]) Reset() {
	clear(m.slots)
	m.used = 0
}

// probe returns the slot of a hash, or the free slot where it belongs.
func (m *Map[V]) probe(hash uint64) *slot[V] {
	for at := hash >> m.shift; ; at++ {
		if s := &m.slots[at&uint64(len(m.slots)-1)]; s.hash == hash || s.hash == 0 {
			return s
		}
	}
}

// resize gives the map so many slots, a power of two.
func (m *Map[V]) resize(slots int) {
	old := m.slots
	m.slots = cleared[slot[V]](slots)
	m.shift = uint(64 - bits.TrailingZeros(uint(slots)))
	for _, s := range old {
		if s.hash != 0 {
			*m.probe(s.hash) = s
		}
	}
}
