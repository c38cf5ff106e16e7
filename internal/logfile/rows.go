package logfile

import (
	"encoding/binary"
	"fmt"
	"slices"

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
}

// rowsHeader is the size of what precedes the rows: u32 first, and the numbers of new terms, of ids, and of the bytes of a row, of the globals and of
// what is skipped, texts of earlier programs; the new terms, the ids, the globals, what is skipped and the rows follow.
const rowsHeader = 24

// Append appends rows as a record has them. A record that changed nothing has none.
func (r Rows) Append(dst []byte) []byte {
	if len(r.IDs) == 0 && len(r.Globals) == 0 {
		return dst
	}
	dst = slices.Grow(dst, rowsHeader+8*len(r.New)+4*len(r.IDs)+len(r.Globals)+len(r.Rows))
	for _, n := range []int{int(r.First), len(r.New), len(r.IDs), r.Size(), len(r.Globals), 0} {
		dst = binary.LittleEndian.AppendUint32(dst, uint32(n))
	}
	for _, part := range [][]byte{sections.Bytes(r.New), sections.Bytes(r.IDs), r.Globals, r.Rows} {
		dst = append(dst, part...)
	}
	return dst
}

// Rows returns the rows of a record, verified.
func (l *Log) Rows(of Record) (r Rows, err error) {
	if r.At = of.At; of.rows.size == 0 {
		return r, nil
	}
	damaged := fmt.Errorf("%w: rows at byte %d", ErrDamaged, of.rows.at)
	data, err := l.read(of.rows)
	if err == nil && len(data) < rowsHeader {
		err = damaged
	}
	if err != nil {
		return r, err
	}
	var n [rowsHeader / 4]int64
	for i := range n {
		n[i] = int64(binary.LittleEndian.Uint32(data[4*i:]))
	}
	rows := of.rows.size - rowsHeader - 8*n[1] - 4*n[2] - n[4] - n[5]
	if rows < 0 || n[1] > n[2] || n[2] == 0 && rows > 0 || n[2] > 0 && (rows == 0 || rows/n[2] != n[3] || rows%n[2] > 0) {
		return r, damaged
	}
	data = data[rowsHeader:]
	take := func(n int64) []byte {
		taken := data[:n:n]
		data = data[n:]
		return taken
	}
	r.First, r.New, r.IDs, r.Globals = uint32(n[0]), sections.Decode[uint64](take(8*n[1])), sections.Decode[uint32](take(4*n[2])), take(n[4])
	take(n[5])
	r.Rows = take(rows)
	for i := 1; i < len(r.IDs); i++ {
		if r.IDs[i] <= r.IDs[i-1] {
			return r, damaged
		}
	}
	return r, nil
}

// Find calls take with the index and the row of each of some ascending ids that has one.
func (r Rows) Find(wanted []uint32, take func(i int, row []byte)) {
	k := 0
	for i, id := range wanted {
		for k < len(r.IDs) && r.IDs[k] < id {
			k++
		}
		if k < len(r.IDs) && r.IDs[k] == id {
			take(i, r.row(k))
		}
	}
}

// Size returns the size of a row.
func (r Rows) Size() int {
	if len(r.IDs) == 0 {
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
	m.IDs, m.Rows = make([]uint32, 0, len(older.IDs)+len(r.IDs)), make([]byte, 0, len(older.Rows)+len(r.Rows))
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
