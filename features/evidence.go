package features

import (
	"encoding/binary"
	"iter"
)

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

// Cell returns the cell of a run of four bytes. No key hides it: whoever can choose a run for its cell can write any other run as
// well, and all cells together are bounded. Half of the runs, by their hash, have none: neighbouring runs overlap, so half
// of them carry nearly the same information (docs/experiments.md).
func Cell(gram uint32) (cell uint32, has bool) {
	// The finaliser of MurmurHash3, a bijection: distinct runs collide only in the bits that are left out.
	gram ^= gram >> 16
	gram *= 0x85ebca6b
	gram ^= gram >> 13
	gram *= 0xc2b2ae35
	gram ^= gram >> 16
	return gram >> (32 - cellBits), gram&1 == 0
}

// Runs yields each four neighbouring bytes of a text, the first byte lowest.
func Runs(text []byte) iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		for ; len(text) >= 4; text = text[1:] {
			if !yield(binary.LittleEndian.Uint32(text)) {
				return
			}
		}
	}
}

// cellSet is a set of cells.
type cellSet struct {
	bits    []uint64 // CellCount of them, one for each cell; nil for an empty set that was never used
	cells   []uint32 // those in it, in the order in which they came
	scratch []uint32
}

// add puts a cell into the set.
func (s *cellSet) add(cell uint32) {
	if s.bits == nil {
		s.bits = make([]uint64, CellCount/64)
	}
	bit := uint64(1) << (cell % 64)
	if word := &s.bits[cell/64]; *word&bit == 0 {
		*word |= bit
		s.cells = append(s.cells, cell)
	}
}

// clear empties the set.
func (s *cellSet) clear() {
	for _, cell := range s.cells {
		s.bits[cell/64] = 0
	}
	s.cells = s.cells[:0]
}

// digitBits is how many bits a sort by digits takes at a time.
const digitBits = 10

// appendTo appends the cells in ascending order. They are sorted by their lower digit and then, keeping that order, by their
// upper one: a sort that compares takes several times as long.
func (s *cellSet) appendTo(dst []uint32) []uint32 {
	first := len(dst)
	dst = append(dst, s.cells...)
	s.scratch = append(s.scratch[:0], s.cells...)
	sortByDigit(s.scratch, dst[first:], 0)
	sortByDigit(dst[first:], s.scratch, digitBits)
	return dst
}

// sortByDigit writes src to dst in the order of the bits from shift on.
func sortByDigit[T uint32 | uint64](dst, src []T, shift uint) {
	var at [1 << digitBits]uint32
	for _, x := range src {
		at[x>>shift&(1<<digitBits-1)]++
	}
	sum := uint32(0)
	for digit, n := range at {
		at[digit] = sum
		sum += n
	}
	for _, x := range src {
		digit := x >> shift & (1<<digitBits - 1)
		dst[at[digit]] = x
		at[digit]++
	}
}
