package features

import (
	"math/bits"
	"math/rand/v2"
)

// table numbers hashes, from 0 in the order in which they come first. It is a hash table with open addressing: half of
// the memory of a map and several times as fast, since its keys are hashes already. The zero value is ready.
//
// Its places are at random, and the order of the numbers does not depend on them.
type table struct {
	slots  []uint32 // 1 + number, 0 where free; a power of two, at least twice the number of hashes
	hashes []uint64 // by number
	places places
	shift  uint // to a place
}

const minSlots = 1 << 10

// places is a number, drawn at random for each table, that decides where in it a hash belongs. So nobody can write words that share a
// place, not even with the key. 0 is for a table that was never used.
type places uint64

func newPlaces() places { return places(max(1, rand.Uint64())) }

// of returns the place of a hash, in the first bits: both halves of a product, as in wyhash.
func (p places) of(hash uint64) uint64 {
	high, low := bits.Mul64(hash^uint64(p), 0x9e3779b97f4a7c15)
	return high ^ low
}

// number returns the number of a hash, and whether it had one.
func (t *table) number(hash uint64) (n int, seen bool) {
	if len(t.hashes)*2 >= len(t.slots) {
		t.resize(max(minSlots, 2*len(t.slots)))
	}
	s := t.slot(hash)
	if n := t.slots[s]; n != 0 {
		return int(n) - 1, true
	}
	t.hashes = append(t.hashes, hash)
	t.slots[s] = uint32(len(t.hashes))
	return len(t.hashes) - 1, false
}

// find returns the number of a hash, or -1.
func (t *table) find(hash uint64) int {
	if len(t.slots) == 0 {
		return -1
	}
	return int(t.slots[t.slot(hash)]) - 1
}

// slot returns where hash is, or where it belongs.
func (t *table) slot(hash uint64) uint64 {
	mask := uint64(len(t.slots) - 1)
	for s := t.places.of(hash) >> t.shift; ; s = (s + 1) & mask {
		if n := t.slots[s]; n == 0 || t.hashes[n-1] == hash {
			return s
		}
	}
}

// clear forgets all hashes. A table that was much larger than it had to be becomes smaller, so that a long message does not make
// all others dear.
func (t *table) clear() {
	slots := max(minSlots, len(t.slots))
	for slots > minSlots && 16*len(t.hashes) < slots {
		slots /= 2
	}
	t.hashes = t.hashes[:0]
	t.resize(slots)
}

// resize gives the table so many slots.
func (t *table) resize(slots int) {
	if t.places == 0 {
		t.places = newPlaces()
	}
	if cap(t.slots) < slots {
		t.slots = make([]uint32, slots)
	}
	t.slots = t.slots[:slots]
	clear(t.slots)
	t.shift = uint(64 - bits.TrailingZeros(uint(slots)))
	for i, hash := range t.hashes {
		t.slots[t.slot(hash)] = uint32(i + 1)
	}
}
