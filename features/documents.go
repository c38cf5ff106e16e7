package features

import (
	"encoding/binary"
	"slices"

	"chaff/internal/parallel"
)

// Documents are the documents of a corpus with the texts of their terms, each text once. They are filled by [Writer]s,
// then completed, and from then on read-only and safe for concurrent use.
//
// A document takes about three and a half bytes a term: each term is a number, and of the hashes there is one of each
// distinct term.
type Documents struct {
	dictionary *dictionary
	budget     *budget
	blocks     *blocks
}

// documentsShare is the share of the memory that documents may fill. They are read a few times, in order; the rest is for matrices,
// which are read in every epoch, in any order.
const documentsShare = 0.5

// NewDocuments returns documents that take at most so many bytes of memory, together with the matrices that are made of
// them: the others are in temporary files, and read from there. 0 is for no limit. The texts of the terms do not count.
func NewDocuments(memory int64) *Documents {
	b := &budget{limit: memory}
	return &Documents{dictionary: newDictionary(), budget: b, blocks: newBlocks(b, documentsShare)}
}

// Complete ends the writing. The error is about the temporary file, or about too many terms.
func (d *Documents) Complete() error {
	d.dictionary.complete()
	return d.Err()
}

// Err returns the first error of writing or reading the temporary file. A document that could not be read looks like one
// without terms: check Err before using the results.
func (d *Documents) Err() error { return d.blocks.failed() }

// Terms returns the number of distinct terms of all documents.
func (d *Documents) Terms() int { return d.dictionary.len() }

// A document in a block is
//
//	4 bytes   the number of terms, times 2, plus 1 if their numbers have four bytes
//	4 bytes   the size of the counts
//	4 bytes   the size of the evidence
//	3 n bytes or 4 n: the number of each term in the dictionary, in the order in which they came
//	n bits    for each term, whether it is at the start
//	n bits    for each term, whether it occurs more than once
//	counts    of those that do, as variable-length integers
//	evidence  the number of different terms of each group, four bytes each, with that of the cells last; then the cells, as the
//	          ids of a row of a matrix
//
// little-endian; bits begin with the lowest of each byte.
const (
	headerSize  = 12
	narrow      = 3
	wide        = 4
	narrowLimit = 1 << (8 * narrow)
)

// Writer adds documents. It belongs to one goroutine; there may be several at the same time.
type Writer struct {
	blockWriter
	dictionary *dictionary
	numbers    []uint32
	shards     sharded
	counts     []byte
	evidence   []byte
}

// NewWriter returns a writer, which must be closed in the end.
func (d *Documents) NewWriter() *Writer {
	return &Writer{blockWriter: blockWriter{blocks: d.blocks}, dictionary: d.dictionary}
}

// Close flushes the last block.
func (w *Writer) Close() { w.close() }

// Add keeps the document that b has gathered.
func (w *Writer) Add(b *Bag) Ref {
	doc := b.Document()
	w.numbers = slices.Grow(w.numbers[:0], len(doc.Terms))[:len(doc.Terms)]
	if err := w.dictionary.numbers(w.numbers, b, doc, &w.shards); err != nil {
		w.blocks.fail(err)
		return 0
	}
	w.counts = w.counts[:0]
	for _, n := range doc.Counts {
		if n > 1 {
			w.counts = binary.AppendUvarint(w.counts, uint64(n))
		}
	}
	w.evidence = appendEvidenceOf(w.evidence[:0], doc)
	n, width := len(w.numbers), narrow
	for _, number := range w.numbers {
		if number >= narrowLimit {
			width = wide
		}
	}
	ref := w.room(headerSize + n*width + 2*bitmapSize(n) + len(w.counts) + len(w.evidence))
	w.append(doc, width)
	return ref
}

// appendEvidenceOf appends the evidence of a document as it is kept.
func appendEvidenceOf(dst []byte, doc Document) []byte {
	for _, n := range doc.sizes() {
		dst = binary.LittleEndian.AppendUint32(dst, uint32(n))
	}
	return appendGaps(dst, doc.Cells, 0)
}

func bitmapSize(n int) int { return (n + 7) / 8 }

// append writes a document, whose numbers and counts are known, to the block, which has room for it.
func (w *Writer) append(doc Document, width int) {
	le := binary.LittleEndian
	n := len(w.numbers)
	block := le.AppendUint32(w.block, uint32(n)<<1|uint32(width-narrow))
	block = le.AppendUint32(block, uint32(len(w.counts)))
	block = le.AppendUint32(block, uint32(len(w.evidence)))
	for _, number := range w.numbers {
		block = append(block, byte(number), byte(number>>8), byte(number>>16))
		if width == wide {
			block = append(block, byte(number>>24))
		}
	}
	start := len(block)
	many := start + bitmapSize(n)
	block = block[:many+bitmapSize(n)]
	clear(block[start:])
	for i := range n {
		if doc.Start[i] {
			block[start+i/8] |= 1 << (i % 8)
		}
		if doc.Counts[i] > 1 {
			block[many+i/8] |= 1 << (i % 8)
		}
	}
	w.block = append(append(block, w.counts...), w.evidence...)
}

// encoded is a document as it is kept.
type encoded struct {
	n           int
	width       int
	numbers     []byte // and what follows them
	start, many []byte // bits
	counts      []byte
	evidence    []byte
}

// get returns a document, valid until the next get; without terms if it could not be read.
func get(r *blockReader, ref Ref) encoded {
	data := r.read(ref, guess)
	if data == nil {
		return encoded{}
	}
	le := binary.LittleEndian
	flags, countsSize, evidenceSize := le.Uint32(data), int(le.Uint32(data[4:])), int(le.Uint32(data[8:]))
	n, width := int(flags>>1), narrow+int(flags&1)
	start := headerSize + n*width
	many := start + bitmapSize(n)
	counts := many + bitmapSize(n)
	evidence := counts + countsSize
	if size := evidence + evidenceSize; len(data) < size {
		if data = r.read(ref, size); data == nil {
			return encoded{}
		}
	}
	return encoded{
		n: n, width: width, numbers: data[headerSize:counts],
		start: data[start:many], many: data[many:counts], counts: data[counts:evidence],
		evidence: data[evidence : evidence+evidenceSize],
	}
}

// sizes returns the number of different terms of each group, and what follows them, the cells as they are kept: nothing of a
// document that could not be read.
func (e *encoded) sizes() (n [Groups]int, cells []byte) {
	if e.evidence == nil {
		return n, nil
	}
	for g := range n {
		n[g] = int(binary.LittleEndian.Uint32(e.evidence[4*g:]))
	}
	return n, e.evidence[4*Groups:]
}

// appendCells appends so many cells.
func appendCells(dst []uint32, cells []byte, n int) []uint32 {
	first := len(dst)
	dst = slices.Grow(dst, n)[:first+n]
	decodeIDs(dst[first:], cells)
	return dst
}

// number is that of term i.
func (e *encoded) number(i int) uint32 {
	if e.width == narrow {
		// The byte that follows is one of the bits.
		return binary.LittleEndian.Uint32(e.numbers[narrow*i:]) & (narrowLimit - 1)
	}
	return binary.LittleEndian.Uint32(e.numbers[wide*i:])
}

// isAtStart says whether term i is.
func (e *encoded) isAtStart(i int) bool { return e.start[i/8]>>(i%8)&1 != 0 }

// count is how often term i occurs. It takes it off the counts, so each term must be asked for in turn.
func (e *encoded) count(i int) uint32 {
	if e.many[i/8]>>(i%8)&1 == 0 {
		return 1
	}
	count, size := binary.Uvarint(e.counts)
	e.counts = e.counts[size:]
	return uint32(count)
}

// document returns the document without the hashes of its terms, in the memory of another one; with groups and cells if it is said
// which group a term is in.
func (e *encoded) document(dst Document, group func(number uint32) Group) Document {
	dst = Document{
		Terms: slices.Grow(dst.Terms[:0], e.n)[:e.n], Counts: dst.Counts[:0], Start: dst.Start[:0],
		Groups: dst.Groups[:0], Cells: dst.Cells[:0],
	}
	for i := range e.n {
		dst.Counts, dst.Start = append(dst.Counts, e.count(i)), append(dst.Start, e.isAtStart(i))
	}
	if group == nil {
		return dst
	}
	for i := range e.n {
		dst.Groups = append(dst.Groups, group(e.number(i)))
	}
	sizes, cells := e.sizes()
	dst.Cells = appendCells(dst.Cells, cells, sizes[Grams])
	return dst
}

// Document returns a document with the hashes of its terms.
func (d *Documents) Document(ref Ref) Document {
	e := get(&blockReader{blocks: d.blocks}, ref)
	doc := e.document(Document{}, d.dictionary.group)
	for i := range e.n {
		doc.Terms[i] = d.dictionary.hash(e.number(i))
	}
	return doc
}

// Wholes returns for each document the hash that stands for all of it, as in [Document.Whole].
func (d *Documents) Wholes(refs []Ref, workers int) []uint64 {
	hashes := make([]uint64, len(refs))
	parallel.Ranges(workers, len(refs), 256, func(_, from, to int) {
		r := blockReader{blocks: d.blocks}
		for i := from; i < to; i++ {
			hashes[i] = d.whole(get(&r, refs[i]))
		}
	})
	return hashes
}

// whole is the hash of a document, that of [Document.hash].
func (d *Documents) whole(e encoded) uint64 {
	var sum uint64
	for i := range e.n {
		sum += mixed(d.dictionary.hash(e.number(i)) + uint64(e.count(i)))
	}
	return mixed(sum)
}
