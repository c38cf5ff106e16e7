// Package journal reads and writes the journal of a store: a record for each change since the base of the store was written.
// docs/formats.md describes it byte by byte.
package journal

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/cespare/xxhash/v2"

	"chaff/internal/rowtable"
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
//	2  terms are in the order of their first occurrence
//	3  fingerprints are made under the key of the model
//	4  documents have the numbers of their terms in ascending order, and the texts of terms are always there
func BaseFormat() sections.Format {
	return sections.Format{
		Magic: "\x89CHSTO\r\n", Version: 4,
		ErrForeign: ErrNotStore, ErrTruncated: ErrTruncated, ErrDamaged: ErrDamaged, ErrVersion: ErrVersion,
	}
}

const (
	magic = "CHJOUR1\n" // 1: the first version
	// BeginSize is the size in bytes of what [Begin] appends.
	BeginSize = len(magic) + 16
	hintAt    = len(magic) + 8 // the offset of the newest summary, 0 for none
)

// Begin appends the beginning of the journal for a model, which has no records.
func Begin(dst []byte, model uint64) []byte {
	dst = binary.LittleEndian.AppendUint64(append(dst, magic...), model)
	return binary.LittleEndian.AppendUint64(dst, 0)
}

// Journal is the records of a store.
type Journal struct {
	model   uint64
	store   io.ReaderAt
	base    *sections.Reader // at whose end the journal begins
	end     int64            // of the last whole record, counted from there
	records []*Stored
	scratch []byte // of recordAt
}

// Open reads the records of a store, which has so many bytes. Unless the whole journal is wanted, it begins with the newest summary. A torn
// record at the end is no error, because a crash can leave one; damage before it is. Open verifies what records have in memory, and all of the
// last record; the methods of [Stored] verify what they read.
func Open(store io.ReaderAt, size int64, whole bool) (*Journal, error) {
	base, err := BaseFormat().Open(store)
	if err != nil {
		return nil, err
	}
	j := &Journal{store: store, base: base}
	if size-base.Size() < int64(BeginSize) {
		return nil, fmt.Errorf("%w: %d bytes, the journal starts at %d", ErrTruncated, size, base.Size())
	}
	head, err := j.read(0, int64(BeginSize))
	if err != nil {
		return nil, err
	}
	if string(head[:len(magic)]) != magic {
		return nil, fmt.Errorf("%w: no journal behind the base", ErrDamaged)
	}
	j.model = binary.LittleEndian.Uint64(head[len(magic):])
	hint := binary.LittleEndian.Uint64(head[hintAt:])
	size -= base.Size()
	if !whole && hint > 0 && hint < uint64(size) {
		summary, err := j.recordAt(int64(hint), size)
		if err == nil && summary != nil && summary.Covers > 0 {
			err = j.scan(int64(hint), size, whole, summary)
		}
		if err != nil {
			return nil, err
		}
	}
	if len(j.records) == 0 {
		if err := j.scan(int64(BeginSize), size, whole, nil); err != nil {
			return nil, err
		}
	}
	return j, nil
}

// scan reads the records from an offset on, of a journal of so many bytes. The first one may have been read already.
func (j *Journal) scan(at, size int64, whole bool, r *Stored) (err error) {
	for j.end = at; ; r = nil {
		if r == nil {
			if r, err = j.recordAt(j.end, size); err != nil {
				return err
			}
		}
		if r != nil && r.end() == size { // only the last record that was written may be torn
			if err := r.verify(); errors.Is(err, ErrDamaged) {
				r = nil
			} else if err != nil {
				return err
			}
		}
		if r == nil {
			break
		}
		j.end = r.end()
		j.take(r, whole)
	}
	if j.end == size {
		return nil
	}
	return j.checkTail(size)
}

// checkTail returns an error if there is a whole record somewhere behind the last one that was read, of a journal of so many bytes.
func (j *Journal) checkTail(size int64) error {
	buffer := make([]byte, 64<<10)
	for at := j.end + 8 + markAt; at < size; at += int64(len(buffer)) {
		some := buffer[:min(int64(len(buffer)), size-at)]
		if err := j.readInto(some, at); err != nil {
			return err
		}
		for i := 0; i+4 <= len(some); i += 8 {
			if binary.LittleEndian.Uint32(some[i:]) != mark {
				continue
			}
			if r, err := j.recordAt(at+int64(i)-markAt, size); err != nil {
				return err
			} else if r != nil {
				return fmt.Errorf("%w: the journal at %d", ErrDamaged, j.end)
			}
		}
	}
	return nil
}

// take adds a record. A summary takes the place of the records before it, unless all are wanted.
func (j *Journal) take(r *Stored, whole bool) {
	switch {
	case r.Covers == 0:
		j.records = append(j.records, r)
	case !whole:
		j.records = append(j.records[:0], r)
	}
}

// readAhead is how many bytes recordAt reads at once. A record with more in front of its globals takes a second read.
const readAhead = 8 << 10

// recordAt returns the record at an offset of a journal of so many bytes, nil if no whole record is there.
func (j *Journal) recordAt(at, size int64) (*Stored, error) {
	if at < 0 || at > size-recordSize {
		return nil, nil
	}
	j.scratch = slices.Grow(j.scratch[:0], readAhead)
	first := j.scratch[:min(readAhead, size-at)]
	if err := j.readInto(first, at); err != nil {
		return nil, err
	}
	l, ok := layoutOf(first)
	if !ok || l.end > uint64(size-at) {
		return nil, nil
	}
	head := make([]byte, l.globals.start)
	if n := copy(head, first); n < len(head) {
		if err := j.readInto(head[n:], at+int64(n)); err != nil {
			return nil, err
		}
	}
	return j.stored(head, l, at), nil
}

// read returns a part of the journal.
func (j *Journal) read(at, size int64) ([]byte, error) {
	data := make([]byte, size)
	return data, j.readInto(data, at)
}

// readInto reads a part of the journal.
func (j *Journal) readInto(dst []byte, at int64) error {
	if len(dst) == 0 {
		return nil
	}
	_, err := j.store.ReadAt(dst, j.base.Size()+at)
	return explained(err)
}

// explained returns an error of reading as one of this package.
func explained(err error) error {
	switch {
	case err == io.EOF:
		return fmt.Errorf("%w: it became shorter", ErrTruncated)
	case errors.Is(err, rowtable.ErrDamaged):
		return fmt.Errorf("%w: record of the journal", ErrDamaged)
	}
	return err
}

// Model returns the identity of the model that the journal belongs to.
func (j *Journal) Model() uint64 { return j.model }

// Base returns the base of the store.
func (j *Journal) Base() *sections.Reader { return j.base }

// Size returns the size in bytes of the journal, up to the end of its last whole record.
func (j *Journal) Size() int64 { return j.end }

// Next returns the place of the next record.
func (j *Journal) Next() Place { return Place{j.model, j.end} }

// Len returns the number of records, without summaries.
func (j *Journal) Len() int {
	n := len(j.records)
	if n > 0 && j.records[0].Covers > 0 {
		n += int(j.records[0].Covers) - 1
	}
	return n
}

// Records returns the records from the oldest to the newest. The first one may be a summary of older ones.
func (j *Journal) Records() []*Stored { return j.records }

// Add adds a record that was written behind the last one, as [Append] returned it. It panics if data is no record.
func (j *Journal) Add(data []byte) {
	l, ok := layoutOf(data)
	if !ok || l.end != uint64(len(data)) {
		panic("journal: no record")
	}
	r := j.stored(bytes.Clone(data[:l.globals.start]), l, j.end) // the rows take more memory
	j.end += int64(len(data))
	j.take(r, false)
}

// Globals returns the globals after the last record, nil if no record has any.
func (j *Journal) Globals() ([]byte, error) {
	for i := len(j.records) - 1; i >= 0; i-- {
		if r := j.records[i]; r.layout.globals.size > 0 {
			globals, _, _, err := r.Rest()
			return globals, err
		}
	}
	return nil, nil
}

// Entry says what a record is about.
type Entry struct {
	Key    uint64
	Tag    uint32
	offset int64 // of the record
}

// entrySize is the size of an entry in the meta of a summary: u64 key, u64 offset, u32 tag, u32 zero.
const entrySize = 24

// Entries returns the entries of all records, from the oldest to the newest.
func (j *Journal) Entries() ([]Entry, error) {
	var all []Entry
	le := binary.LittleEndian
	for _, r := range j.records {
		if r.Covers == 0 {
			all = append(all, Entry{r.Key, r.Tag, r.at})
			continue
		}
		_, _, meta, err := r.Rest()
		if err != nil {
			return nil, err
		}
		for ; len(meta) >= entrySize; meta = meta[entrySize:] {
			all = append(all, Entry{le.Uint64(meta), le.Uint32(meta[16:]), int64(le.Uint64(meta[8:]))})
		}
	}
	return all, nil
}

// Record returns the record of an entry.
func (j *Journal) Record(e Entry) (*Stored, error) {
	r, err := j.recordAt(e.offset, j.end)
	if err == nil && r == nil {
		err = fmt.Errorf("%w: no record at %d", ErrDamaged, e.offset)
	}
	return r, err
}

// sum returns the checksum of the record at a place, from its head.
func (p Place) sum(head []byte) uint64 { return p.mix(xxhash.Sum64(head[8:])) }
