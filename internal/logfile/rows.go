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

	unread *unread // where the rest is, if only New, First and the size of Globals were read
}

// unread is what is behind New in the rows of a record in a file: the ids, the globals, texts of earlier programs, the rows, and the padding.
type unread struct {
	file             io.ReaderAt
	from, to         int64
	ids, texts, size int           // how many ids there are, the size of the texts, and that of a row
	before           xxhash.Digest // of all before
	sum              uint64        // of all
	damaged          error
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

// Rows returns the rows of a record, of which [Rows.Find] or [Rows.Load] read and verify what is behind New.
func (l *Log) Rows(of Record) (r Rows, err error) {
	if r.At = of.At; of.rows.size == 0 {
		return r, nil
	}
	damaged := fmt.Errorf("%w: rows at byte %d", ErrDamaged, of.rows.at)
	if of.rows.size < rowsHeader {
		return r, damaged
	}
	var head [rowsHeader]byte
	if err := readInto(l.file, head[:], of.rows.at); err != nil {
		return r, err
	}
	var n [rowsHeader / 4]int64
	for i := range n {
		n[i] = int64(binary.LittleEndian.Uint32(head[4*i:]))
	}
	rows := of.rows.size - rowsHeader - 8*n[1] - 4*n[2] - n[4] - n[5]
	if rows < 0 || n[1] > n[2] || n[2] == 0 && rows > 0 || n[2] > 0 && (rows == 0 || rows/n[2] != n[3] || rows%n[2] > 0) {
		return r, damaged
	}
	data := make([]byte, 8*n[1])
	if err := readInto(l.file, data, of.rows.at+rowsHeader); err != nil {
		return r, err
	}
	r.New = sections.Decode[uint64](data)
	r.First, r.Globals = uint32(n[0]), make([]byte, n[4])
	u := unread{
		file: l.file, from: of.rows.at + rowsHeader + 8*n[1], to: of.rows.end, ids: int(n[2]), texts: int(n[5]), size: int(n[3]), sum: of.rows.sum,
		damaged: damaged,
	}
	u.before.Reset()
	u.before.Write(head[:])
	u.before.Write(data)
	r.unread = &u
	return r, nil
}

// Load returns r with all that it has.
func (r Rows) Load() (Rows, error) {
	u := r.unread
	if u == nil {
		return r, nil
	}
	data, digest := make([]byte, u.to-u.from), u.before
	if err := readInto(u.file, data, u.from); err != nil {
		return r, err
	}
	f := finder{highest: -1}
	f.ids(data[:4*u.ids])
	if digest.Write(data); digest.Sum64() != u.sum || f.disorder {
		return r, u.damaged
	}
	r.IDs = sections.Decode[uint32](data[:4*u.ids])
	data = data[4*u.ids:]
	data = data[copy(r.Globals, data):]
	r.Rows, r.unread = data[u.texts:][:u.ids*u.size], nil
	return r, nil
}

// Find calls take with the index and the row of each of some ascending ids that has one. It returns the highest id of r, -1 for none, and sets Globals. A row is
// valid until take returns; what it was called with counts for nothing after an error. buffer is memory to work with.
func (r Rows) Find(buffer []byte, wanted []uint32, take func(i int, row []byte)) (highest int, err error) {
	f := finder{wanted: wanted, size: max(r.Size(), 1), highest: -1, take: take}
	u := r.unread
	if u == nil {
		f.ids(sections.Bytes(r.IDs))
		f.rows(r.Rows)
		return f.highest, nil
	}
	if len(buffer) < f.size {
		buffer = make([]byte, f.size)
	}
	f.found = make([][2]uint32, 0, min(len(wanted), u.ids))
	digest, from, globals := u.before, u.from, r.Globals
	read := func(n int64, of int, do func(piece []byte)) {
		if err == nil {
			err = sections.Pieces(u.file, from, from+n, buffer[:len(buffer)-len(buffer)%of], ErrTruncated, func(piece []byte) {
				digest.Write(piece)
				do(piece)
			})
		}
		from += n
	}
	read(4*int64(u.ids), 4, f.ids)
	read(int64(len(globals)), 1, func(piece []byte) { globals = globals[copy(globals, piece):] })
	read(int64(u.texts), 1, func([]byte) {})
	read(u.to-from, f.size, f.rows)
	if err == nil && (digest.Sum64() != u.sum || f.disorder) {
		err = u.damaged
	}
	return f.highest, err
}

// finder finds the rows of ids in the pieces of a record.
type finder struct {
	wanted   []uint32
	size     int // of a row
	take     func(i int, row []byte)
	found    [][2]uint32 // the indexes of an id in wanted and in the record
	highest  int         // id so far
	disorder bool        // the ids do not ascend

	wantedBefore, idsBefore, rowsBefore int // how many were in earlier pieces
}

// ids looks for ids that are wanted in the next ids of the record.
func (f *finder) ids(piece []byte) {
	ids := sections.Decode[uint32](piece)
	last := f.highest // as a variable, since this loop takes much of the time
	for _, id := range ids {
		if int(id) <= last {
			f.disorder = true
		}
		last = int(id)
	}
	f.highest = last
	i, k := f.wantedBefore, 0
	for ; i < len(f.wanted) && int(f.wanted[i]) <= last; i++ {
		wanted := f.wanted[i]
		for ids[k] < wanted {
			k++
		}
		if ids[k] == wanted {
			f.found = append(f.found, [2]uint32{uint32(i), uint32(f.idsBefore + k)})
		}
	}
	f.wantedBefore, f.idsBefore = i, f.idsBefore+len(ids)
}

// rows takes the rows that were found among the next rows of the record.
func (f *finder) rows(piece []byte) {
	first, behind := f.rowsBefore, f.rowsBefore+len(piece)/f.size
	for ; len(f.found) > 0 && int(f.found[0][1]) < behind; f.found = f.found[1:] {
		f.take(int(f.found[0][0]), piece[(int(f.found[0][1])-first)*f.size:][:f.size])
	}
	f.rowsBefore = behind
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
