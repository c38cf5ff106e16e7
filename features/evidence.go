package features

import "math/bits"

// Group is a kind of evidence that a term is part of. Every term is in one group, which follows from its text.
type Group uint8

// The groups of evidence.
const (
	Words     Group  = iota // words of the text
	Pairs                   // pairs of neighbouring words of the text
	Subject                 // words and pairs of the subject
	Links                   // hosts, domains and words of links
	Structure               // how the header and the parts are written
	Fields                  // words of the other header fields
	Grams                   // runs of bytes, which are cells instead of terms
	Groups    = iota        // the number of groups
)

// String returns the name of the group.
func (g Group) String() string {
	names := [Groups]string{"words", "pairs", "subject", "links", "structure", "header fields", "bytes"}
	if int(g) < len(names) {
		return names[g]
	}
	return "other"
}

// CellCount is the number of cells that grams are hashed into. A cell is a term without a text: a document with the cells of
// [Evidence] has the ids 0 to CellCount-1 for its cells, and the ids of the vocabulary follow them.
const CellCount = 1 << cellBits

const cellBits = 18

// Cell returns the cell of a run of four bytes.
func Cell(gram uint32) uint32 {
	// The finaliser of MurmurHash3 is a bijection, so that no two runs are nearer to each other than chance has it.
	gram ^= gram >> 16
	gram *= 0x85ebca6b
	gram ^= gram >> 13
	gram *= 0xc2b2ae35
	gram ^= gram >> 16
	return gram >> (32 - cellBits)
}

// cellSet is a set of cells, with a bit for each.
type cellSet struct {
	bits []uint64 // CellCount of them, nil for an empty set that was never used
	size int
}

// add puts a cell into the set.
func (s *cellSet) add(cell uint32) {
	if s.bits == nil {
		s.bits = make([]uint64, CellCount/64)
	}
	bit := uint64(1) << (cell % 64)
	if word := &s.bits[cell/64]; *word&bit == 0 {
		*word |= bit
		s.size++
	}
}

// clear empties the set.
func (s *cellSet) clear() {
	if s.size > 0 {
		clear(s.bits)
		s.size = 0
	}
}

// appendTo appends the cells in ascending order.
func (s *cellSet) appendTo(dst []uint32) []uint32 {
	if s.size == 0 {
		return dst
	}
	for i, word := range s.bits {
		for ; word != 0; word &= word - 1 {
			dst = append(dst, uint32(64*i+bits.TrailingZeros64(word)))
		}
	}
	return dst
}
