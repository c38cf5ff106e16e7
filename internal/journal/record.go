package journal

import (
	"encoding/binary"
	"fmt"
	"io"
	"slices"

	"github.com/cespare/xxhash/v2"

	"chaff/internal/littleendian"
	"chaff/internal/sections"
)

// Record is one message that was learned or forgotten, or a summary of records.
type Record struct {
	Tag     uint32   // for the caller
	Key     uint64   // the same
	New     []uint64 // hashes of the terms that get the next ids
	Texts   []byte   // of New, see [AppendText]; empty if the model keeps no texts
	IDs     []uint32 // ascending; the ids whose rows changed
	Rows    []byte   // a row for each of IDs, all of one size
	Globals []byte   // empty if nothing changed
	Meta    []byte   // of the ledger; see package store

	covers uint64 // of a summary: the number of records before it
}

const (
	recordSize = 64         // of the fixed part
	mark       = 0x43524843 // "CHRC"
	// BlockRows is the number of rows with a checksum of their own.
	BlockRows = 32
)

// The fixed part of a record; the variable parts follow, each padded with zeros to a multiple of 8:
//
//	 0  8  xxhash64 of all bytes from 8 to the end of the checksums of the rows, mixed with the place of the record
//	 8  8  xxhash64 of the globals, the texts and the meta
//	16  4  mark
//	20  4  number of new terms
//	24  4  number of ids
//	28  4  size of a row in bytes
//	32  4  size of the globals in bytes
//	36  4  size of the texts in bytes
//	40  4  size of the meta in bytes
//	44  4  tag
//	48  8  key
//	56  8  of a summary: the number of records before it that are no summaries; else 0
//
// The variable parts are the new terms, the ids, the low half of an xxhash64 for each block of 32 rows, the globals, the texts, the meta,
// the rows.

// Place is where a record belongs. The checksum of a record depends on it, so that no bytes within a record are another one: a message
// could bring bytes that are a whole record, but its sender does not know the identity of the model.
type Place struct {
	Model  uint64 // that of the journal
	Offset int64  // of the record, from the beginning of the journal
}

// mix returns the checksum of the record at a place, whose bytes have the given one.
func (p Place) mix(sum uint64) uint64 { return sum ^ (p.Model + uint64(p.Offset)) }

// Append appends a record that belongs at a place. It panics if the rows are no whole number of bytes for each id.
func Append(dst []byte, at Place, r Record) []byte {
	rowSize := 0
	if n := len(r.IDs); n > 0 {
		rowSize = len(r.Rows) / n
	}
	if rowSize*len(r.IDs) != len(r.Rows) {
		panic(fmt.Sprintf("journal: rows of %d bytes for %d ids", len(r.Rows), len(r.IDs)))
	}
	le := binary.LittleEndian
	start := len(dst)
	dst = slices.Grow(dst, recordSize+8*len(r.New)+5*len(r.IDs)+len(r.Globals)+len(r.Texts)+len(r.Meta)+len(r.Rows)+64)
	dst = append(dst, make([]byte, 16)...) // the checksums
	for _, n := range []int{mark, len(r.New), len(r.IDs), rowSize, len(r.Globals), len(r.Texts), len(r.Meta)} {
		dst = le.AppendUint32(dst, uint32(n))
	}
	dst = le.AppendUint32(dst, r.Tag)
	dst = le.AppendUint64(dst, r.Key)
	dst = le.AppendUint64(dst, r.covers)
	dst = littleendian.Append(dst, r.New)
	dst = pad(littleendian.Append(dst, r.IDs), start)
	padded := pad(slices.Clip(r.Rows), 0)
	dst = pad(littleendian.Append(dst, sumsOf(padded, len(r.IDs), rowSize)), start)
	rest := len(dst)
	for _, part := range [][]byte{r.Globals, r.Texts, r.Meta} {
		dst = pad(append(dst, part...), start)
	}
	rows := len(dst)
	dst = append(dst, padded...)
	le.PutUint64(dst[start+8:], xxhash.Sum64(dst[rest:rows]))
	le.PutUint64(dst[start:], at.sum(dst[start:rest]))
	return dst
}

// sumsOf returns the checksums of the blocks of n rows with their padding, which belongs to the last block.
func sumsOf(rows []byte, n, size int) []uint32 {
	sums := make([]uint32, 0, (n+BlockRows-1)/BlockRows)
	for i := 0; i < n; i += BlockRows {
		end := len(rows)
		if i+BlockRows < n {
			end = (i + BlockRows) * size
		}
		sums = append(sums, uint32(xxhash.Sum64(rows[i*size:end])))
	}
	return sums
}

func pad(dst []byte, start int) []byte {
	n := len(dst) - start
	return append(dst, make([]byte, align(n)-n)...)
}

func align[T int | uint64](n T) T { return (n + 7) &^ 7 }

// layout is where the parts of a record are.
type layout struct {
	terms, ids, sums, globals, texts, meta, rows part
	end                                          uint64
}

type part struct{ start, size uint64 }

func (p part) of(data []byte) []byte { return data[p.start : p.start+p.size : p.start+p.size] }

// layoutOf returns the layout of the record at the start of data, which may be only the fixed part, and reports whether one may be there.
func layoutOf(data []byte) (l layout, ok bool) {
	le := binary.LittleEndian
	if len(data) < recordSize || le.Uint32(data[16:]) != mark {
		return layout{}, false
	}
	length := func(at int) uint64 { return uint64(le.Uint32(data[at:])) }
	n := length(24)
	l.end = recordSize
	next := func(size uint64) part {
		p := part{l.end, size}
		l.end += align(size)
		return p
	}
	l.terms, l.ids, l.sums = next(8*length(20)), next(4*n), next(4*((n+BlockRows-1)/BlockRows))
	l.globals, l.texts, l.meta = next(length(32)), next(length(36)), next(length(40))
	rows := n * length(28) // below 2^64, but what follows may not be
	if rows >= 1<<62 {
		return layout{}, false
	}
	l.rows = next(rows)
	return l, true
}

// wholeRecord reports whether data begins with a whole record that belongs at a place.
func wholeRecord(data []byte, at Place) bool {
	l, ok := layoutOf(data)
	return ok && l.end <= uint64(len(data)) && binary.LittleEndian.Uint64(data) == at.sum(data[:l.globals.start])
}

// Stored is a record of a journal. Globals, texts, meta and rows are read from the file when they are asked for.
type Stored struct {
	Tag    uint32
	Key    uint64
	Covers uint64 // of a summary: the number of records before it that are no summaries; else 0
	New    []uint64
	IDs    []uint32

	sums    []uint32 // of the blocks of rows
	restSum uint64
	rowSize int
	layout  layout
	at      int64 // from the beginning of the journal
	journal *Journal
}

// stored returns the record at an offset, given all that is before its globals; nil if these bytes are not right.
func (j *Journal) stored(head []byte, l layout, at int64) *Stored {
	le := binary.LittleEndian
	if le.Uint64(head) != (Place{j.model, at}).sum(head) {
		return nil
	}
	s := &Stored{
		Tag: le.Uint32(head[44:]), Key: le.Uint64(head[48:]), Covers: le.Uint64(head[56:]), restSum: le.Uint64(head[8:]),
		rowSize: int(le.Uint32(head[28:])), layout: l, at: at, journal: j,
	}
	var err1, err2, err3 error // none: the sizes are right
	s.New, err1 = littleendian.Decode[uint64](l.terms.of(head))
	s.IDs, err2 = littleendian.Decode[uint32](l.ids.of(head))
	s.sums, err3 = littleendian.Decode[uint32](l.sums.of(head))
	if err1 != nil || err2 != nil || err3 != nil {
		return nil
	}
	return s
}

// end returns where the record ends, from the beginning of the journal.
func (s *Stored) end() int64 { return s.at + int64(s.layout.end) }

// RowSize returns the size of a row in bytes.
func (s *Stored) RowSize() int { return s.rowSize }

// Rest returns the globals, the texts and the meta.
func (s *Stored) Rest() (globals, texts, meta []byte, err error) {
	from, to := s.layout.globals.start, s.layout.rows.start
	data, err := s.journal.read(s.journal.base+s.at+int64(from), int64(to-from))
	if err != nil {
		return nil, nil, nil, err
	}
	if xxhash.Sum64(data) != s.restSum {
		return nil, nil, nil, fmt.Errorf("%w: record of the journal", ErrDamaged)
	}
	of := func(p part) []byte { return part{p.start - from, p.size}.of(data) }
	return of(s.layout.globals), of(s.layout.texts), of(s.layout.meta), nil
}

// AppendText appends the text of a new term to those of a record.
func AppendText(dst, text []byte) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(text))), text...)
}

// NewTexts returns the texts of the new terms, or nil if the record has none.
func (s *Stored) NewTexts() ([]string, error) {
	if s.layout.texts.size == 0 {
		return nil, nil
	}
	_, data, _, err := s.Rest()
	if err != nil {
		return nil, err
	}
	var texts []string
	for len(data) > 0 {
		size, n := binary.Uvarint(data)
		if n <= 0 || size > uint64(len(data)-n) {
			return nil, fmt.Errorf("%w: texts of the journal", ErrDamaged)
		}
		texts, data = append(texts, string(data[n:n+int(size)])), data[n+int(size):]
	}
	if len(texts) != len(s.New) {
		return nil, fmt.Errorf("%w: %d texts of %d terms in the journal", ErrDamaged, len(texts), len(s.New))
	}
	return texts, nil
}

// Rows reads rows of a record in ascending order.
type Rows struct {
	record *Stored
	ahead  sections.Ahead
	block  []byte // verified
	number int    // of the block
}

// Rows returns a reader of the rows. Readers that are used one after the other may share a buffer.
func (s *Stored) Rows(buffer *[]byte) Rows {
	start := s.journal.base + s.at + int64(s.layout.rows.start)
	return Rows{record: s, ahead: sections.NewAhead(s.journal.store, start, start+int64(align(s.layout.rows.size)), buffer), number: -1}
}

// Row returns row i. It is valid until the next call.
func (r *Rows) Row(i int) ([]byte, error) {
	s := r.record
	if number := i / BlockRows; number != r.number {
		from, to := number*BlockRows*s.rowSize, (number+1)*BlockRows*s.rowSize
		if number == len(s.sums)-1 {
			to = int(align(s.layout.rows.size))
		}
		block, err := r.ahead.Read(int64(from), to-from)
		if err == io.EOF {
			err = fmt.Errorf("%w: it became shorter", ErrTruncated)
		}
		if err != nil {
			return nil, err
		}
		if uint32(xxhash.Sum64(block)) != s.sums[number] {
			return nil, fmt.Errorf("%w: rows of the journal", ErrDamaged)
		}
		r.block, r.number = block, number
	}
	return r.block[i%BlockRows*s.rowSize:][:s.rowSize], nil
}

// verify verifies what Rest and Rows verify.
func (s *Stored) verify() error {
	if _, _, _, err := s.Rest(); err != nil {
		return err
	}
	rows := s.Rows(new([]byte))
	for i := 0; i < len(s.IDs); i += BlockRows {
		if _, err := rows.Row(i); err != nil {
			return err
		}
	}
	return nil
}
