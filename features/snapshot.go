package features

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"chaff/internal/evidence"
	"chaff/internal/parallel"
)

// Snapshot is documents and the dictionary of their V terms, as bytes for a file. All numbers are little-endian. The same documents give
// the same bytes, whichever other documents were beside them.
type Snapshot struct {
	// Hashes has the hash of each term, 8 bytes each. The terms are in the order of their [OrderHash].
	Hashes []byte
	// Groups has the group of each term, one byte each.
	Groups []byte
	// Texts says what Names has of each term: the size of its text as a varint and the text, or without texts its [OrderHash] in 8 bytes.
	Texts bool
	Names []byte
	// Records has the records of the documents, one after the other. The number of a term is its index in Hashes.
	Records []byte
	// Ends has the end of the record of each document in Records, 8 bytes each.
	Ends []byte
}

// ErrDamaged is returned for bytes that are no snapshot, or no document.
var ErrDamaged = errors.New("damaged documents")

// Snapshot returns the given documents, with the texts of their terms if they are wanted and known. The number of goroutines changes no
// byte.
func (d *Documents) Snapshot(refs []Ref, texts bool, workers int) (*Snapshot, error) {
	count := d.frequencies(refs, workers)
	sorted := slices.DeleteFunc(slices.Clone(d.ordered(workers).numbers), func(number uint32) bool { return count[number] == 0 })
	le := binary.LittleEndian
	s := &Snapshot{Texts: texts && d.HasTexts(), Hashes: make([]byte, 0, 8*len(sorted)), Groups: make([]byte, 0, len(sorted))}
	positions := unknownIDs(d.dictionary)
	for position, number := range sorted {
		positions[number] = uint32(position)
		s.Hashes, s.Groups = le.AppendUint64(s.Hashes, d.dictionary.hash(number)), append(s.Groups, byte(d.dictionary.group(number)))
		if s.Texts {
			text := d.dictionary.name(number)
			s.Names = append(binary.AppendUvarint(s.Names, uint64(len(text))), text...)
		} else {
			s.Names = le.AppendUint64(s.Names, d.dictionary.order(number))
		}
	}
	const size = 256 // documents of a piece
	pieces, sizes := make([][]byte, (len(refs)+size-1)/size), make([]int, len(refs))
	parallel.Ranges(workers, len(refs), size, func(_, from, to int) {
		r, piece := d.reader(), &pieces[from/size]
		for i := from; i < to; i++ {
			r.read(refs[i])
			for k, number := range r.numbers {
				r.numbers[k] = positions[number]
			}
			before := len(*piece)
			*piece = append(appendNumbers(*piece, r.numbers, r.cells), r.rest...)
			sizes[i] = len(*piece) - before
		}
	})
	s.Records = slices.Concat(pieces...)
	end := 0
	for _, size := range sizes {
		end += size
		s.Ends = le.AppendUint64(s.Ends, uint64(end))
	}
	return s, d.Err()
}

// Len returns the number of documents.
func (s *Snapshot) Len() int { return len(s.Ends) / 8 }

// record returns the record of document i.
func (s *Snapshot) record(i int) ([]byte, error) {
	from, to := uint64(0), binary.LittleEndian.Uint64(s.Ends[8*i:])
	if i > 0 {
		from = binary.LittleEndian.Uint64(s.Ends[8*(i-1):])
	}
	if from > to || to > uint64(len(s.Records)) {
		return nil, fmt.Errorf("%w: the record of document %d is from %d to %d of %d bytes", ErrDamaged, i, from, to, len(s.Records))
	}
	return s.Records[from:to], nil
}

// Document returns document i, without restoring the others. The error is [ErrDamaged].
func (s *Snapshot) Document(i int) (Document, error) {
	record, err := s.record(i)
	if err != nil {
		return Document{}, err
	}
	var r documentReader
	if err := r.decodeChecked(record, min(len(s.Hashes)/8, len(s.Groups))); err != nil {
		return Document{}, fmt.Errorf("%w: document %d has %w", ErrDamaged, i, err)
	}
	r.doc.decodeRest(r.rest, len(r.numbers), r.cells)
	for _, position := range r.numbers {
		r.doc.Terms = append(r.doc.Terms, binary.LittleEndian.Uint64(s.Hashes[8*position:]))
		r.doc.Groups = append(r.doc.Groups, evidence.Group(s.Groups[position]))
	}
	if err := r.doc.check(); err != nil {
		return Document{}, fmt.Errorf("%w: document %d has %w", ErrDamaged, i, err)
	}
	return r.doc, nil
}

// RestoreDocuments returns the documents of a snapshot, in its order, and keeps none of its bytes. More documents can be added until
// [Documents.Complete], which the caller must call. See [NewDocuments] for memory. The error is [ErrDamaged], or about the temporary
// file.
func RestoreDocuments(s *Snapshot, memory int64) (*Documents, []Ref, error) {
	d := newDocuments(memory, !s.Texts)
	terms, err := d.dictionary.restore(s)
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if len(s.Ends)%8 != 0 {
		return nil, nil, fmt.Errorf("%w: %d bytes are no whole number of ends", ErrDamaged, len(s.Ends))
	}
	w, r := d.NewWriter(), d.reader()
	refs := make([]Ref, s.Len())
	end := 0
	for i := range refs {
		record, err := s.record(i)
		if err != nil {
			return nil, nil, err
		}
		if err := r.decodeChecked(record, len(terms)); err != nil {
			return nil, nil, fmt.Errorf("%w: document %d has %w", ErrDamaged, i, err)
		}
		for k, position := range r.numbers {
			term := &terms[position]
			if term.last == uint32(i+1) {
				return nil, nil, fmt.Errorf("%w: document %d has %w", ErrDamaged, i, errTwice)
			}
			r.numbers[k], term.last = term.number, uint32(i+1)
		}
		w.record = append(appendNumbers(w.record[:0], r.numbers, r.cells), r.rest...)
		refs[i] = w.write(w.record)
		end += len(record)
	}
	if end != len(s.Records) {
		return nil, nil, fmt.Errorf("%w: %d bytes of records, %d of them in documents", ErrDamaged, len(s.Records), end)
	}
	w.Close()
	return d, refs, d.Err()
}

// restoredTerm is the number of a term in a dictionary, and the last document that had it, counted from 1.
type restoredTerm struct{ number, last uint32 }

// restore fills an empty dictionary and returns the terms in their order in the snapshot.
func (d *dictionary) restore(s *Snapshot) ([]restoredTerm, error) {
	n := len(s.Hashes) / 8
	switch {
	case len(s.Hashes)%8 != 0:
		return nil, fmt.Errorf("%d bytes are no whole number of hashes", len(s.Hashes))
	case len(s.Groups) != n:
		return nil, fmt.Errorf("groups of %d terms of %d", len(s.Groups), n)
	case !s.Texts && len(s.Names) != orderSize*n:
		return nil, fmt.Errorf("%d bytes are not the names of %d terms", len(s.Names), n)
	}
	terms, names := make([]restoredTerm, n), s.Names
	for i := range terms {
		size, width := uint64(orderSize), 0
		if s.Texts {
			size, width = binary.Uvarint(names)
		}
		if width < 0 || s.Texts && width == 0 || size > uint64(len(names)-width) {
			return nil, fmt.Errorf("the texts end at term %d of %d", i, n)
		}
		name := names[width:][:size]
		names = names[width+int(size):]
		hash, group := binary.LittleEndian.Uint64(s.Hashes[8*i:]), evidence.Group(s.Groups[i])
		if group >= evidence.Grams {
			return nil, fmt.Errorf("term %d has the group %d", i, group)
		}
		place := uint32(d.placer.Place(hash) >> (64 - shardBits))
		shard := &d.shards[place]
		before := len(shard.terms)
		number := shard.number(hash, checkOf(orderOf(name, d.textless), group), name)
		switch {
		case number < 0:
			return nil, errTooManyTerms
		case len(shard.terms) == before:
			return nil, errTwice
		}
		terms[i].number = uint32(number)<<shardBits | place
	}
	if len(names) > 0 {
		return nil, fmt.Errorf("more bytes than the texts of %d terms", n)
	}
	return terms, nil
}

// errTwice means that a dictionary or a document has two terms with one hash.
var errTwice = errors.New("a term twice")

// decodeChecked is decode for a record that may have any bytes. Its numbers must be below terms. It does not find terms that are there
// twice.
func (r *documentReader) decodeChecked(record []byte, terms int) error {
	le := binary.LittleEndian
	if len(record) < documentHeader {
		return fmt.Errorf("a record of %d bytes", len(record))
	}
	header, cells := le.Uint32(record), le.Uint32(record[4:])
	n, width := int64(header/2), int64(narrow+header%2)
	if n*width+2*((n+7)/8) > int64(len(record)-documentHeader) {
		return fmt.Errorf("%d terms in %d bytes", n, len(record))
	}
	r.decode(record)
	for _, number := range r.numbers {
		if int64(number) >= int64(terms) {
			return fmt.Errorf("term %d of %d", number, terms)
		}
	}
	return checkRest(r.rest, int(n), cells)
}

// checkRest checks what appendRest has written of a document of n terms. There must be room for the bits.
func checkRest(rest []byte, n int, cells uint32) error {
	size := bitmapSize(n)
	repeated := 0
	for i := range 2 * size {
		b := rest[i]
		if i%size == size-1 && n%8 != 0 && b>>(n%8) != 0 {
			return errors.New("more bits than terms")
		}
		if i >= size {
			repeated += bits.OnesCount8(b)
		}
	}
	rest = rest[2*size:]
	for range repeated {
		count, width := binary.Uvarint(rest)
		if width <= 0 || count < 2 || count > math.MaxUint32 || rest[width-1] == 0 {
			return errors.New("a term that occurs more than once, without its count")
		}
		rest = rest[width:]
	}
	return checkCells(rest, cells)
}

// errCells means that gaps are not those of ascending cells.
var errCells = errors.New("cells that do not ascend, or are not as many as it says")

// checkCells checks that gaps are those of so many ascending cells.
func checkCells(gaps []byte, cells uint32) error {
	cell := uint64(0)
	for i := range cells {
		if len(gaps) < 2 {
			return errCells
		}
		gap := uint64(binary.LittleEndian.Uint16(gaps))
		gaps = gaps[2:]
		if gap == wideGap {
			if len(gaps) < 4 {
				return errCells
			}
			if gap = uint64(binary.LittleEndian.Uint32(gaps)); gap < wideGap {
				return errCells
			}
			gaps = gaps[4:]
		}
		if cell += gap; cell >= CellCount || gap == 0 && i > 0 {
			return errCells
		}
	}
	if len(gaps) > 0 {
		return errCells
	}
	return nil
}

// check checks the groups of a document, and that no term is there twice.
func (doc Document) check() error {
	for _, group := range doc.Groups {
		if group >= evidence.Grams {
			return fmt.Errorf("a term of the group %d", group)
		}
	}
	hashes := slices.Clone(doc.Terms)
	slices.Sort(hashes)
	if len(slices.Compact(hashes)) < len(doc.Terms) {
		return errTwice
	}
	return nil
}

// Append appends the document for [DecodeDocument], with the hashes of its terms and without their texts. The bytes are, little-endian:
//
//	4 bytes  n
//	4 bytes  the number of cells
//	8n       the hash of each term
//	n        the group of each term
//
// The rest is as in the record of a document, from the bits on.
func (doc Document) Append(dst []byte) []byte {
	le := binary.LittleEndian
	dst = le.AppendUint32(dst, uint32(len(doc.Terms)))
	dst = le.AppendUint32(dst, uint32(len(doc.Cells)))
	for _, hash := range doc.Terms {
		dst = le.AppendUint64(dst, hash)
	}
	for _, group := range doc.Groups {
		dst = append(dst, byte(group))
	}
	return appendRest(dst, doc)
}

// DecodeDocument returns the document that [Document.Append] appended, in memory of its own. The error is [ErrDamaged].
func DecodeDocument(data []byte) (doc Document, err error) {
	if len(data) < documentHeader {
		return Document{}, fmt.Errorf("%w: a document of %d bytes", ErrDamaged, len(data))
	}
	le := binary.LittleEndian
	n, cells, rest := int64(le.Uint32(data)), le.Uint32(data[4:]), data[documentHeader:]
	if 9*n+2*((n+7)/8) > int64(len(rest)) {
		return Document{}, fmt.Errorf("%w: a document of %d terms in %d bytes", ErrDamaged, n, len(data))
	}
	for i := range n {
		doc.Terms = append(doc.Terms, le.Uint64(rest[8*i:]))
		doc.Groups = append(doc.Groups, evidence.Group(rest[8*n+i]))
	}
	rest = rest[9*n:]
	if err := cmp.Or(doc.check(), checkRest(rest, int(n), cells)); err != nil {
		return Document{}, fmt.Errorf("%w: a document has %w", ErrDamaged, err)
	}
	doc.decodeRest(rest, int(n), int(cells))
	return doc, nil
}
