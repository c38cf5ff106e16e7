// Package hashtable numbers 64-bit hashes: the first distinct hash is 0, the next 1, and so on. Callers keep what belongs
// to a hash in slices, by its number.
//
// Hashes are placed by a random number that is drawn for each table, so nobody can choose hashes that collide in it. The
// numbers do not depend on it. A Table takes half of the memory of a map and is several times as fast, because its keys are
// hashes already.
package hashtable

import (
	"math/bits"
	"math/rand/v2"
	"slices"
)

// Table maps hashes to numbers, with open addressing and linear probing. The zero value is empty. Lookups may be concurrent,
// changes may not.
type Table struct {
	// Hashes are all hashes by number. Others only read them, until the next change.
	Hashes []uint64
	// A slot is free if it is 0. Otherwise its low bits, as many as an index of a slot has, are a number plus 1. The bits
	// above are a tag, taken from the place of the hash: a different tag means a different hash.
	slots  []uint32
	random uint64 // decides where hashes are placed; 0 means that it was not drawn
	shift  uint   // from a place to the index of its slot
}

// minSlots is the least number of slots, a power of two.
const minSlots = 1 << 10

// place returns where a hash belongs, as a fraction of 2^64. It combines both halves of a product, as wyhash does.
func (t *Table) place(hash uint64) uint64 {
	high, low := bits.Mul64(hash^t.random, 0x9e3779b97f4a7c15)
	return high ^ low
}

// Add returns the number of a hash, and whether the hash is new.
func (t *Table) Add(hash uint64) (number int, added bool) {
	if 4*len(t.Hashes) >= 3*len(t.slots) {
		t.resize(max(minSlots, 2*len(t.slots)))
	}
	at, tag, number := t.probe(hash)
	if number >= 0 {
		return number, false
	}
	t.Hashes = append(t.Hashes, hash)
	t.slots[at] = tag | uint32(len(t.Hashes))
	return len(t.Hashes) - 1, true
}

// MaxBatch is how many hashes FindAll looks up at a time.
const MaxBatch = 32

// FindAll sets numbers[i] to the number of hashes[i], or -1. It takes at most MaxBatch hashes and reads the first slot of each before it
// looks at the first hash, so that the processor waits for memory once instead of once for each hash.
func (t *Table) FindAll(numbers []int32, hashes []uint64) {
	var slots [MaxBatch]uint32
	if len(t.slots) > 0 {
		for i, hash := range hashes {
			slots[i] = t.slots[t.place(hash)>>t.shift]
		}
	}
	mask := uint32(len(t.slots) - 1)
	for i, hash := range hashes {
		numbers[i] = int32(slots[i]&mask) - 1
		if slots[i] != 0 && t.Hashes[numbers[i]] != hash { // few are in another slot than their first
			_, _, number := t.probe(hash)
			numbers[i] = int32(number)
		}
	}
}

// Reset removes all hashes. A table that is much larger than its hashes required gives part of its slots back, so that one
// long message does not slow down all that follow.
func (t *Table) Reset() {
	slots := max(minSlots, len(t.slots))
	for slots > minSlots && 16*len(t.Hashes) < slots {
		slots /= 2
	}
	t.Hashes = t.Hashes[:0]
	t.resize(slots)
}

// probe returns the slot of a hash, or the free slot where it belongs; the tag of the hash; and its number, or -1.
func (t *Table) probe(hash uint64) (at uint64, tag uint32, number int) {
	mask := uint32(len(t.slots) - 1)
	place := t.place(hash)
	tag = uint32(place) &^ mask
	for at = place >> t.shift; ; at = (at + 1) & uint64(mask) {
		switch slot := t.slots[at]; {
		case slot == 0:
			return at, tag, -1
		case slot&^mask == tag && t.Hashes[slot&mask-1] == hash:
			return at, tag, int(slot&mask) - 1
		}
	}
}

// resize gives the table so many slots, a power of two.
func (t *Table) resize(slots int) {
	if t.random == 0 {
		t.random = max(1, rand.Uint64())
	}
	if cap(t.slots) < slots {
		t.slots = make([]uint32, slots)
	}
	t.slots = t.slots[:slots]
	// A new page that is read before it is written costs two page faults, so slots that are free already are written: in pieces, since a goroutine that
	// clears memory cannot be stopped, which the garbage collector tries with one signal after the other.
	for piece := range slices.Chunk(t.slots, 1<<12) {
		clear(piece)
	}
	t.shift = uint(64 - bits.TrailingZeros(uint(slots)))
	for number, hash := range t.Hashes {
		at, tag, _ := t.probe(hash)
		t.slots[at] = tag | uint32(number+1)
	}
}
