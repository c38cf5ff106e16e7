package hashtable

import "math/bits"

// Map keeps a small value beside each hash, so that a lookup waits for memory once. A [Table] waits twice and takes a fraction of the
// memory. The zero value is empty.
type Map[V any] struct {
	slots  []entry[V]
	used   int
	placer Placer
	shift  uint // from a place to the index of its slot
}

// entry is a slot. It is free if its hash is 0.
type entry[V any] struct {
	hash  uint64
	value V
}

// Len returns how many hashes have a value.
func (m *Map[V]) Len() int { return m.used }

// Get returns the value of a hash, or nil. It is valid until the next change.
func (m *Map[V]) Get(hash uint64) *V {
	if len(m.slots) == 0 {
		return nil
	}
	if e := m.probe(max(1, hash)); e.hash != 0 {
		return &e.value
	}
	return nil
}

// Put gives a new hash a value. The hashes 0 and 1 are the same.
func (m *Map[V]) Put(hash uint64, value V) {
	if 4*m.used >= 3*len(m.slots) {
		m.resize(max(minSlots, 2*len(m.slots)))
	}
	hash = max(1, hash)
	e := m.probe(hash)
	if e.hash == 0 {
		m.used++
	}
	*e = entry[V]{hash, value}
}

// Reset removes all hashes.
func (m *Map[V]) Reset() {
	clear(m.slots)
	m.used = 0
}

// probe returns the slot of a hash, or the free slot where it belongs.
func (m *Map[V]) probe(hash uint64) *entry[V] {
	for at := m.placer.Place(hash) >> m.shift; ; at = (at + 1) & uint64(len(m.slots)-1) {
		if e := &m.slots[at]; e.hash == hash || e.hash == 0 {
			return e
		}
	}
}

// resize gives the map so many slots, a power of two.
func (m *Map[V]) resize(slots int) {
	if m.placer == 0 {
		m.placer = NewPlacer()
	}
	old := m.slots
	m.slots = make([]entry[V], slots)
	m.shift = uint(64 - bits.TrailingZeros(uint(slots)))
	for _, e := range old {
		if e.hash != 0 {
			*m.probe(e.hash) = e
		}
	}
}
