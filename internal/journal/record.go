package journal

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/cespare/xxhash/v2"

	"chaff/internal/littleendian"
	"chaff/internal/rowtable"
)

// Record is a message that was learned, forgotten or refused, a note of the files of a mailbox, or a summary of records.
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
	markAt     = 16
	// blockRows is the number of rows of a record with a checksum of their own.
	blockRows = 32
	// summarySums is the size of the checksums of the terms and ids of a summary.
	summarySums = 16
	// maxBlocks is the number of blocks of all ids that there can be.
	maxBlocks = 1 << 32 / rowtable.BlockIDs
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
//	48  8  key; of a summary: the number of blocks of its ids
//	56  8  of a summary: the number of records before it that are no summaries; else 0
//
// The variable parts are the new terms, the ids, the low half of an xxhash64 for each block of 32 rows, the globals, the texts, the meta,
// the rows.
//
// A summary has thousands of new terms and most ids of a model, and readers look for few of them. So its terms and ids follow the meta, and two
// checksums take their place: the xxhash64 of the new terms and that of the ids. The ids are the index of a [rowtable.Table], whose rows
// have no other checksum.

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
	padded, key := pad(slices.Clip(r.Rows), 0), r.Key
	var terms, index []byte // of a summary
	if r.covers > 0 {
		terms, index = littleendian.Append(nil, r.New), rowtable.IndexOf(r.IDs, r.Rows)
		key = uint64(len(index) / rowtable.EntrySize)
	}
	dst = slices.Grow(dst, recordSize+8*len(r.New)+5*len(r.IDs)+len(r.Globals)+len(r.Texts)+len(r.Meta)+len(r.Rows)+64)
	dst = append(dst, make([]byte, 16)...) // the checksums
	for _, n := range []int{mark, len(r.New), len(r.IDs), rowSize, len(r.Globals), len(r.Texts), len(r.Meta)} {
		dst = le.AppendUint32(dst, uint32(n))
	}
	dst = le.AppendUint32(dst, r.Tag)
	dst = le.AppendUint64(dst, key)
	dst = le.AppendUint64(dst, r.covers)
	if r.covers > 0 {
		dst = le.AppendUint64(le.AppendUint64(dst, xxhash.Sum64(terms)), xxhash.Sum64(index))
	} else {
		dst = littleendian.Append(dst, r.New)
		dst = pad(littleendian.Append(dst, r.IDs), start)
		dst = pad(littleendian.Append(dst, sumsOf(padded, len(r.IDs), rowSize)), start)
	}
	rest := len(dst)
	for _, part := range [][]byte{r.Globals, r.Texts, r.Meta} {
		dst = pad(append(dst, part...), start)
	}
	le.PutUint64(dst[start+8:], xxhash.Sum64(dst[rest:]))
	le.PutUint64(dst[start:], at.sum(dst[start:rest]))
	return append(append(append(dst, terms...), index...), padded...)
}

// sumsOf returns the checksums of the blocks of n rows with their padding, which belongs to the last block.
func sumsOf(rows []byte, n, size int) []uint32 {
	sums := make([]uint32, 0, (n+blockRows-1)/blockRows)
	for i := 0; i < n; i += blockRows {
		end := len(rows)
		if i+blockRows < n {
			end = (i + blockRows) * size
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
	if len(data) < recordSize || le.Uint32(data[markAt:]) != mark {
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
	covers, blocks := le.Uint64(data[56:]), le.Uint64(data[48:])
	if covers == 0 {
		l.terms, l.ids, l.sums = next(8*length(20)), next(4*n), next(4*((n+blockRows-1)/blockRows))
	} else {
		l.sums = next(summarySums)
	}
	l.globals, l.texts, l.meta = next(length(32)), next(length(36)), next(length(40))
	if covers > 0 {
		if covers > math.MaxUint32 || l.meta.size != entrySize*covers || blocks > maxBlocks || n > rowtable.BlockIDs*blocks || (n == 0) != (blocks == 0) {
			return layout{}, false
		}
		l.terms, l.ids = next(8*length(20)), next(rowtable.EntrySize*blocks)
	}
	rows := n * length(28) // below 2^64, but what follows may not be
	if rows >= 1<<62 {
		return layout{}, false
	}
	l.rows = next(rows)
	return l, true
}

// Stored is a record of a journal. A record has its new terms and its ids in memory; all else is read from the file when it is asked for.
type Stored struct {
	Tag    uint32
	Key    uint64
	Covers uint64 // of a summary: the number of records before it that are no summaries; else 0

	terms   int
	rows    int
	rowSize int
	hashes  []uint64 // of the new terms of a record
	ids     []uint32 // of a record
	sums    []uint32 // of its blocks of rows
	ofTerms uint64   // the checksum of the new terms of a summary
	ofIDs   uint64   // that of its ids
	restSum uint64
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
		terms: int(le.Uint32(head[20:])), rows: int(le.Uint32(head[24:])), rowSize: int(le.Uint32(head[28:])), layout: l, at: at, journal: j,
	}
	if s.Covers > 0 {
		s.Key, s.ofTerms, s.ofIDs = 0, le.Uint64(head[recordSize:]), le.Uint64(head[recordSize+8:])
		return s
	}
	var err1, err2, err3 error // none: the sizes are right
	s.hashes, err1 = littleendian.Decode[uint64](l.terms.of(head))
	s.ids, err2 = littleendian.Decode[uint32](l.ids.of(head))
	s.sums, err3 = littleendian.Decode[uint32](l.sums.of(head))
	if err1 != nil || err2 != nil || err3 != nil {
		return nil
	}
	return s
}

// end returns where the record ends, from the beginning of the journal.
func (s *Stored) end() int64 { return s.at + int64(s.layout.end) }

// CheckRows returns an error unless the rows have the given size.
func (s *Stored) CheckRows(size int) error {
	if s.rows > 0 && s.rowSize != size {
		return fmt.Errorf("%w: rows of another size", ErrDamaged)
	}
	return nil
}

// Rest returns the globals, the texts and the meta.
func (s *Stored) Rest() (globals, texts, meta []byte, err error) {
	from, to := s.layout.globals.start, s.layout.meta.start+align(s.layout.meta.size)
	data, err := s.journal.read(s.at+int64(from), int64(to-from))
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
	if len(texts) != s.terms {
		return nil, fmt.Errorf("%w: %d texts of %d terms in the journal", ErrDamaged, len(texts), s.terms)
	}
	return texts, nil
}
