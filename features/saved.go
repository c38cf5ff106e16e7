package features

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"chaff/internal/evidence"
	"chaff/internal/littleendian"
	"chaff/internal/sections"
)

// Documents are saved in sections of a file, whose numbers are little-endian:
//
//	DOCS  the records of the documents, one after the other, with numbers of terms in the order of their first occurrence: 0, 1, 2, ...
//	ENDS  u64: the end of the record of each document in DOCS
//	HASH  u64: the hash of each term
//	GRPS  u8: the group of each term
//	TEXT  for each term the size of its text as a varint, and the text
//	ORDR  u64: the [OrderHash] of each term, in place of TEXT
//
// SavedSections is how many there are.
const SavedSections = 5

// ErrDamaged is returned for sections that are no documents.
var ErrDamaged = errors.New("damaged documents")

// Save writes the given documents and their terms to a file, with the texts of the terms if they are wanted and known. The same documents in the
// same order give the same bytes, whichever other documents were beside them.
func (d *Documents) Save(w *sections.Writer, refs []Ref, texts bool) error {
	saved := unknownIDs(d.dictionary.size())       // numbers in the file
	terms := make([]uint32, 0, d.dictionary.len()) // numbers in the dictionary, by those
	ends := make([]uint64, len(refs))
	w.Begin("DOCS")
	r, record, end := d.reader(), []byte(nil), uint64(0)
	for i, ref := range refs {
		r.read(ref)
		for k, number := range r.numbers {
			if saved[number] == unknown {
				saved[number] = uint32(len(terms))
				terms = append(terms, number)
			}
			r.numbers[k] = saved[number]
		}
		record = append(appendNumbers(record[:0], r.numbers, r.cells), r.rest...)
		w.Write(record)
		end += uint64(len(record))
		ends[i] = end
	}
	w.Begin("ENDS")
	w.Write(littleendian.Bytes(ends))
	d.dictionary.save(w, terms, texts && d.HasTexts())
	return d.Err()
}

// save writes terms.
func (d *dictionary) save(w *sections.Writer, terms []uint32, texts bool) {
	le := binary.LittleEndian
	each := func(name string, appendTo func(dst []byte, number uint32) []byte) {
		w.Begin(name)
		w.WriteEach(len(terms), func(dst []byte, i int) []byte { return appendTo(dst, terms[i]) })
	}
	each("HASH", func(dst []byte, number uint32) []byte { return le.AppendUint64(dst, d.hash(number)) })
	each("GRPS", func(dst []byte, number uint32) []byte { return append(dst, byte(d.group(number))) })
	if texts {
		each("TEXT", func(dst []byte, number uint32) []byte {
			text := d.name(number)
			return append(binary.AppendUvarint(dst, uint64(len(text))), text...)
		})
	} else {
		each("ORDR", func(dst []byte, number uint32) []byte { return le.AppendUint64(dst, d.order(number)) })
	}
}

// SavedDocument returns document i of a file, without reading the texts of the terms. The error is [ErrDamaged], or about the file.
func SavedDocument(file *sections.Reader, i int) (Document, error) {
	var parts [4][]byte
	for k, name := range []string{"HASH", "GRPS", "DOCS", "ENDS"} {
		var err error
		if parts[k], err = file.Section(name); err != nil {
			return Document{}, err
		}
	}
	hashes, groups, records, ends := parts[0], parts[1], parts[2], parts[3]
	if i >= len(ends)/8 {
		return Document{}, fmt.Errorf("%w: document %d of %d", ErrDamaged, i, len(ends)/8)
	}
	from, to := uint64(0), binary.LittleEndian.Uint64(ends[8*i:])
	if i > 0 {
		from = binary.LittleEndian.Uint64(ends[8*(i-1):])
	}
	if from > to || to > uint64(len(records)) {
		return Document{}, fmt.Errorf("%w: the record of document %d is from %d to %d of %d bytes", ErrDamaged, i, from, to, len(records))
	}
	var r documentReader
	if err := r.decodeChecked(records[from:to], min(len(hashes)/8, len(groups))); err != nil {
		return Document{}, fmt.Errorf("%w: document %d has %w", ErrDamaged, i, err)
	}
	r.doc.decodeRest(r.rest, len(r.numbers), r.cells)
	for _, number := range r.numbers {
		r.doc.Terms = append(r.doc.Terms, binary.LittleEndian.Uint64(hashes[8*number:]))
		r.doc.Groups = append(r.doc.Groups, evidence.Group(groups[number]))
	}
	if err := r.doc.check(); err != nil {
		return Document{}, fmt.Errorf("%w: document %d has %w", ErrDamaged, i, err)
	}
	return r.doc, nil
}

// OpenDocuments returns the documents of a file, in its order. More documents can be added until [Documents.Complete], which the caller must
// call. See [NewDocuments] for memory. The error is [ErrDamaged], or about the file or the temporary file.
func OpenDocuments(file *sections.Reader, memory int64) (*Documents, []Ref, error) {
	d := newDocuments(memory, !file.Has("TEXT"))
	terms, err := d.dictionary.open(file)
	if err != nil {
		return nil, nil, err
	}
	refs, err := d.open(file, terms)
	if err != nil {
		return nil, nil, err
	}
	return d, refs, d.Err()
}

// streams opens sections.
func streams(file *sections.Reader, names ...string) (all []*sections.Stream, err error) {
	for _, name := range names {
		s, err := file.Stream(name)
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

// closeStreams verifies sections that were read. An error about a file explains why what was in it is damaged.
func closeStreams(all []*sections.Stream, damage error) error {
	for _, s := range all {
		if err := s.Close(); err != nil {
			return err
		}
	}
	if damage != nil {
		return fmt.Errorf("%w: %w", ErrDamaged, damage)
	}
	return nil
}

// openedTerm is the number of a term in a dictionary, and the last document that had it, counted from 1.
type openedTerm struct{ number, last uint32 }

// open adds the documents of a file, given the terms by their numbers in it.
func (d *Documents) open(file *sections.Reader, terms []openedTerm) ([]Ref, error) {
	all, err := streams(file, "ENDS", "DOCS")
	if err != nil {
		return nil, err
	}
	refs, damage := d.addOpened(all[0], all[1], terms)
	return refs, closeStreams(all, damage)
}

func (d *Documents) addOpened(ends, records *sections.Stream, terms []openedTerm) ([]Ref, error) {
	if ends.Left()%8 != 0 {
		return nil, fmt.Errorf("%d bytes are no whole number of ends", ends.Left())
	}
	refs := make([]Ref, ends.Left()/8)
	w, r := d.NewWriter(), d.reader()
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
		if err := r.decodeChecked(record, len(terms)); err != nil {
			return nil, fmt.Errorf("document %d has %w", i, err)
		}
		for k, number := range r.numbers {
			term := &terms[number]
			if term.last == uint32(i+1) {
				return nil, fmt.Errorf("document %d has %w", i, errTwice)
			}
			r.numbers[k], term.last = term.number, uint32(i+1)
		}
		w.record = append(appendNumbers(w.record[:0], r.numbers, r.cells), r.rest...)
		refs[i] = w.write(w.record)
	}
	if left := records.Left(); left > 0 {
		return nil, fmt.Errorf("%d bytes of records that are in no document", left)
	}
	w.Close()
	return refs, nil
}

// errCut means that a file ended.
var errCut = errors.New("its end is missing")

// open fills an empty dictionary with the terms of a file, and returns them by their numbers in it.
func (d *dictionary) open(file *sections.Reader) ([]openedTerm, error) {
	names := "TEXT"
	if d.textless {
		names = "ORDR"
	}
	all, err := streams(file, "HASH", "GRPS", names)
	if err != nil {
		return nil, err
	}
	terms, damage := d.addOpened(all[0], all[1], all[2])
	return terms, closeStreams(all, damage)
}

func (d *dictionary) addOpened(hashes, groups, names *sections.Stream) ([]openedTerm, error) {
	n := int(groups.Left())
	if hashes.Left() != 8*groups.Left() {
		return nil, fmt.Errorf("%d bytes of hashes for %d terms", hashes.Left(), n)
	}
	terms := make([]openedTerm, n)
	for i := range terms {
		size, ok := uint64(orderSize), true
		if !d.textless {
			size, ok = names.Uvarint()
		}
		if !ok || size > uint64(names.Left()) {
			return nil, fmt.Errorf("the texts end at term %d of %d", i, n)
		}
		hash, group, name := hashes.Next(8), groups.Next(1), names.Next(int(size))
		switch {
		case hash == nil || group == nil || name == nil:
			return nil, errCut
		case evidence.Group(group[0]) >= evidence.Grams:
			return nil, fmt.Errorf("term %d has the group %d", i, group[0])
		}
		var err error
		if terms[i].number, err = d.addNew(binary.LittleEndian.Uint64(hash), evidence.Group(group[0]), name); err != nil {
			return nil, err
		}
	}
	if left := names.Left(); left > 0 {
		return nil, fmt.Errorf("%d bytes more than the texts of %d terms", left, n)
	}
	return terms, nil
}

// addNew adds a term that the dictionary must not have, and returns its number.
func (d *dictionary) addNew(hash uint64, group evidence.Group, name []byte) (uint32, error) {
	place := uint32(d.placer.Place(hash) >> (64 - shardBits))
	shard := &d.shards[place]
	if shard.table.Find(hash) >= 0 {
		return 0, errTwice
	}
	n := shard.add(hash, group, name)
	if n < 0 {
		return 0, errTooManyTerms
	}
	return uint32(n)<<shardBits | place, nil
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
