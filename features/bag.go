package features

import (
	"encoding/binary"
	"math/bits"
	"unsafe"

	"chaff/internal/evidence"
	"chaff/internal/hashtable"
)

// Bag collects the terms of one message. It reuses its memory for the next message; the zero value is ready.
type Bag struct {
	terms  hashtable.Table
	counts []uint32 // by the number of the term in the table, as are inHead, groups and names
	inHead []bool
	groups []evidence.Group
	names  []words // of the named terms
	text   []byte  // scratch memory
	grams  cellSet
	cells  []uint32
}

// Reset empties the bag.
func (b *Bag) Reset() {
	b.terms.Reset()
	b.counts, b.inHead, b.groups = b.counts[:0], b.inHead[:0], b.groups[:0]
	b.names = b.names[:0]
	b.grams.clear()
}

// AddGrams adds the cells of all grams of a text.
func (b *Bag) AddGrams(text []byte) {
	for ; len(text) >= gramSize; text = text[1:] {
		b.grams.addIf(Cell(binary.LittleEndian.Uint32(text)))
	}
}

// Add counts one occurrence of a term and reports whether it is the first one.
func (b *Bag) Add(hash uint64, group evidence.Group, inHead bool) (first bool) {
	n, first := b.terms.Add(hash)
	if !first {
		b.counts[n]++
		b.inHead[n] = b.inHead[n] || inHead
		return false
	}
	b.counts, b.inHead, b.groups = append(b.counts, 1), append(b.inHead, inHead), append(b.groups, group)
	return true
}

// words are the text of a term: the first word and, unless it is nil, a space and the second. They take half of the memory of two slices,
// since a large message has half a million terms.
type words struct {
	first, second         *byte
	firstSize, secondSize uint32
}

// Name keeps the words of the term that was added last, for [Bag.Text]; the second is nil for a term of one word. They must not change
// until Reset. Callers name each term when it first occurs, or none.
func (b *Bag) Name(first, second []byte) {
	b.names = append(b.names, words{unsafe.SliceData(first), unsafe.SliceData(second), uint32(len(first)), uint32(len(second))})
}

// Text returns the text of term i of the document, if it was named. It is valid until the next call.
func (b *Bag) Text(i int) []byte {
	w := &b.names[i]
	first := unsafe.Slice(w.first, w.firstSize)
	if w.second == nil {
		return first
	}
	b.text = append(append(append(b.text[:0], first...), ' '), unsafe.Slice(w.second, w.secondSize)...)
	return b.text
}

// Document returns what was added since the last Reset. It is valid until the bag changes.
func (b *Bag) Document() Document {
	b.cells = b.grams.appendTo(b.cells[:0])
	return Document{Terms: b.terms.Hashes(), Counts: b.counts, InHead: b.inHead, Groups: b.groups, Cells: b.cells}
}

// cellSet is a set of cells, one bit for each of them. The zero value is empty.
type cellSet struct {
	words []uint64                    // a bit for each cell
	used  [CellCount / 64 / 64]uint64 // a bit for each word that is not 0
}

// addIf adds a cell if ok. It sets a bit in either case, to 1 or to what it was, because a processor cannot predict which grams
// have a cell.
func (s *cellSet) addIf(cell uint32, ok bool) {
	if s.words == nil {
		s.words = make([]uint64, CellCount/64)
	}
	bit := uint64(0)
	if ok {
		bit = 1
	}
	word := cell / 64
	s.words[word] |= bit << (cell % 64)
	s.used[word/64] |= bit << (word % 64)
}

// appendTo appends the cells in ascending order.
func (s *cellSet) appendTo(dst []uint32) []uint32 {
	for i, used := range s.used {
		for ; used != 0; used &= used - 1 {
			at := 64*i + bits.TrailingZeros64(used)
			for word := s.words[at]; word != 0; word &= word - 1 {
				dst = append(dst, uint32(64*at+bits.TrailingZeros64(word)))
			}
		}
	}
	return dst
}

// clear empties the set.
func (s *cellSet) clear() {
	for i, used := range s.used {
		for ; used != 0; used &= used - 1 {
			s.words[64*i+bits.TrailingZeros64(used)] = 0
		}
		s.used[i] = 0
	}
}
