package logfile

import (
	"encoding/binary"
	"fmt"
	"io"
	"slices"

	"github.com/cespare/xxhash/v2"

	"chaff/internal/sections"
)

// Rows are what some records changed in their model.
type Rows struct {
	// New are the hashes of terms that the model and the records before lack. They get the ids from First on.
	New   []uint64
	First uint32
	// IDs are the ids whose rows changed, in ascending order, and Rows their rows, all of one size.
	IDs  []uint32
	Rows []byte
	// Globals are the globals of the learner after the last record.
	Globals []byte
	// At is the offset of the last of the records, which has the rows; see [Log.Lists].
	At int64

	unread *unread // where the rows are, if they were not read
}

// unread is what is behind the globals in the rows of a record in a file. New memory for all rows would take longer than reading them.
type unread struct {
	file     io.ReaderAt
	from, to int64         // the rows and the padding
	size     int           // of a row
	before   xxhash.Digest // of all before
	sum      uint64        // of all
	damaged  error
}

// rowsHeader is the size of what precedes the rows: u32 first, and the numbers of new terms, of ids, and of the bytes of a row, of the globals and of
// what is skipped, texts of earlier programs; the new terms, the ids, the globals, what is skipped and the rows follow.
const rowsHeader = 24

// Append appends rows as a record has them. A record that changed nothing has none.
func (r Rows) Append(dst []byte) []byte {
	if len(r.IDs) == 0 && len(r.Globals) == 0 {
		return dst
	}
	for _, n := range []int{int(r.First), len(r.New), len(r.IDs), r.Size(), len(r.Globals), 0} {
		dst = binary.LittleEndian.AppendUint32(dst, uint32(n))
	}
	for _, part := range [][]byte{sections.Bytes(r.New), sections.Bytes(r.IDs), r.Globals, r.Rows} {
		dst = append(dst, part...)
	}
	return dst
}

// Rows returns the rows of a record, which [Rows.Find] or [Rows.Load] read and verify.
func (l *Log) Rows(of Record) (r Rows, err error) {
	if r.At = of.At; of.rows.size == 0 {
		return r, nil
	}
	damaged := fmt.Errorf("%w: rows at byte %d", ErrDamaged, of.rows.at)
	var head [rowsHeader]byte
	if err := readInto(l.file, head[:], of.rows.at); err != nil {
		return r, err
	}
	var n [rowsHeader / 4]int64
	for i := range n {
		n[i] = int64(binary.LittleEndian.Uint32(head[4*i:]))
	}
	before := rowsHeader + 8*n[1] + 4*n[2] + n[4] + n[5]
	rows := of.rows.size - before
	if rows < 0 || rows != n[2]*n[3] {
		return r, damaged
	}
	data := make([]byte, before-rowsHeader)
	if err := readInto(l.file, data, of.rows.at+rowsHeader); err != nil {
		return r, err
	}
	u := unread{file: l.file, from: of.rows.at + before, to: of.rows.end, size: int(n[3]), sum: of.rows.sum, damaged: damaged}
	u.before.Reset()
	u.before.Write(head[:])
	u.before.Write(data)
	ids := data[8*n[1]:]
	r.First, r.New, r.IDs, r.Globals = uint32(n[0]), sections.Decode[uint64](data[:8*n[1]]), sections.Decode[uint32](ids[:4*n[2]]), ids[4*n[2]:][:n[4]]
	r.unread = &u
	return r, nil
}

// Load returns r with its rows.
func (r Rows) Load() (Rows, error) {
	u := r.unread
	if u == nil {
		return r, nil
	}
	data := make([]byte, u.to-u.from)
	err := u.read(data, func([]byte) {})
	r.Rows, r.unread = data[:len(r.IDs)*u.size], nil
	return r, err
}

// Find calls take with the index and the row of each of some ascending ids that has one. A row is valid until take returns; what it was called with counts for
// nothing after an error. buffer is memory to work with.
func (r Rows) Find(buffer []byte, wanted []uint32, take func(i int, row []byte)) error {
	size, i, k, first := max(r.Size(), 1), 0, 0, 0 // the next one wanted, an id that is not below it, and the first id of a piece
	find := func(piece []byte) {
		behind := min(first+len(piece)/size, len(r.IDs))
		for ; i < len(wanted); i++ {
			for k < behind && r.IDs[k] < wanted[i] {
				k++
			}
			if k == behind {
				break
			}
			if r.IDs[k] == wanted[i] {
				take(i, piece[(k-first)*size:][:size])
			}
		}
		first = behind
	}
	if r.unread != nil {
		if len(buffer) < size {
			buffer = make([]byte, size)
		}
		return r.unread.read(buffer[:len(buffer)/size*size], find)
	}
	find(r.Rows)
	return nil
}

// read reads the rows and the padding piece by piece into the memory of buffer, and calls do with each. It verifies them when it has read all.
func (u *unread) read(buffer []byte, do func(piece []byte)) error {
	digest := u.before
	for from := u.from; from < u.to; from += int64(len(buffer)) {
		buffer = buffer[:min(int64(len(buffer)), u.to-from)]
		if err := readInto(u.file, buffer, from); err != nil {
			return err
		}
		digest.Write(buffer)
		do(buffer)
	}
	if digest.Sum64() != u.sum {
		return u.damaged
	}
	return nil
}

// Size returns the size of a row.
func (r Rows) Size() int {
	switch {
	case r.unread != nil:
		return r.unread.size
	case len(r.IDs) == 0:
		return 0
	}
	return len(r.Rows) / len(r.IDs)
}

// After returns what the records of older and then those of r changed.
func (r Rows) After(older Rows) Rows {
	m := Rows{New: slices.Concat(older.New, r.New), First: r.First, Globals: r.Globals}
	if len(older.New) > 0 {
		m.First = older.First
	}
	if len(r.Globals) == 0 {
		m.Globals = older.Globals
	}
	for i, k := 0, 0; i < len(older.IDs) || k < len(r.IDs); {
		if k == len(r.IDs) || i < len(older.IDs) && older.IDs[i] < r.IDs[k] {
			m.IDs, m.Rows = append(m.IDs, older.IDs[i]), append(m.Rows, older.row(i)...)
			i++
			continue
		}
		if i < len(older.IDs) && older.IDs[i] == r.IDs[k] {
			i++
		}
		m.IDs, m.Rows = append(m.IDs, r.IDs[k]), append(m.Rows, r.row(k)...)
		k++
	}
	return m
}

// row returns row i.
func (r Rows) row(i int) []byte { return r.Rows[i*r.Size():][:r.Size()] }
