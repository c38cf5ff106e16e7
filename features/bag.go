package features

import (
	"encoding/binary"
	"math"
	"slices"
)

// Document is the terms of one message in the order in which they came first: their hashes, how often each occurs, whether it
// occurs at the start, which is where whoever makes the document says it is, and its group of evidence. Cells are those of its
// grams, ascending.
type Document struct {
	Terms  []uint64
	Counts []uint32
	Start  []bool
	Groups []Group
	Cells  []uint32
}

// sizes are the numbers of different terms of each group.
func (doc Document) sizes() (n [Groups]int) {
	for _, g := range doc.Groups {
		n[g]++
	}
	n[Grams] = len(doc.Cells)
	return n
}

// Clone returns a copy that shares no memory with doc.
func (doc Document) Clone() Document {
	return Document{
		Terms: slices.Clone(doc.Terms), Counts: slices.Clone(doc.Counts), Start: slices.Clone(doc.Start),
		Groups: slices.Clone(doc.Groups), Cells: slices.Clone(doc.Cells),
	}
}

// Whole returns the document of a single term that stands for all of doc: documents with the same terms, each as often,
// have the same one.
func (doc Document) Whole() Document {
	return Document{Terms: []uint64{doc.hash()}, Counts: []uint32{1}, Start: []bool{true}, Groups: []Group{Words}}
}

// value is what term i counts for, before it is scaled.
func (doc Document) value(i uint32, kind Kind) float64 {
	if kind.counted() {
		return float64(doc.Counts[i])
	}
	return 1
}

// scale is what values are multiplied by: for a normalised kind 1 / the Euclidean length of the document.
func (doc Document) scale(kind Kind) float64 {
	if !kind.normalised() || len(doc.Terms) == 0 {
		return 1
	}
	squares := float64(len(doc.Terms)) // of bits
	if kind.counted() {
		squares = 0
		for _, count := range doc.Counts {
			squares += float64(count) * float64(count)
		}
	}
	return 1 / math.Sqrt(squares)
}

// hash is a hash of all terms and their counts, in any order.
func (doc Document) hash() uint64 {
	var sum uint64
	for i, term := range doc.Terms {
		sum += mixed(term + uint64(doc.Counts[i]))
	}
	return mixed(sum)
}

// mixed makes each bit of x change half of the bits of the result: the finaliser of MurmurHash3.
func mixed(x uint64) uint64 {
	x = (x ^ x>>33) * 0xff51afd7ed558ccd
	x = (x ^ x>>33) * 0xc4ceb9fe1a85ec53
	return x ^ x>>33
}

// Bag gathers the terms of one message. Its memory is reused from message to message; the zero value is ready.
type Bag struct {
	terms  table
	counts []uint32 // by the number of the term, as the following two
	start  []bool
	groups []Group
	text   []byte // of the terms that were named, one after the other
	spans  []span
	cells  cellSet
	sorted []uint32 // the cells
}

// span is where in the text of a bag a term is.
type span struct{ at, size uint32 }

// Reset empties the bag.
func (b *Bag) Reset() {
	b.terms.clear()
	b.counts, b.start, b.groups = b.counts[:0], b.start[:0], b.groups[:0]
	b.text, b.spans = b.text[:0], b.spans[:0]
	b.cells.clear()
}

// AddRuns puts the cells of the runs of four bytes of a text into the document.
func (b *Bag) AddRuns(text []byte) {
	for ; len(text) >= 4; text = text[1:] {
		if cell, has := Cell(binary.LittleEndian.Uint32(text)); has {
			b.cells.add(cell)
		}
	}
}

// Add counts one occurrence of a term of a group, at the start of the document or not, and reports whether it is the first
// one.
func (b *Bag) Add(hash uint64, group Group, start bool) (first bool) {
	n, seen := b.terms.number(hash)
	if seen {
		b.counts[n]++
		b.start[n] = b.start[n] || start
		return false
	}
	b.counts, b.start, b.groups = append(b.counts, 1), append(b.start, start), append(b.groups, group)
	return true
}

// Name keeps the text of a term for [Bag.Text]; either each term is named when it is added for the first time, or none.
func (b *Bag) Name(term []byte) {
	b.spans = append(b.spans, span{uint32(len(b.text)), uint32(len(term))})
	b.text = append(b.text, term...)
}

// Text returns the text of term i of the document, if it was named. It is valid until the next Reset.
func (b *Bag) Text(i int) []byte {
	at := b.spans[i]
	return b.text[at.at:][:at.size:at.size]
}

// Document returns what was added since the last Reset. It is valid until the bag is changed.
func (b *Bag) Document() Document {
	b.sorted = b.cells.appendTo(b.sorted[:0])
	return Document{Terms: b.terms.hashes, Counts: b.counts, Start: b.start, Groups: b.groups, Cells: b.sorted}
}
