package features

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"sort"
	"sync"

	"github.com/cespare/xxhash/v2"

	"chaff/internal/evidence"
	"chaff/internal/parallel"
)

// Documents are the documents of a corpus, with each distinct term and its text once. [Writer]s fill them. After [Documents.Complete]
// they are read-only and safe for concurrent use.
//
// A document takes about three bytes for each of its terms, because a term is a number, and the numbers of a document ascend.
type Documents struct {
	terms   *terms
	records *records

	completeOnce sync.Once
}

// NewDocuments returns documents that take at most so many bytes of memory, and half of it once they are complete. What does not fit
// is in temporary files. 0 means no limit. The terms and their texts do not count.
func NewDocuments(memory int64) *Documents {
	return &Documents{terms: new(terms), records: &records{limit: (memory + 1) / 2, places: make([]place, 1)}}
}

// Complete ends the writing. It gives the terms their last numbers, in the order of an unkeyed hash of their texts, with up to so many
// goroutines. It returns the first error of the temporary files, or that there are too many terms.
func (d *Documents) Complete(workers int) error {
	d.completeOnce.Do(func() {
		if numbers := d.terms.sort(workers); numbers != nil {
			d.renumber(numbers, workers)
		}
	})
	return d.Err()
}

// renumber writes the records again, with the new numbers of the terms by the old ones.
func (d *Documents) renumber(numbers []uint32, workers int) {
	old, all := d.records, &records{limit: d.records.limit, places: slices.Clone(d.records.places)}
	writers := make([]Writer, max(workers, 1))
	for i := range writers {
		writers[i].records = all
	}
	parallel.Ranges(workers, len(old.places)-1, 256, func(worker, from, to int) {
		w, r := &writers[worker], documentReader{of: d}
		for ref := Ref(from + 1); ref <= Ref(to); ref++ {
			record := old.read(ref, &r.buffer)
			if record != nil {
				r.split(record)
				r.readNumbers()
				r.readCounts()
				for i, number := range r.numbers {
					r.numbers[i] = numbers[number]
				}
				w.encode(r.numbers, r.doc, r.sizes, r.cells)
				record = w.record
			}
			w.write(ref, record)
			old.drop(ref)
		}
	})
	for i := range writers {
		writers[i].Close()
	}
	all.fail(old.err)
	d.records = all
}

// Err returns the first error of writing or reading the temporary file. A document that could not be read looks empty: check Err
// before using the results.
func (d *Documents) Err() error {
	s := d.records
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// Writer adds documents. It belongs to one goroutine; there may be several.
type Writer struct {
	terms   *terms
	records *records
	page    []byte // the last one
	index   int    // of the page
	numbers []uint32
	lookup  Lookup
	gaps    []byte // of the terms
	cells   []byte // their gaps
	marks   []byte
	counts  []byte
	record  []byte
	saved   documentReader // of records that were saved
}

// NewWriter returns a writer. The caller must close it.
func (d *Documents) NewWriter() *Writer {
	return &Writer{terms: d.terms, records: d.records}
}

// Add keeps a document whose terms are distinct and whose cells ascend. text returns the text of a term, given by its index, or nil if
// another document has told it. A term that has no text anywhere is named after its hash. After an error Add returns 0, see [Documents.Err].
func (w *Writer) Add(doc Document, text func(i int) []byte) Ref {
	w.numbers = slices.Grow(w.numbers[:0], len(doc.Terms))[:len(doc.Terms)]
	if err := w.terms.add(w.numbers, doc.Terms, text); err != nil {
		w.records.fail(err)
		return 0
	}
	w.cells = appendGaps(w.cells[:0], doc.Cells)
	w.encode(w.numbers, doc, doc.sizes(), w.cells)
	return w.write(0, w.record)
}

// encode sets the record of a document, given the numbers of its terms, the sizes of its groups and the gaps of its cells.
func (w *Writer) encode(numbers []uint32, doc Document, sizes [evidence.Groups]int, cells []byte) {
	l := &w.lookup
	l.Known = l.Known[:0]
	for i, number := range numbers {
		l.Known = append(l.Known, uint64(number)<<32|uint64(i))
	}
	l.split()
	w.gaps, w.marks, w.counts = appendGaps(w.gaps[:0], l.ids), w.marks[:0], w.counts[:0]
	for _, i := range l.indices {
		w.marks = append(w.marks, doc.Marks[i])
		if doc.Counts[i] > 1 {
			w.counts = binary.AppendUvarint(w.counts, uint64(doc.Counts[i]))
		}
	}
	w.record = appendRecord(w.record[:0], sizes, w.gaps, cells, w.marks, w.counts)
}

// The record of a document is, little-endian:
//
//	u32       for each group the number of its terms; of cells for [evidence.Grams]
//	u32 u32   the size of the gaps of the terms, and of those of the cells
//	gaps      the numbers of the terms, as [appendGaps] writes them
//	gaps      the cells
//	u8        for each term its mark: 4 times its group, plus 2 if it occurs more than once, plus 1 if it is in the head of the text
//	varints   the counts of the terms that occur more than once
const recordHeader = 4*evidence.Groups + 8

// appendRecord appends a record.
func appendRecord(dst []byte, sizes [evidence.Groups]int, gaps, cells, marks, counts []byte) []byte {
	le := binary.LittleEndian
	for _, n := range sizes {
		dst = le.AppendUint32(dst, uint32(n))
	}
	dst = le.AppendUint32(le.AppendUint32(dst, uint32(len(gaps))), uint32(len(cells)))
	return append(append(append(append(dst, gaps...), cells...), marks...), counts...)
}

// wideGap marks a gap that does not fit into two bytes.
const wideGap = math.MaxUint16

// appendGaps appends ascending numbers, each by its distance from the one before: two bytes, or wideGap and four bytes.
func appendGaps(dst []byte, numbers []uint32) []byte {
	before := uint32(0)
	for _, number := range numbers {
		if gap := number - before; gap < wideGap {
			dst = append(dst, byte(gap), byte(gap>>8))
		} else {
			dst = binary.LittleEndian.AppendUint32(append(dst, wideGap&0xff, wideGap>>8), gap)
		}
		before = number
	}
	return dst
}

// appendDecoded appends the first n numbers that appendGaps has written.
func appendDecoded(dst []uint32, n int, gaps []byte) []uint32 {
	dst = slices.Grow(dst, n)[:len(dst)+n]
	numbers, number, size := dst[len(dst)-n:], uint32(0), 0
	for i := range numbers {
		gap := uint32(gaps[size]) | uint32(gaps[size+1])<<8
		size += 2
		if gap == wideGap {
			gap = binary.LittleEndian.Uint32(gaps[size:])
			size += 4
		}
		number += gap
		numbers[i] = number
	}
	return dst
}

// documentReader reads documents, one at a time, into its own memory. It belongs to one goroutine.
type documentReader struct {
	of      *Documents
	buffer  buffer
	sizes   [evidence.Groups]int
	gaps    []byte // of the terms, as are counts
	cells   []byte // their gaps
	counts  []byte
	numbers []uint32
	doc     Document // its marks are in the record
}

// read reads the record of a document. A document that could not be read is empty.
func (r *documentReader) read(ref Ref) {
	record := r.of.records.read(ref, &r.buffer)
	if record == nil {
		record = make([]byte, recordHeader)
	}
	r.split(record)
}

// split splits a record.
func (r *documentReader) split(record []byte) {
	le, terms := binary.LittleEndian, 0
	for g := range r.sizes {
		r.sizes[g] = int(le.Uint32(record[4*g:]))
		terms += r.sizes[g]
	}
	terms -= r.sizes[evidence.Grams]
	gaps, cells := le.Uint32(record[recordHeader-8:]), le.Uint32(record[recordHeader-4:])
	rest := record[recordHeader:]
	r.gaps, rest = rest[:gaps], rest[gaps:]
	r.cells, rest = rest[:cells], rest[cells:]
	r.doc.Marks, r.counts = rest[:terms:terms], rest[terms:]
}

// readNumbers decodes the numbers of the terms.
func (r *documentReader) readNumbers() {
	r.numbers = appendDecoded(r.numbers[:0], len(r.doc.Marks), r.gaps)
}

// readCounts decodes how often the terms occur.
func (r *documentReader) readCounts() {
	counts := r.counts
	r.doc.Counts = r.doc.Counts[:0]
	for _, mark := range r.doc.Marks {
		count := uint64(1)
		if mark&markRepeated != 0 {
			var size int
			count, size = binary.Uvarint(counts)
			counts = counts[size:]
		}
		r.doc.Counts = append(r.doc.Counts, uint32(count))
	}
}

// readCells decodes the cells.
func (r *documentReader) readCells() {
	r.doc.Cells = appendDecoded(r.doc.Cells[:0], r.sizes[evidence.Grams], r.cells)
}

// readAll sets the document.
func (r *documentReader) readAll(ref Ref) {
	r.read(ref)
	r.readNumbers()
	r.readCounts()
	r.readCells()
	r.doc.Terms = r.doc.Terms[:0]
	for _, number := range r.numbers {
		r.doc.Terms = append(r.doc.Terms, r.of.terms.hashes[number])
	}
}

// Document returns a document.
func (d *Documents) Document(ref Ref) Document {
	r := documentReader{of: d}
	r.readAll(ref)
	return r.doc
}

const (
	// fewTextTerms is up to how many terms of a text all count in [Documents.Texts].
	fewTextTerms = 64
	// mostTextTerms is how many count of any text. Texts are compared for each number that they share, so the time grows with the square.
	mostTextTerms = 1024
)

// Texts returns a function that reads what the text of a document is known by, as numbers below limit, in ascending order: the pairs of its words, else its
// words, else its subject; of more than a few a quarter, but at most mostTextTerms, the same ones in each document. The result is valid until the next call.
func (d *Documents) Texts() (limit int, of func(ref Ref) []uint32) {
	_ = d.Complete(1) // an error stays, see Err
	r, all := documentReader{of: d}, len(d.terms.hashes)
	sampled := sort.Search(all, func(n int) bool { return xxhash.Sum64(d.terms.text(uint32(n))) >= math.MaxUint64/4 })
	return all, func(ref Ref) []uint32 {
		r.read(ref)
		r.readNumbers()
		text := evidence.Pairs
		for _, other := range [...]evidence.Group{evidence.Words, evidence.Subject} {
			if r.sizes[text] == 0 {
				text = other
			}
		}
		end := all
		if r.sizes[text] > fewTextTerms {
			end = sampled
		}
		kept := r.numbers[:0]
		for i, number := range r.numbers {
			if int(number) >= end || len(kept) == mostTextTerms {
				break
			}
			if r.doc.Marks[i]>>groupShift == byte(text) {
				kept = append(kept, number)
			}
		}
		return kept
	}
}

// As returns the documents as [Document.As] does, with the same Refs. The text of a whole document is its hash: a model keeps no message.
func (d *Documents) As(kind Kind) *Documents {
	if kind != Whole {
		return d
	}
	wholes, r := NewDocuments(0), documentReader{of: d}
	w := wholes.NewWriter()
	for i := range len(d.records.places) - 1 {
		r.readAll(Ref(i + 1))
		doc := r.doc.As(kind)
		w.Add(doc, func(int) []byte { return fmt.Appendf(nil, "message:%016x", doc.Terms[0]) })
	}
	w.Close()
	wholes.records.fail(d.Err())
	return wholes
}

// Compare compares two documents by all that they have, in an order that the key decides.
func (d *Documents) Compare(x, y Ref) int {
	var first, second buffer
	if bytes.Equal(d.records.read(x, &first), d.records.read(y, &second)) {
		return 0
	}
	a, b := d.Document(x), d.Document(y)
	return cmp.Or(cmp.Compare(a.hash(), b.hash()), slices.Compare(a.Cells, b.Cells), bytes.Compare(a.Marks, b.Marks))
}
