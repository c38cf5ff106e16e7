// Package journal reads and writes the journal of a store: a record for each message that was learned or forgotten since the base of the
// store was written. docs/formats.md describes it byte by byte.
//
// A writer appends whole records and syncs the file after each one, so only the end of the file can be in doubt after a crash. Readers lock
// nothing: they use the whole records and ignore a torn one at the end.
package journal

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/cespare/xxhash/v2"

	"chaff/internal/littleendian"
	"chaff/internal/sections"
)

// Reasons why a file cannot be used as a store.
var (
	// ErrNotStore is returned for a file of another kind.
	ErrNotStore = errors.New("not a chaff store")
	// ErrTruncated is returned for a store whose end is missing.
	ErrTruncated = errors.New("store is truncated")
	// ErrDamaged is returned for a store whose bytes have changed since they were written.
	ErrDamaged = errors.New("store is damaged")
	// ErrVersion is returned for a store of another version of the program.
	ErrVersion = errors.New("store is of another version")
)

// BaseFormat returns the format of the base of a store, which the journal follows. Its versions:
//
//	1  first version
func BaseFormat() sections.Format {
	return sections.Format{
		Magic: "\x89CHSTO\r\n", Version: 1,
		ErrForeign: ErrNotStore, ErrTruncated: ErrTruncated, ErrDamaged: ErrDamaged, ErrVersion: ErrVersion,
	}
}

const (
	magic = "CHJOUR1\n" // 1: the first version
	// BeginSize is the size in bytes of what [Begin] appends.
	BeginSize  = len(magic) + 8
	recordSize = 48         // of the fixed part
	mark       = 0x43524843 // "CHRC"
)

// Header says where a journal starts and which model it belongs to.
type Header struct {
	Base  int64  // the size of the base, where the journal starts
	Model uint64 // the identity of the model
}

// Locate returns the header of the journal in a store, which may be the whole file or its beginning. It does not verify the base.
func Locate(store []byte) (Header, error) {
	size, err := BaseFormat().Size(store)
	if err != nil {
		return Header{}, err
	}
	if size > uint64(len(store)) {
		return Header{}, fmt.Errorf("%w: %d bytes, the journal starts at %d", ErrTruncated, len(store), size)
	}
	model, err := Model(store[size:])
	return Header{Base: int64(size), Model: model}, err
}

// Model returns the identity of the model that a journal belongs to, from its beginning.
func Model(data []byte) (uint64, error) {
	switch {
	case len(data) < BeginSize:
		return 0, fmt.Errorf("%w: a journal of %d bytes", ErrTruncated, len(data))
	case string(data[:len(magic)]) != magic:
		return 0, fmt.Errorf("%w: no journal behind the base", ErrDamaged)
	}
	return binary.LittleEndian.Uint64(data[len(magic):]), nil
}

// Begin appends the beginning of the journal for a model.
func Begin(dst []byte, model uint64) []byte {
	return binary.LittleEndian.AppendUint64(append(dst, magic...), model)
}

// Record is one message that was learned or forgotten.
type Record struct {
	Meta    []byte   // of the ledger; see package store
	New     []uint64 // hashes of the terms that get the next ids
	Texts   []byte   // of New, see [AppendText]; empty if the model keeps no texts
	IDs     []uint32 // ascending; the ids whose rows changed
	Rows    []byte   // a row for each of IDs, all of one size
	Globals []byte   // empty if nothing changed

	data []byte // the whole record, if it was read
}

// BlockRows is the number of rows with a checksum of their own.
const BlockRows = 32

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
//	44  4  zero
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
	dst = append(dst, make([]byte, 16)...) // the checksums
	for _, n := range []int{mark, len(r.New), len(r.IDs), rowSize, len(r.Globals), len(r.Texts), len(r.Meta), 0} {
		dst = le.AppendUint32(dst, uint32(n))
	}
	dst = littleendian.Append(dst, r.New)
	dst = pad(littleendian.Append(dst, r.IDs), start)
	padded := pad(slices.Clone(r.Rows), 0)
	dst = pad(littleendian.Append(dst, sumsOf(padded, len(r.IDs), rowSize)), start)
	rest := len(dst)
	for _, part := range [][]byte{r.Globals, r.Texts, r.Meta} {
		dst = pad(append(dst, part...), start)
	}
	rows := len(dst)
	dst = append(dst, padded...)
	le.PutUint64(dst[start+8:], xxhash.Sum64(dst[rest:rows]))
	le.PutUint64(dst[start:], at.mix(xxhash.Sum64(dst[start+8:rest])))
	return dst
}

// sumsOf returns the checksums of the blocks of n rows with their padding, which belongs to the last block.
func sumsOf(rows []byte, n, size int) []uint32 {
	sums := make([]uint32, 0, (n+BlockRows-1)/BlockRows)
	for i := 0; i < n; i += BlockRows {
		sums = append(sums, sumOf(rows, i, n, size))
	}
	return sums
}

// sumOf returns the checksum of the block that begins with row i.
func sumOf(rows []byte, i, n, size int) uint32 {
	end := len(rows)
	if i+BlockRows < n {
		end = (i + BlockRows) * size
	}
	return uint32(xxhash.Sum64(rows[i*size : end]))
}

func pad(dst []byte, start int) []byte {
	n := len(dst) - start
	return append(dst, make([]byte, align(n)-n)...)
}

func align[T int | uint64](n T) T { return (n + 7) &^ 7 }

// Records are the records of a journal, from the oldest to the newest.
type Records struct {
	data   []byte
	starts []int
	added  []Record // behind those in data
}

// Len returns the number of records.
func (all Records) Len() int { return len(all.starts) + len(all.added) }

// Add adds a record that was appended to the journal.
func (all *Records) Add(r Record) { all.added = append(all.added, r) }

// At returns record i, which shares the memory of the journal.
func (all Records) At(i int) Record {
	if i >= len(all.starts) {
		return all.added[i-len(all.starts)]
	}
	r, _ := decode(all.data[all.starts[i]:])
	return r
}

// Scan finds the records of a journal, which starts with data, and how many bytes they take, the beginning included. A torn record at the
// end is no error, because a crash can leave one; damage before it is. Scan verifies all that is needed to find a term, and all of
// the last record; [Record.VerifyRows] and [Record.VerifyRest] verify the others.
func Scan(data []byte) (all Records, complete int, err error) {
	model, err := Model(data)
	if err != nil {
		return Records{}, 0, err
	}
	all.data = data
	at := BeginSize
	for {
		size := wholeRecord(data, at, model)
		if size == 0 {
			break
		}
		all.starts = append(all.starts, at)
		at += size
	}
	if n := len(all.starts); n > 0 && at == len(data) { // only the last record that was written may be torn
		if last := all.At(n - 1); last.VerifyRows() != nil || last.VerifyRest() != nil {
			at, all.starts = all.starts[n-1], all.starts[:n-1]
		}
	}
	for later := at + 8; later < len(data); later += 8 {
		if wholeRecord(data, later, model) > 0 {
			return Records{}, 0, fmt.Errorf("%w: record %d of the journal", ErrDamaged, all.Len()+1)
		}
	}
	return all, at, nil
}

// layout is where the parts of a record are.
type layout struct {
	terms, ids, sums, globals, texts, meta, rows part
	end                                          uint64
}

type part struct{ start, size uint64 }

func (p part) of(data []byte) []byte { return data[p.start : p.start+p.size : p.start+p.size] }

// layoutOf returns the layout of the record at the start of data, and reports whether one may be there.
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
	if l.end > uint64(len(data)) || rows > uint64(len(data)) {
		return layout{}, false
	}
	l.rows = next(rows)
	return l, l.end <= uint64(len(data))
}

// wholeRecord returns the size of the record at an offset of a journal, 0 if no whole record starts there.
func wholeRecord(journal []byte, at int, model uint64) (size int) {
	data := journal[at:]
	l, ok := layoutOf(data)
	if !ok || binary.LittleEndian.Uint64(data) != (Place{model, int64(at)}).mix(xxhash.Sum64(data[8:l.globals.start])) {
		return 0
	}
	return int(l.end)
}

// decode returns the record at the start of data.
func decode(data []byte) (Record, bool) {
	l, ok := layoutOf(data)
	if !ok {
		return Record{}, false
	}
	r := Record{
		Globals: l.globals.of(data), Texts: l.texts.of(data), Meta: l.meta.of(data), Rows: l.rows.of(data), data: data[:l.end],
	}
	var err1, err2 error // none: the sizes are right
	r.New, err1 = littleendian.Decode[uint64](l.terms.of(data))
	r.IDs, err2 = littleendian.Decode[uint32](l.ids.of(data))
	return r, err1 == nil && err2 == nil
}

// AppendText appends the text of a new term to those of a record.
func AppendText(dst, text []byte) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(text))), text...)
}

// NewTexts returns the texts of the new terms of a record of a journal, or nil if it has none. It verifies them.
func (r *Record) NewTexts() ([]string, error) {
	if len(r.Texts) == 0 {
		return nil, nil
	}
	if err := r.VerifyRest(); err != nil {
		return nil, err
	}
	var texts []string
	for data := r.Texts; len(data) > 0; {
		size, n := binary.Uvarint(data)
		if n <= 0 || size > uint64(len(data)-n) {
			return nil, fmt.Errorf("%w: texts of the journal", ErrDamaged)
		}
		texts, data = append(texts, string(data[n:n+int(size)])), data[n+int(size):]
	}
	if len(texts) != len(r.New) {
		return nil, fmt.Errorf("%w: %d texts of %d terms in the journal", ErrDamaged, len(texts), len(r.New))
	}
	return texts, nil
}

// VerifyRows verifies the rows of a record of a journal.
func (r *Record) VerifyRows() error {
	for i := 0; i < len(r.IDs); i += BlockRows {
		if err := r.VerifyBlock(i); err != nil {
			return err
		}
	}
	return nil
}

// VerifyBlock verifies row i of a record of a journal. It also verifies the other rows of a block, which begins at a multiple of
// [BlockRows].
func (r *Record) VerifyBlock(i int) error {
	if r.data == nil { // made by the caller
		return nil
	}
	l, ok := layoutOf(r.data)
	block := i / BlockRows
	if !ok || sumOf(r.data[l.rows.start:l.end], block*BlockRows, len(r.IDs), len(r.Rows)/len(r.IDs)) != binary.LittleEndian.Uint32(l.sums.of(r.data)[4*block:]) {
		return fmt.Errorf("%w: rows of the journal", ErrDamaged)
	}
	return nil
}

// VerifyRest verifies the globals, the texts and the meta of a record of a journal.
func (r *Record) VerifyRest() error {
	if r.data == nil { // made by the caller
		return nil
	}
	if l, ok := layoutOf(r.data); !ok || xxhash.Sum64(r.data[l.globals.start:l.rows.start]) != binary.LittleEndian.Uint64(r.data[8:]) {
		return fmt.Errorf("%w: record of the journal", ErrDamaged)
	}
	return nil
}
