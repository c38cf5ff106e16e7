package features

import (
	"encoding/binary"
	"math"
	"math/bits"
	"unsafe"

	"chaff/internal/evidence"
	"chaff/internal/hashtable"
)

// Document is the terms of one message, in the order of their first occurrence. The slices have one entry for each term,
// except Cells.
type Document struct {
	Terms  []uint64 // hashes
	Counts []uint32 // how often the term occurs
	Marks  []byte   // what [Mark] returns
	Cells  []uint32 // cells of the grams, in ascending order
}

const (
	markHead     = 1
	markRepeated = 2
	groupShift   = 2
)

// Mark returns what a document says of a term beside its count: its group, and whether it occurs in the head of the text. Whoever makes the document says
// where the head ends.
func Mark(group evidence.Group, inHead bool, count uint32) byte {
	mark := byte(group) << groupShift
	if inHead {
		mark |= markHead
	}
	if count > 1 {
		mark |= markRepeated
	}
	return mark
}

// InHead reports whether term i occurs in the head of the text.
func (doc Document) InHead(i int) bool { return doc.Marks[i]&markHead != 0 }

// sizes returns the number of distinct terms in each group.
func (doc Document) sizes() (n [evidence.Groups]int) {
	for _, mark := range doc.Marks {
		n[mark>>groupShift]++
	}
	n[evidence.Grams] = len(doc.Cells)
	return n
}

// scale returns the factor of the values of so many terms for a kind other than [Evidence]: 1 / the Euclidean length of the document for a
// normalised kind, otherwise 1. It needs the counts for counts only.
func scale(kind Kind, terms int, counts []uint32) float64 {
	if kind != NormalisedBits && kind != NormalisedCounts || terms == 0 {
		return 1
	}
	squares := float64(terms) // of bits
	if kind.counted() {
		squares = 0
		for _, count := range counts {
			squares += float64(count) * float64(count)
		}
	}
	return 1 / math.Sqrt(squares)
}

// As returns what a model of a kind sees of doc: for the kind [Whole] a document of one term, which stands for all terms of doc and their counts.
func (doc Document) As(kind Kind) Document {
	if kind != Whole {
		return doc
	}
	return Document{Terms: []uint64{doc.hash()}, Counts: []uint32{1}, Marks: []byte{Mark(evidence.Words, false, 1)}}
}

// hash returns a hash of all terms and their counts, in any order.
func (doc Document) hash() uint64 {
	var sum uint64
	for i, term := range doc.Terms {
		sum += mix(term + uint64(doc.Counts[i]))
	}
	return mix(sum)
}

// mix is the finaliser of MurmurHash3: each bit of x changes half of the bits of the result.
func mix(x uint64) uint64 {
	x = (x ^ x>>33) * 0xff51afd7ed558ccd
	x = (x ^ x>>33) * 0xc4ceb9fe1a85ec53
	return x ^ x>>33
}

// CellCount is the number of cells that grams are hashed into. A cell acts as a term without a text: in a data set of the kind
// [Evidence] the ids 0 to CellCount-1 are cells, and the terms of the vocabulary follow.
const CellCount = 1 << cellBits

const cellBits = 18

// GramSize is the size of a gram in bytes.
const GramSize = 4

// Cell returns the cell of a gram: four bytes, the first one lowest. Half of the grams, by their hash, have no cell, because
// neighbouring grams overlap and carry nearly the same information (docs/inside/experiments.md). No key hides the cell: whoever can
// write a gram for its cell can write any other gram, and the sum of all cells is bounded.
func Cell(gram uint32) (cell uint32, ok bool) {
	// The finaliser of MurmurHash3 is a bijection: distinct grams collide only in the bits that are dropped.
	gram ^= gram >> 16
	gram *= 0x85ebca6b
	gram ^= gram >> 13
	gram *= 0xc2b2ae35
	gram ^= gram >> 16
	return gram >> (32 - cellBits), gram&1 == 0
}

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
	for ; len(text) >= GramSize; text = text[1:] {
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
	return Document{Terms: b.terms.Hashes, Counts: b.counts, Marks: b.marks, Cells: b.cells}
}
