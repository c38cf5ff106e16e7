package features

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"

	"github.com/cespare/xxhash/v2"
)

// Hash returns the 64-bit hash that stands for a term, the same in every process and on every machine.
func Hash(term []byte) uint64 { return xxhash.Sum64(term) }

// Document is the terms of one message: their hashes, ascending, how often each occurs, whether it occurs at the start,
// which is where whoever makes the document says it is, and its group of evidence. Cells are those of its grams, ascending.
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
	squares := float64(len(doc.Terms)) // of bits
	if kind.counted() {
		squares = 0
		for _, count := range doc.Counts {
			squares += float64(count) * float64(count)
		}
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
//
// It is a hash table with open addressing in which the first bits of a hash are its place: so hashes stand in it nearly in
// ascending order, and it costs next to nothing to sort them.
type Bag struct {
	slots  []gathered // a power of two, at least twice the number of terms
	taken  []uint64   // a bit for each slot
	shift  uint       // of a hash, to its place
	terms  int
	sorted []gathered
	doc    Document
	text   []byte // of the terms that were named, one after the other
	spans  []span // by the number of the term
	cells  cellSet
}

// gathered is a term in a bag.
type gathered struct {
	hash   uint64
	count  uint32 // 0 where the slot is free
	number uint32 // in the order in which terms came, below the group and atStart
}

// span is where in the text of a bag a term is.
type span struct{ at, size uint32 }

const (
	minBag     = 1 << 10
	atStart    = 1 << 31
	groupShift = 28
	numberMask = 1<<groupShift - 1
	groupMask  = 1<<3 - 1
)

// Reset empties the bag.
func (b *Bag) Reset() {
	slots := max(minBag, len(b.slots))
	for slots > minBag && 16*b.terms < slots { // a long message should not make all others dear
		slots /= 2
	}
	b.resize(slots)
	b.terms, b.text, b.spans = 0, b.text[:0], b.spans[:0]
	b.cells.clear()
}

// resize makes all slots free.
func (b *Bag) resize(slots int) {
	if cap(b.slots) < slots {
		b.slots, b.taken = make([]gathered, slots), make([]uint64, slots/64)
	}
	b.slots, b.taken = b.slots[:slots], b.taken[:slots/64]
	clear(b.slots)
	clear(b.taken)
	b.shift = uint(64 - bits.TrailingZeros(uint(slots)))
}

// AddCell puts the cell of a gram into the document.
func (b *Bag) AddCell(cell uint32) { b.cells.add(cell) }

// Add counts one occurrence of a term of a group, at the start of the document or not, and reports whether it is the first
// one.
func (b *Bag) Add(hash uint64, group Group, start bool) (first bool) {
	if 2*b.terms >= len(b.slots) {
		b.grow()
	}
	s := b.find(hash)
	g := &b.slots[s]
	if first = g.count == 0; first {
		g.hash, g.number = hash, uint32(b.terms)|uint32(group)<<groupShift
		b.taken[s/64] |= 1 << (s % 64)
		b.terms++
	}
	g.count++
	if start {
		g.number |= atStart
	}
	return first
}

// find returns the slot of a hash, or the free one where it belongs.
func (b *Bag) find(hash uint64) (slot uint64) {
	mask := uint64(len(b.slots) - 1)
	for slot = hash >> b.shift; ; slot = (slot + 1) & mask {
		if g := &b.slots[slot]; g.hash == hash || g.count == 0 {
			return slot
		}
	}
}

func (b *Bag) grow() {
	old := b.gather()
	b.resize(max(minBag, 2*len(b.slots)))
	for _, g := range old {
		s := b.find(g.hash)
		b.slots[s] = g
		b.taken[s/64] |= 1 << (s % 64)
	}
}

// Name keeps the text of a term for [Bag.Text]; either each term is named when it is added for the first time, or none.
func (b *Bag) Name(term []byte) {
	b.spans = append(b.spans, span{uint32(len(b.text)), uint32(len(term))})
	b.text = append(b.text, term...)
}

// Text returns the text of term i of the document made last, if it was named. It is valid until the next Reset.
func (b *Bag) Text(i int) []byte {
	at := b.spans[b.sorted[i].number&numberMask]
	return b.text[at.at:][:at.size:at.size]
}

// gather takes the terms together in the order of the slots.
func (b *Bag) gather() []gathered {
	b.sorted = b.sorted[:0]
	for i, taken := range b.taken {
		for ; taken != 0; taken &= taken - 1 {
			b.sorted = append(b.sorted, b.slots[64*i+bits.TrailingZeros64(taken)])
		}
	}
	return b.sorted
}

// Document returns what was added since the last Reset. It is valid until the next Document.
func (b *Bag) Document() Document {
	sorted := b.gather()
	for i := 1; i < len(sorted); i++ { // insertion: each is at most a few places from its own
		g, at := sorted[i], i
		for ; at > 0 && sorted[at-1].hash > g.hash; at-- {
			sorted[at] = sorted[at-1]
		}
		sorted[at] = g
	}
	doc := Document{
		Terms: b.doc.Terms[:0], Counts: b.doc.Counts[:0], Start: b.doc.Start[:0], Groups: b.doc.Groups[:0],
		Cells: b.cells.appendTo(b.doc.Cells[:0]),
	}
	for _, g := range sorted {
		doc.Terms = append(doc.Terms, g.hash)
		doc.Counts = append(doc.Counts, g.count)
		doc.Start = append(doc.Start, g.number&atStart != 0)
		doc.Groups = append(doc.Groups, Group(g.number>>groupShift&groupMask))
	}
	b.doc = doc
	return doc
}
