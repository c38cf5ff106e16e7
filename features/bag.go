package features

import (
	"encoding/binary"
	"slices"

	"github.com/cespare/xxhash/v2"
)

// Hash returns the 64-bit hash that stands for a term, the same in every process and on every machine.
func Hash(term []byte) uint64 { return xxhash.Sum64(term) }

// Document is the terms of one message: their hashes, ascending, and how often each occurs.
type Document struct {
	Terms  []uint64
	Counts []uint32
}

// Clone returns a copy that shares no memory with doc.
func (doc Document) Clone() Document {
	return Document{Terms: slices.Clone(doc.Terms), Counts: slices.Clone(doc.Counts)}
}

// Whole returns the document of a single term that stands for all of doc: documents with the same terms, each as often,
// have the same one.
func (doc Document) Whole() Document {
	return Document{Terms: []uint64{doc.hash()}, Counts: []uint32{1}}
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
}

// Reset empties the bag.
func (b *Bag) Reset() {
	b.table.reset()
	b.entries = b.entries[:0]
	b.text = b.text[:0]
}

// Add counts one occurrence of a term; the bytes of term are copied.
func (b *Bag) Add(term []byte) {
	n, seen := b.table.number(Hash(term))
	if !seen {
		at := uint32(len(b.text))
		b.text = append(b.text, term...)
		b.entries = append(b.entries, entry{0, at, uint32(len(b.text))})
	}
	b.entries[n].count++
}

// Document returns what was added since the last Reset. It is valid until the next Document.
func (b *Bag) Document() Document {
	b.doc.Terms = append(b.doc.Terms[:0], b.table.hashes...)
	slices.Sort(b.doc.Terms)
	b.doc.Counts = b.doc.Counts[:0]
	for _, hash := range b.doc.Terms {
		b.doc.Counts = append(b.doc.Counts, b.entries[b.table.find(hash)].count)
	}
	return b.doc
}
