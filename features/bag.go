package features

import (
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

// Bag gathers the terms of one message. Its memory is reused from message to message; the zero value is ready.
type Bag struct {
	distinct []distinct
	slots    []uint32 // open addressing by hash: 1 + index into distinct, 0 where free; a power of two
	text     []byte   // the distinct terms, one after the other
	doc      Document
}

type distinct struct {
	hash   uint64
	count  uint32
	at, to uint32 // where in text
}

const minSlots = 1024

// Reset empties the bag.
func (b *Bag) Reset() {
	b.distinct = b.distinct[:0]
	b.text = b.text[:0]
	clear(b.slots)
}

// Add counts one occurrence of a term; the bytes of term are copied.
func (b *Bag) Add(term []byte) {
	if len(b.distinct)*2 >= len(b.slots) {
		b.grow()
	}
	hash := Hash(term)
	mask := uint64(len(b.slots) - 1)
	for s := hash & mask; ; s = (s + 1) & mask {
		i := b.slots[s]
		if i == 0 {
			at := uint32(len(b.text))
			b.text = append(b.text, term...)
			b.distinct = append(b.distinct, distinct{hash, 1, at, uint32(len(b.text))})
			b.slots[s] = uint32(len(b.distinct))
			return
		}
		if d := &b.distinct[i-1]; d.hash == hash {
			d.count++
			return
		}
	}
}

func (b *Bag) grow() {
	b.slots = make([]uint32, max(minSlots, 2*len(b.slots)))
	mask := uint64(len(b.slots) - 1)
	for i, d := range b.distinct {
		s := d.hash & mask
		for b.slots[s] != 0 {
			s = (s + 1) & mask
		}
		b.slots[s] = uint32(i + 1)
	}
}

// Document returns what was added since the last Reset. It is valid until the next Reset, and nothing more may be
// added before that.
func (b *Bag) Document() Document {
	slices.SortFunc(b.distinct, func(x, y distinct) int {
		if x.hash < y.hash {
			return -1
		}
		return 1 // hashes of distinct terms differ
	})
	b.doc.Terms, b.doc.Counts = b.doc.Terms[:0], b.doc.Counts[:0]
	for _, d := range b.distinct {
		b.doc.Terms = append(b.doc.Terms, d.hash)
		b.doc.Counts = append(b.doc.Counts, d.count)
	}
	return b.doc
}
