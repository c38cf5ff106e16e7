package features

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/cespare/xxhash/v2"
)

// Hash returns the 64-bit hash that stands for a term, the same in every process and on every machine.
func Hash(term []byte) uint64 { return xxhash.Sum64(term) }

// Document is the terms of one message: their hashes, ascending, how often each occurs, and whether it occurs at the start,
// which is where whoever makes the document says it is.
type Document struct {
	Terms  []uint64
	Counts []uint32
	Start  []bool
}

// Clone returns a copy that shares no memory with doc.
func (doc Document) Clone() Document {
	return Document{Terms: slices.Clone(doc.Terms), Counts: slices.Clone(doc.Counts), Start: slices.Clone(doc.Start)}
}

// Whole returns the document of a single term that stands for all of doc: documents with the same terms, each as often,
// have the same one.
func (doc Document) Whole() Document {
	return Document{Terms: []uint64{doc.hash()}, Counts: []uint32{1}, Start: []bool{true}}
}

// value is what term i counts for, before it is scaled.
func (doc Document) value(i int, kind Kind) float64 {
	if kind.counted() {
		return float64(doc.Counts[i])
	}
	return 1
}

// scale is what values are multiplied by: for a unit kind 1 / the Euclidean length of the document.
func (doc Document) scale(kind Kind) float64 {
	if !kind.unit() || len(doc.Terms) == 0 {
		return 1
	}
	var squares float64
	for i := range doc.Terms {
		value := doc.value(i, kind)
		squares += value * value
	}
	return 1 / math.Sqrt(squares)
}

// hash is a hash of all terms and their counts.
func (doc Document) hash() uint64 {
	var digest xxhash.Digest
	digest.Reset()
	var pair [12]byte
	for i, term := range doc.Terms {
		binary.LittleEndian.PutUint64(pair[:], term)
		binary.LittleEndian.PutUint32(pair[8:], doc.Counts[i])
		_, _ = digest.Write(pair[:]) // it never fails
	}
	return digest.Sum64()
}

// Bag gathers the terms of one message. Its memory is reused from message to message; the zero value is ready.
type Bag struct {
	table   table
	entries []entry // by number in the table
	text    []byte  // the distinct terms, one after the other
	doc     Document
}

type entry struct {
	count  uint32
	at, to uint32 // where in text
	start  bool
}

// Reset empties the bag.
func (b *Bag) Reset() {
	b.table.reset()
	b.entries = b.entries[:0]
	b.text = b.text[:0]
}

// Add counts one occurrence of a term, at the start of the document or not; the bytes of term are copied.
func (b *Bag) Add(term []byte, start bool) {
	n, seen := b.table.number(Hash(term))
	if !seen {
		at := uint32(len(b.text))
		b.text = append(b.text, term...)
		b.entries = append(b.entries, entry{at: at, to: uint32(len(b.text))})
	}
	e := &b.entries[n]
	e.count++
	e.start = e.start || start
}

// Document returns what was added since the last Reset. It is valid until the next Document.
func (b *Bag) Document() Document {
	b.doc.Terms = append(b.doc.Terms[:0], b.table.hashes...)
	slices.Sort(b.doc.Terms)
	b.doc.Counts, b.doc.Start = b.doc.Counts[:0], b.doc.Start[:0]
	for _, hash := range b.doc.Terms {
		e := b.entries[b.table.find(hash)]
		b.doc.Counts, b.doc.Start = append(b.doc.Counts, e.count), append(b.doc.Start, e.start)
	}
	return b.doc
}
