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
	counts []uint32 // by the number of the term in the table, as are marks and names
	marks  []byte
	names  []words                     // of the named terms
	text   []byte                      // scratch memory
	grams  []uint64                    // a bit for each cell
	used   [CellCount / 64 / 64]uint64 // a bit for each word of grams that is not 0
	cells  []uint32
}

// Reset empties the bag.
func (b *Bag) Reset() {
	b.terms.Reset()
	b.counts, b.marks, b.names = b.counts[:0], b.marks[:0], b.names[:0]
	for i, used := range b.used {
		for ; used != 0; used &= used - 1 {
			b.grams[64*i+bits.TrailingZeros64(used)] = 0
		}
		b.used[i] = 0
	}
}

// AddGrams adds the cells of all grams of a text. It sets a bit for each gram, to 1 or to what it was, because a processor cannot predict which grams
// have a cell.
func (b *Bag) AddGrams(text []byte) {
	if b.grams == nil {
		b.grams = make([]uint64, CellCount/64)
	}
	for ; len(text) >= gramSize; text = text[1:] {
		cell, has := Cell(binary.LittleEndian.Uint32(text))
		bit := uint64(0)
		if has {
			bit = 1
		}
		word := cell / 64
		b.grams[word] |= bit << (cell % 64)
		b.used[word/64] |= bit << (word % 64)
	}
}

// Add counts one occurrence of a term and reports whether it is the first one.
func (b *Bag) Add(hash uint64, group evidence.Group, inHead bool) (first bool) {
	n, first := b.terms.Add(hash)
	if !first {
		b.counts[n]++
		b.marks[n] |= Mark(group, inHead, b.counts[n])
		return false
	}
	b.counts, b.marks = append(b.counts, 1), append(b.marks, Mark(group, inHead, 1))
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
	b.cells = b.cells[:0]
	for i, used := range b.used {
		for ; used != 0; used &= used - 1 {
			at := 64*i + bits.TrailingZeros64(used)
			for word := b.grams[at]; word != 0; word &= word - 1 {
				b.cells = append(b.cells, uint32(64*at+bits.TrailingZeros64(word)))
			}
		}
	}
	return Document{Terms: b.terms.Hashes(), Counts: b.counts, Marks: b.marks, Cells: b.cells}
}
