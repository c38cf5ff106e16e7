package features

// table numbers hashes, from 0 in the order in which they come first. It is a hash table with open addressing: half of
// the memory of a map and several times as fast, since its keys are hashes already. The zero value is ready.
type table struct {
	slots  []uint32 // 1 + number, 0 where free; a power of two, at least twice the number of hashes
	hashes []uint64 // by number
}

const minSlots = 1024

// number returns the number of a hash, and whether it had one.
func (t *table) number(hash uint64) (n int, seen bool) {
	if len(t.hashes)*2 >= len(t.slots) {
		t.grow()
	}
	s := t.slot(hash)
	if t.slots[s] != 0 {
		return int(t.slots[s]) - 1, true
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
	s := hash & mask
	for t.slots[s] != 0 && t.hashes[t.slots[s]-1] != hash {
		s = (s + 1) & mask
	}
	return s
}

func (t *table) grow() {
	t.slots = make([]uint32, max(minSlots, 2*len(t.slots)))
	for i, hash := range t.hashes {
		t.slots[t.slot(hash)] = uint32(i + 1)
	}
}
