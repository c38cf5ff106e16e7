package features

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"chaff/internal/evidence"
	"chaff/internal/littleendian"
	"chaff/internal/sections"
)

// Documents are saved in sections of a file, whose numbers are little-endian:
//
//	DOCS  the records of the documents, one after the other
//	ENDS  u64: the end of the record of each document in DOCS
//	HASH  u64: the hash of each term, in the order of the unkeyed hashes of their texts
//	TEXT  for each term the size of its text as a varint, and the text
//
// SavedSections is how many there are.
const SavedSections = 4

// ErrDamaged is returned for sections that are no documents.
var ErrDamaged = errors.New("damaged documents")

// Save writes the given documents and their terms to a file. The same documents in the same order give the same bytes, whichever other
// documents were beside them.
func (d *Documents) Save(w *sections.Writer, refs []Ref) error {
	if err := d.Complete(1); err != nil {
		return err
	}
	saved := unknownIDs(len(d.terms.hashes)) // the numbers of the terms in the file
	r := d.reader()
	for _, ref := range refs {
		r.read(ref)
		r.readNumbers()
		for _, number := range r.numbers {
			saved[number] = 0
		}
	}
	next := uint32(0)
	for number := range saved {
		if saved[number] != unknown {
			saved[number] = next
			next++
		}
	}
	w.Begin("DOCS")
	record, gaps, end, ends := []byte(nil), []byte(nil), uint64(0), make([]uint64, len(refs))
	for i, ref := range refs {
		r.read(ref)
		r.readNumbers()
		for k, number := range r.numbers {
			r.numbers[k] = saved[number]
		}
		gaps = appendGaps(gaps[:0], r.numbers)
		record = appendRecord(record[:0], r.sizes, gaps, r.cells, r.marks, r.counts)
		w.Write(record)
		end += uint64(len(record))
		ends[i] = end
	}
	w.Begin("ENDS")
	w.Write(littleendian.Bytes(ends))
	w.Begin("HASH")
	w.WriteEach(len(saved), func(dst []byte, number int) []byte {
		if saved[number] == unknown {
			return dst
		}
		return binary.LittleEndian.AppendUint64(dst, d.terms.hashes[number])
	})
	w.Begin("TEXT")
	w.WriteEach(len(saved), func(dst []byte, number int) []byte {
		if saved[number] == unknown {
			return dst
		}
		text := d.terms.text(uint32(number))
		return append(binary.AppendUvarint(dst, uint64(len(text))), text...)
	})
	return d.Err()
}

// SavedDocument returns document i of a file, without reading the texts of the terms. The error is [ErrDamaged], or about the file.
func SavedDocument(file *sections.Reader, i int) (Document, error) {
	var parts [3][]byte
	for k, name := range []string{"HASH", "DOCS", "ENDS"} {
		var err error
		if parts[k], err = file.Section(name); err != nil {
			return Document{}, err
		}
	}
	hashes, docs, ends := parts[0], parts[1], parts[2]
	if i >= len(ends)/8 {
		return Document{}, fmt.Errorf("%w: document %d of %d", ErrDamaged, i, len(ends)/8)
	}
	from, to := uint64(0), binary.LittleEndian.Uint64(ends[8*i:])
	if i > 0 {
		from = binary.LittleEndian.Uint64(ends[8*(i-1):])
	}
	if from > to || to > uint64(len(docs)) {
		return Document{}, fmt.Errorf("%w: the record of document %d is from %d to %d of %d bytes", ErrDamaged, i, from, to, len(docs))
	}
	var r documentReader
	err := r.check(docs[from:to], len(hashes)/8)
	for _, number := range r.numbers {
		r.doc.Terms = append(r.doc.Terms, binary.LittleEndian.Uint64(hashes[8*number:]))
	}
	if sorted := slices.Sorted(slices.Values(r.doc.Terms)); err == nil && len(slices.Compact(sorted)) < len(r.doc.Terms) {
		err = errTwice
	}
	if err != nil {
		return Document{}, fmt.Errorf("%w: document %d has %w", ErrDamaged, i, err)
	}
	r.readCells()
	return r.doc, nil
}

// OpenDocuments returns the documents of a file, in its order. More documents can be added until [Documents.Complete], which the caller must
// call. See [NewDocuments] for memory. The error is [ErrDamaged], or about the file or the temporary file.
func OpenDocuments(file *sections.Reader, memory int64) (*Documents, []Ref, error) {
	var all [4]*sections.Stream
	for i, name := range []string{"HASH", "TEXT", "ENDS", "DOCS"} {
		var err error
		if all[i], err = file.Stream(name); err != nil {
			return nil, nil, err
		}
	}
	d := NewDocuments(memory)
	damage := d.terms.open(all[0], all[1])
	var refs []Ref
	if damage == nil {
		refs, damage = d.open(all[2], all[3])
	}
	for _, s := range all { // an error about a file explains why what was in it is damaged
		if err := s.Close(); err != nil {
			return nil, nil, err
		}
	}
	if damage != nil {
		return nil, nil, fmt.Errorf("%w: %w", ErrDamaged, damage)
	}
	return d, refs, d.Err()
}

// open adds the documents of a file, whose terms were opened.
func (d *Documents) open(ends, records *sections.Stream) ([]Ref, error) {
	if ends.Left()%8 != 0 {
		return nil, fmt.Errorf("%d bytes are no whole number of ends", ends.Left())
	}
	refs := make([]Ref, ends.Left()/8)
	w, r := d.NewWriter(), d.reader()
	defer w.Close()
	end := uint64(0)
	for i := range refs {
		from, next := end, ends.Next(8)
		if next == nil {
			return nil, errCut
		}
		if end = binary.LittleEndian.Uint64(next); from > end || end-from > uint64(records.Left()) {
			return nil, fmt.Errorf("the record of document %d is from %d to %d", i, from, end)
		}
		record := records.Next(int(end - from))
		if record == nil {
			return nil, errCut
		}
		if err := r.check(record, len(d.terms.hashes)); err != nil {
			return nil, fmt.Errorf("document %d has %w", i, err)
		}
		refs[i] = w.add(record, false)
	}
	if left := records.Left(); left > 0 {
		return nil, fmt.Errorf("%d bytes of records that are in no document", left)
	}
	return refs, nil
}

// errCut means that a file ended.
var errCut = errors.New("its end is missing")

// errTwice means that there are two terms with one hash.
var errTwice = errors.New("a term twice")

// open adds the terms of a file to an empty list.
func (t *terms) open(hashes, texts *sections.Stream) error {
	n := int(hashes.Left() / 8)
	if hashes.Left()%8 != 0 || n > 1<<numberBits {
		return fmt.Errorf("%d bytes of hashes", hashes.Left())
	}
	for i := range n {
		size, ok := texts.Uvarint()
		if !ok || size > uint64(texts.Left()) {
			return fmt.Errorf("the texts end at term %d of %d", i, n)
		}
		hash, text := hashes.Next(8), texts.Next(int(size))
		if hash == nil || text == nil {
			return errCut
		}
		if _, added := t.table.Add(binary.LittleEndian.Uint64(hash)); !added {
			return errTwice
		}
		t.texts = append(t.texts, t.keep(text))
	}
	t.hashes = t.table.Hashes()
	if left := texts.Left(); left > 0 {
		return fmt.Errorf("%d bytes more than the texts of %d terms", left, n)
	}
	return nil
}

// check is split, readNumbers and readMarks for a record that may have any bytes. Its numbers must be below terms.
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
	for _, mark := range r.marks {
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
	r.readMarks()
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
