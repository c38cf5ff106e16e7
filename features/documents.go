package features

import (
	"encoding/binary"
	"errors"
	"math/bits"
	"slices"
	"sync"

	"chaff/internal/parallel"
)

// Documents are the documents of a corpus, with each distinct term and its text once. [Writer]s fill them. After [Documents.Complete]
// they are read-only and safe for concurrent use.
//
// A document takes about three and a half bytes for each of its terms, because a term is a number in one dictionary.
type Documents struct {
	dictionary *dictionary
	budget     *memoryBudget
	store      *recordStore

	orderOnce sync.Once
	order     []uint32 // see ordered
}

// ordered returns the numbers of all terms in the order of the [OrderHash] of their texts, which the ids of every vocabulary have. They are
// sorted once.
func (d *Documents) ordered(workers int) []uint32 {
	d.orderOnce.Do(func() { d.order = d.dictionary.sorted(workers) })
	return d.order
}

// documentsShare is the share of the memory that documents may fill. They are read a few times, in order. The rest is for
// matrices, which are read in every epoch, in any order.
const documentsShare = 0.5

// NewDocuments returns documents that, together with the matrices made of them, take at most so many bytes of memory. What does
// not fit is kept in temporary files. 0 means no limit. The texts of terms do not count.
func NewDocuments(memory int64) *Documents { return newDocuments(memory, false) }

func newDocuments(memory int64, textless bool) *Documents {
	b := &memoryBudget{limit: memory}
	return &Documents{dictionary: newDictionary(textless), budget: b, store: newRecordStore(b, documentsShare)}
}

// HasTexts reports whether the texts of the terms are known. Only documents opened from a file without texts lack them.
func (d *Documents) HasTexts() bool { return !d.dictionary.textless }

// Complete ends the writing and frees the memory that only adding terms needs. It returns the first error of the temporary file, or that
// there are too many terms.
func (d *Documents) Complete() error {
	for s := range d.dictionary.shards {
		d.dictionary.shards[s].table.Freeze()
	}
	return d.Err()
}

// Err returns the first error of writing or reading the temporary file. A document that could not be read looks empty: check Err
// before using the results.
func (d *Documents) Err() error { return d.store.failed() }

// Writer adds documents. It belongs to one goroutine; there may be several.
type Writer struct {
	recordWriter
	dictionary *dictionary
	numbers    []uint32
	order      shardOrder
	record     []byte
}

// NewWriter returns a writer. The caller must close it.
func (d *Documents) NewWriter() *Writer {
	return &Writer{recordWriter: recordWriter{store: d.store}, dictionary: d.dictionary}
}

// Close flushes the last page.
func (w *Writer) Close() { w.flush() }

// Add keeps the document of a bag whose terms are named. After an error it returns 0, see [Documents.Err].
func (w *Writer) Add(b *Bag) Ref {
	name := b.Text
	if w.dictionary.textless {
		name = func(i int) []byte { return w.dictionary.nameOf(b.Text(i)) }
	}
	return w.add(b.Document(), name)
}

// errNoOrderHash means that a caller gave a text to documents without texts.
var errNoOrderHash = errors.New("a term of documents without texts is not named by an order hash")

// AddDocument keeps a document whose terms are distinct and whose cells ascend. text returns the text of a term, given by its index, or
// nil if another document has told it; for documents without texts it is the [OrderHash], little-endian. A term that has no text
// anywhere is named after its hash.
func (w *Writer) AddDocument(doc Document, text func(i int) []byte) Ref {
	if w.dictionary.textless {
		for i := range doc.Terms {
			if name := text(i); name != nil && len(name) != orderSize {
				w.store.fail(errNoOrderHash)
				return 0
			}
		}
	}
	return w.add(doc, text)
}

// Copy adds a document of other documents, both with texts or both without.
func (w *Writer) Copy(from *Documents, ref Ref) Ref {
	r := from.reader()
	r.readAll(ref)
	return w.add(r.doc, func(i int) []byte { return from.dictionary.name(r.numbers[i]) })
}

// Keep keeps bytes of the caller beside the documents, for [Documents.Kept].
func (w *Writer) Keep(data []byte) Ref { return w.write(data) }

// Kept returns a function that reads what was kept. Its result is valid until the next call, and empty after an error.
func (d *Documents) Kept() func(ref Ref) []byte {
	r := recordReader{store: d.store}
	return r.read
}

func (w *Writer) add(doc Document, name func(i int) []byte) Ref {
	w.numbers = slices.Grow(w.numbers[:0], len(doc.Terms))[:len(doc.Terms)]
	if err := w.dictionary.add(w.numbers, doc, name, &w.order); err != nil {
		w.store.fail(err)
		return 0
	}
	w.record = appendDocument(w.record[:0], w.numbers, doc)
	return w.write(w.record)
}

// The record of a document with n terms is, little-endian:
//
//	4 bytes   2n, plus 1 if term numbers have four bytes
//	4 bytes   the number of cells
//	3n or 4n  the number of each term in the dictionary
//	n bits    whether the term is in the head of the text; bits begin with the lowest of each byte
//	n bits    whether the term occurs more than once
//	varints   the counts of the terms that do
//	gaps      the cells, as [appendGaps] writes them
const (
	documentHeader = 8
	narrow         = 3 // bytes of a number
	wide           = 4
	narrowLimit    = 1 << (8 * narrow)
)

func bitmapSize(n int) int { return (n + 7) / 8 }

// appendDocument appends the record of a document, given the numbers of its terms.
func appendDocument(dst []byte, numbers []uint32, doc Document) []byte {
	return appendRest(appendNumbers(dst, numbers, len(doc.Cells)), doc)
}

// appendNumbers appends the record of a document up to the numbers of its terms.
func appendNumbers(dst []byte, numbers []uint32, cells int) []byte {
	le := binary.LittleEndian
	n, isWide := len(numbers), uint32(0)
	if n > 0 && slices.Max(numbers) >= narrowLimit {
		isWide = 1
	}
	dst = le.AppendUint32(dst, uint32(2*n)|isWide)
	dst = le.AppendUint32(dst, uint32(cells))
	for _, number := range numbers {
		dst = append(dst, byte(number), byte(number>>8), byte(number>>16))
		if isWide == 1 {
			dst = append(dst, byte(number>>24))
		}
	}
	return dst
}

// appendRest appends the record of a document from the bits on.
func appendRest(dst []byte, doc Document) []byte {
	size := bitmapSize(len(doc.Counts))
	dst = append(dst, make([]byte, 2*size)...)
	inHead, repeated := dst[len(dst)-2*size:][:size], dst[len(dst)-size:]
	for i := range doc.Counts {
		if doc.InHead[i] {
			inHead[i/8] |= 1 << (i % 8)
		}
		if doc.Counts[i] > 1 {
			repeated[i/8] |= 1 << (i % 8)
		}
	}
	for _, count := range doc.Counts {
		if count > 1 {
			dst = binary.AppendUvarint(dst, uint64(count))
		}
	}
	return appendGaps(dst, doc.Cells)
}

// documentReader reads documents, one at a time, into its own memory. It belongs to one goroutine.
type documentReader struct {
	recordReader
	dictionary *dictionary
	numbers    []uint32 // of the terms
	rest       []byte   // of the record, after the numbers
	gaps       []byte   // of the cells, after readRest
	cells      int
	doc        Document
}

func (d *Documents) reader() documentReader {
	return documentReader{recordReader: recordReader{store: d.store}, dictionary: d.dictionary}
}

// read sets the numbers of the terms of a document. A document that could not be read is empty.
func (r *documentReader) read(ref Ref) {
	record := r.recordReader.read(ref)
	if record == nil {
		record = make([]byte, documentHeader)
	}
	r.decode(record)
}

// decode sets the numbers of the terms of a document, given its record.
func (r *documentReader) decode(record []byte) {
	le := binary.LittleEndian
	header := le.Uint32(record)
	n, width := int(header/2), narrow+int(header%2)
	record, r.cells = record[documentHeader:], int(le.Uint32(record[4:]))
	r.numbers = slices.Grow(r.numbers[:0], n)[:n]
	for i := range r.numbers {
		r.numbers[i] = le.Uint32(record[i*width:]) // the bitmaps follow, so there are four bytes to read in any case
		if width == narrow {
			r.numbers[i] &= narrowLimit - 1
		}
	}
	r.rest = record[n*width:]
}

// readRest sets the document, without the hashes and the groups of its terms.
func (r *documentReader) readRest() { r.gaps = r.doc.decodeRest(r.rest, len(r.numbers), r.cells) }

// cellGaps returns the gaps of the cells.
func (r *documentReader) cellGaps() []byte {
	size, repeated := bitmapSize(len(r.numbers)), 0
	counts := r.rest[2*size:]
	for _, b := range r.rest[size : 2*size] {
		repeated += bits.OnesCount8(b)
	}
	at := 0
	for ; repeated > 0; at++ {
		if counts[at] < 0x80 { // the last byte of a varint
			repeated--
		}
	}
	return counts[at:]
}

// readGroups sets the groups of the terms.
func (r *documentReader) readGroups() {
	r.doc.Groups = r.doc.Groups[:0]
	for _, number := range r.numbers {
		r.doc.Groups = append(r.doc.Groups, r.dictionary.group(number))
	}
}

// decodeRest sets what appendRest has written of a document of n terms, and returns the gaps of the cells.
func (doc *Document) decodeRest(rest []byte, n, cells int) (gaps []byte) {
	inHead, repeated, counts := rest, rest[bitmapSize(n):], rest[2*bitmapSize(n):]
	doc.Counts, doc.InHead = slices.Grow(doc.Counts[:0], n)[:n], slices.Grow(doc.InHead[:0], n)[:n]
	for i := range n {
		doc.InHead[i] = inHead[i/8]>>(i%8)&1 != 0
		doc.Counts[i] = 1
		if repeated[i/8]>>(i%8)&1 != 0 {
			count, size := binary.Uvarint(counts)
			doc.Counts[i], counts = uint32(count), counts[size:]
		}
	}
	doc.Cells = slices.Grow(doc.Cells[:0], cells)[:cells]
	decodeGaps(doc.Cells, counts)
	return counts
}

// readAll sets the document.
func (r *documentReader) readAll(ref Ref) {
	r.read(ref)
	r.readRest()
	r.readGroups()
	r.doc.Terms = r.doc.Terms[:0]
	for _, number := range r.numbers {
		r.doc.Terms = append(r.doc.Terms, r.dictionary.hash(number))
	}
}

// Document returns a document.
func (d *Documents) Document(ref Ref) Document {
	r := d.reader()
	r.readAll(ref)
	return r.doc
}

// DocumentHashes returns the hash of each document, its only term in a data set of the kind [Whole].
func (d *Documents) DocumentHashes(refs []Ref, workers int) []uint64 {
	hashes := make([]uint64, len(refs))
	parallel.Ranges(workers, len(refs), 256, func(_, from, to int) {
		r := d.reader()
		for i := from; i < to; i++ {
			r.readAll(refs[i])
			hashes[i] = r.doc.hash()
		}
	})
	return hashes
}
