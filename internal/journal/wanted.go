package journal

import (
	"math/bits"
	"slices"
)

// Wanted is ids whose newest rows are looked for, in one record after the other.
type Wanted struct {
	ids     []uint32
	found   []bool
	missing int
	bits    bitSet // of the ids that are missing
	shared  bitSet // of more than one id, whose bits stay set
}

// NewWanted returns ascending ids, none of which was found.
func NewWanted(ids []uint32) *Wanted {
	w := &Wanted{ids: ids, found: make([]bool, len(ids)), missing: len(ids)}
	for _, id := range ids {
		if w.bits.has(id) {
			w.shared.set(id)
		}
		w.bits.set(id)
	}
	return w
}

// Found reports whether a record had id i.
func (w *Wanted) Found(i int) bool { return w.found[i] }

// Missing returns how many ids were not found.
func (w *Wanted) Missing() int { return w.missing }

func (w *Wanted) take(i int) {
	w.found[i] = true
	w.missing--
	if id := w.ids[i]; !w.shared.has(id) {
		w.bits.clear(id)
	}
}

// bitSetSize is the size of a bitSet in bits, which stays in the fastest memory.
const bitSetSize = 1 << 16

// bitSet has a bit for the lowest bits of an id.
type bitSet [bitSetSize / 64]uint64

func (s *bitSet) has(id uint32) bool { return s[id%bitSetSize/64]>>(id%64)&1 != 0 }

func (s *bitSet) set(id uint32) { s[id%bitSetSize/64] |= 1 << (id % 64) }

func (s *bitSet) clear(id uint32) { s[id%bitSetSize/64] &^= 1 << (id % 64) }

// hit is a row that is looked for.
type hit struct {
	span span
	row  uint32
	i    uint32 // the index of its id
}

// Find calls take with the index and the row of each missing id that the record has. They are then found, if there is no error. A row is valid
// until take returns.
func (s *Stored) Find(w *Wanted, buffer *[]byte, take func(i int, row []byte)) error {
	var hits []hit
	find := w.inBlock
	if s.Covers == 0 {
		find = w.inIDs
	}
	at := 0 // ids before it are below those that are left
	if err := s.blocks(func(b *block) { hits, at = find(hits, b, at) }); err != nil {
		return err
	}
	reader := s.rowReader(buffer)
	for n := range hits {
		h := &hits[n]
		row, err := reader.row(h.span, h.row)
		if err != nil {
			return err
		}
		take(int(h.i), row)
		w.take(int(h.i))
	}
	return nil
}

// inIDs appends the rows of a block of a record that are looked for. A record has few ids, so each of them is looked up.
func (w *Wanted) inIDs(hits []hit, b *block, at int) ([]hit, int) {
	for n, id := range b.ids {
		if !w.bits.has(id) {
			continue
		}
		i, wanted := slices.BinarySearch(w.ids[at:], id)
		if at += i; wanted && !w.found[at] {
			hits = append(hits, hit{b.span, b.first + uint32(n), uint32(at)})
		}
	}
	return hits, at
}

// inBlock appends the rows of a block of a summary that are looked for.
func (w *Wanted) inBlock(hits []hit, b *block, at int) ([]hit, int) {
	for at < len(w.ids) && w.ids[at]/blockIDs < b.number {
		at++
	}
	for ; at < len(w.ids) && w.ids[at]/blockIDs == b.number; at++ {
		if bit := uint64(1) << (w.ids[at] % blockIDs); b.has&bit != 0 && !w.found[at] {
			hits = append(hits, hit{b.span, b.first + uint32(bits.OnesCount64(b.has&(bit-1))), uint32(at)})
		}
	}
	return hits, at
}
