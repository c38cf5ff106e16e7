package features

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"chaff/internal/evidence"
)

// Documents are saved as terms and records. A term is its hash, u64, and its text behind the size of the text plus 1, a varint; 0 stands for a text
// that was saved before. A record, see [recordHeader], has the terms by their number: the place among the terms that were saved.

// ErrDamaged is returned for bytes that are no documents.
var ErrDamaged = errors.New("damaged documents")

// errTwice means that there are two terms with one hash.
var errTwice = fmt.Errorf("%w: a term twice", ErrDamaged)

// Save calls terms with the terms of the given documents, some at a time, and then record with each document; both must not keep what they are
// given. The same documents in the same order give the same bytes, whichever other documents were beside them.
func (d *Documents) Save(refs []Ref, terms func(data []byte), record func(i int, data []byte)) error {
	const savedTerms = 1 << 20 // about how many bytes of terms are passed at once
	if err := d.Complete(1); err != nil {
		return err
	}
	saved := slices.Repeat([]uint32{unknown}, len(d.terms.hashes)) // the numbers of the terms that are saved
	r := documentReader{of: d}
	for _, ref := range refs {
		r.read(ref)
		r.readNumbers()
		for _, number := range r.numbers {
			saved[number] = 0
		}
	}
	var data []byte
	next := uint32(0)
	for number := range saved {
		if saved[number] != unknown {
			saved[number] = next
			next++
			data = appendTerm(data, d.terms.hashes[number], d.terms.text(uint32(number)))
		}
		if isLast := number == len(saved)-1; len(data) >= savedTerms || isLast && len(data) > 0 {
			terms(data)
			data = data[:0]
		}
	}
	var gaps []byte
	for i, ref := range refs {
		r.read(ref)
		r.readNumbers()
		for k, number := range r.numbers {
			r.numbers[k] = saved[number]
		}
		gaps = appendGaps(gaps[:0], r.numbers)
		data = appendRecord(data[:0], r.sizes, gaps, r.cells, r.doc.Marks, r.counts)
		record(i, data)
	}
	return d.Err()
}

// appendTerm appends a term. A nil text is one that was saved before.
func appendTerm(dst []byte, hash uint64, text []byte) []byte {
	dst = binary.LittleEndian.AppendUint64(dst, hash)
	if text == nil {
		return append(dst, 0)
	}
	return append(binary.AppendUvarint(dst, uint64(len(text))+1), text...)
}

// EachTerm calls do with the terms in data. The text is nil for one that was saved before.
func EachTerm(data []byte, do func(hash uint64, text []byte) error) error {
	for len(data) > 0 {
		if len(data) < 9 {
			return fmt.Errorf("%w: half a term", ErrDamaged)
		}
		size, width := binary.Uvarint(data[8:])
		rest := data[8+max(width, 0):]
		if width <= 0 || size > uint64(len(rest))+1 {
			return fmt.Errorf("%w: a term of %d bytes", ErrDamaged, len(data))
		}
		var text []byte
		if size > 0 {
			text, rest = rest[:size-1:size-1], rest[size-1:]
		}
		if err := do(binary.LittleEndian.Uint64(data), text); err != nil {
			return err
		}
		data = rest
	}
	return nil
}

// Saved are the terms of a file of saved documents that were added to other documents, by [Documents.AddSaved].
type Saved struct {
	terms   int
	numbers []uint32 // of the terms, by their place in the file; nil if the numbers are the places
}

// AddSaved adds the terms of a file of saved documents, before any document. eachTerm calls do with the terms that [Documents.Save] passed, in their order.
// After those of several files, call [Documents.SortSaved].
func (d *Documents) AddSaved(eachTerm func(do func(hash uint64, text []byte) error) error) (Saved, error) {
	t, before := d.terms, len(d.terms.hashes)
	var s Saved
	err := eachTerm(func(hash uint64, text []byte) error {
		if text == nil {
			return fmt.Errorf("%w: a term without a text", ErrDamaged)
		}
		number, added := t.table.Add(hash)
		if !added && number >= before {
			return errTwice
		}
		if s.terms++; before > 0 {
			s.numbers = append(s.numbers, uint32(number))
		}
		if !added {
			return nil
		}
		return t.name(number, text)
	})
	t.hashes = t.table.Hashes
	return s, err
}

// SortSaved gives the terms of files that were added their last numbers, so that [Documents.Complete] writes no record again. More terms can be added.
func (d *Documents) SortSaved(files []Saved) {
	t := d.terms
	numbers := t.sort(1)
	for _, hash := range t.hashes {
		t.table.Add(hash)
	}
	t.hashes = t.table.Hashes
	if numbers == nil {
		return
	}
	for i, s := range files {
		if s.numbers == nil {
			files[i].numbers = numbers[:s.terms]
		}
		for place, number := range s.numbers {
			s.numbers[place] = numbers[number]
		}
	}
}

// AddRecord adds a document that [Documents.Save] passed, of a file whose terms were added.
func (w *Writer) AddRecord(data []byte, file *Saved) (Ref, error) {
	r := &w.saved
	if err := r.check(data, file.terms); err != nil {
		return 0, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if file.numbers == nil {
		return w.write(0, data), nil
	}
	for i, place := range r.numbers {
		r.numbers[i] = file.numbers[place]
	}
	w.encode(r.numbers, r.doc, r.sizes, r.cells)
	if !areGaps(w.gaps, uint32(len(r.numbers)), uint64(len(w.terms.hashes))) {
		return 0, errTwice
	}
	return w.write(0, w.record), nil
}

// SavedDocument returns the document of a record, given the hashes of the saved terms.
func SavedDocument(data []byte, hashes []uint64) (Document, error) {
	var r documentReader
	if err := r.check(data, len(hashes)); err != nil {
		return Document{}, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	for _, number := range r.numbers {
		r.doc.Terms = append(r.doc.Terms, hashes[number])
	}
	if sorted := slices.Sorted(slices.Values(r.doc.Terms)); len(slices.Compact(sorted)) < len(r.doc.Terms) {
		return Document{}, errTwice
	}
	r.readCells()
	r.doc.Marks = slices.Clone(r.doc.Marks)
	return r.doc, nil
}

// Append appends the terms and the record of a document whose terms are distinct, for [ReadDocument]. text is that of [Writer.Add].
func (doc Document) Append(dst []byte, text func(i int) []byte) []byte {
	size := len(dst)
	dst = append(dst, 0, 0, 0, 0)
	numbers := make([]uint32, len(doc.Terms))
	for i, hash := range doc.Terms {
		numbers[i] = uint32(i)
		dst = appendTerm(dst, hash, text(i))
	}
	binary.LittleEndian.PutUint32(dst[size:], uint32(len(dst)-size-4))
	w := Writer{cells: appendGaps(nil, doc.Cells)}
	w.encode(numbers, doc, doc.sizes(), w.cells)
	return append(dst, w.record...)
}

// ReadDocument reads what [Document.Append] has written. The texts share data.
func ReadDocument(data []byte) (doc Document, texts [][]byte, err error) {
	if len(data) < 4 {
		return doc, nil, fmt.Errorf("%w: no terms", ErrDamaged)
	}
	size := uint64(binary.LittleEndian.Uint32(data))
	if data = data[4:]; size > uint64(len(data)) {
		return doc, nil, fmt.Errorf("%w: %d bytes of terms in %d", ErrDamaged, size, len(data))
	}
	var hashes []uint64
	err = EachTerm(data[:size], func(hash uint64, text []byte) error {
		hashes, texts = append(hashes, hash), append(texts, text)
		return nil
	})
	if err == nil {
		doc, err = SavedDocument(data[size:], hashes)
	}
	if err == nil && len(doc.Terms) < len(hashes) {
		err = fmt.Errorf("%w: terms of no document", ErrDamaged)
	}
	return doc, texts, err
}

// check is split, readNumbers and readCounts for a record that may have any bytes. Its numbers must be below terms.
func (r *documentReader) check(record []byte, terms int) error {
	if len(record) < recordHeader {
		return fmt.Errorf("a record of %d bytes", len(record))
	}
	le, rest, n := binary.LittleEndian, record[recordHeader:], uint64(0)
	for g := range evidence.Grams {
		n += uint64(le.Uint32(record[4*g:]))
	}
	gaps, cells := uint64(le.Uint32(record[recordHeader-8:])), uint64(le.Uint32(record[recordHeader-4:]))
	if gaps+cells+n > uint64(len(rest)) {
		return fmt.Errorf("%d terms in %d bytes", n, len(record))
	}
	r.split(record)
	if !areGaps(r.gaps, uint32(n), uint64(terms)) {
		return errors.New("terms that do not ascend, or are not as many as it says")
	}
	if !areGaps(r.cells, le.Uint32(record[4*evidence.Grams:]), CellCount) {
		return errors.New("cells that do not ascend, or are not as many as it says")
	}
	sizes, counts := r.sizes, r.counts
	for _, mark := range r.doc.Marks {
		g := mark >> groupShift
		if g >= byte(evidence.Grams) || sizes[g] == 0 {
			return errors.New("another group than it says")
		}
		sizes[g]--
		if mark&markRepeated != 0 {
			count, width := binary.Uvarint(counts)
			if width <= 0 || count < 2 || count > math.MaxUint32 || counts[width-1] == 0 {
				return errors.New("a term that occurs more than once, without its count")
			}
			counts = counts[width:]
		}
	}
	if len(counts) > 0 {
		return errors.New("more counts than terms")
	}
	r.readNumbers()
	r.readCounts()
	return nil
}

// areGaps reports whether gaps are those of n ascending numbers below limit.
func areGaps(gaps []byte, n uint32, limit uint64) bool {
	number := uint64(0)
	for i := range n {
		if len(gaps) < 2 {
			return false
		}
		gap := uint64(binary.LittleEndian.Uint16(gaps))
		gaps = gaps[2:]
		if gap == wideGap {
			if len(gaps) < 4 {
				return false
			}
			if gap = uint64(binary.LittleEndian.Uint32(gaps)); gap < wideGap {
				return false
			}
			gaps = gaps[4:]
		}
		if number += gap; number >= limit || gap == 0 && i > 0 {
			return false
		}
	}
	return len(gaps) == 0
}
