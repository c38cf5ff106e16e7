package logfile

import (
	"encoding/binary"
	"fmt"
	"slices"

	"chaff/internal/littleendian"
)

// Rows are what some records changed in their model.
type Rows struct {
	// New are the hashes of terms that the model and the records before lack. They get the ids from First on.
	New   []uint64
	First uint32
	// IDs are the ids whose rows changed, in ascending order, and Rows their rows, all of one size.
	IDs  []uint32
	Rows []byte
	// Globals are the globals of the learner after the last record, and Texts those of New, one behind the other with the size of each as a varint before it;
	// empty if the model keeps no texts.
	Globals, Texts []byte
	// At is the offset of the last of the records, which has the rows; see [Log.Lists].
	At int64
}

// rowsHeader is the size of what precedes the rows: u32 first, and the numbers of new terms, of ids, and of the bytes of a row, of the globals and of
// the texts; the new terms, the ids, the globals, the texts and the rows follow.
const rowsHeader = 24

// Append appends rows as a record has them. A record that changed nothing has none.
func (r Rows) Append(dst []byte) []byte {
	if len(r.IDs) == 0 && len(r.Globals) == 0 {
		return dst
	}
	size := 0
	if len(r.IDs) > 0 {
		size = len(r.Rows) / len(r.IDs)
	}
	dst = slices.Grow(dst, rowsHeader+8*len(r.New)+4*len(r.IDs)+len(r.Globals)+len(r.Texts)+len(r.Rows))
	for _, n := range []int{int(r.First), len(r.New), len(r.IDs), size, len(r.Globals), len(r.Texts)} {
		dst = binary.LittleEndian.AppendUint32(dst, uint32(n))
	}
	return slices.Concat(dst, littleendian.Bytes(r.New), littleendian.Bytes(r.IDs), r.Globals, r.Texts, r.Rows)
}

// Rows returns the rows of a record, verified. Ids ascend, and there is a row for each.
func (l *Log) Rows(of Record) (r Rows, err error) {
	if of.rows.size == 0 {
		return r, nil
	}
	data, err := l.read(of.rows)
	if err != nil {
		return r, err
	}
	damaged := fmt.Errorf("%w: rows at byte %d", ErrDamaged, of.rows.at)
	if len(data) < rowsHeader {
		return r, damaged
	}
	var n [rowsHeader / 4]uint64
	for i := range n {
		n[i] = uint64(binary.LittleEndian.Uint32(data[4*i:]))
	}
	data = data[rowsHeader:]
	if 8*n[1]+4*n[2]+n[4]+n[5]+n[2]*n[3] != uint64(len(data)) || n[2] > 0 && n[3] == 0 {
		return r, damaged
	}
	next := func(size uint64) []byte {
		part := data[:size:size]
		data = data[size:]
		return part
	}
	r.First = uint32(n[0])
	r.New, _ = littleendian.Decode[uint64](next(8 * n[1])) // no error: they are whole numbers, as are the ids
	r.IDs, _ = littleendian.Decode[uint32](next(4 * n[2]))
	r.Globals, r.Texts, r.Rows = next(n[4]), next(n[5]), data
	for i := 1; i < len(r.IDs); i++ {
		if r.IDs[i-1] >= r.IDs[i] {
			return Rows{}, damaged
		}
	}
	return r, nil
}

// After returns what the records of older and then those of r changed.
func (r Rows) After(older Rows) Rows {
	m := Rows{New: slices.Concat(older.New, r.New), First: r.First, Globals: r.Globals, Texts: slices.Concat(older.Texts, r.Texts)}
	if len(older.New) > 0 {
		m.First = older.First
	}
	if len(r.Globals) == 0 {
		m.Globals = older.Globals
	}
	m.IDs, m.Rows = make([]uint32, 0, len(older.IDs)+len(r.IDs)), make([]byte, 0, len(older.Rows)+len(r.Rows))
	for i, k := 0, 0; i < len(older.IDs) || k < len(r.IDs); {
		if k == len(r.IDs) || i < len(older.IDs) && older.IDs[i] < r.IDs[k] {
			m.IDs, m.Rows = append(m.IDs, older.IDs[i]), append(m.Rows, older.Row(i)...)
			i++
			continue
		}
		if i < len(older.IDs) && older.IDs[i] == r.IDs[k] {
			i++
		}
		m.IDs, m.Rows = append(m.IDs, r.IDs[k]), append(m.Rows, r.Row(k)...)
		k++
	}
	return m
}

// Row returns row i.
func (r Rows) Row(i int) []byte {
	size := len(r.Rows) / len(r.IDs)
	return r.Rows[i*size:][:size]
}

// EachText calls do with the text of each new term, nil for those without.
func (r Rows) EachText(do func(text []byte)) error {
	data := r.Texts
	for range r.New {
		if len(r.Texts) == 0 {
			do(nil)
			continue
		}
		size, width := binary.Uvarint(data)
		if width <= 0 || size > uint64(len(data)-width) {
			return fmt.Errorf("%w: texts of new terms", ErrDamaged)
		}
		do(data[width:][:size])
		data = data[width+int(size):]
	}
	if len(data) > 0 {
		return fmt.Errorf("%w: texts of new terms", ErrDamaged)
	}
	return nil
}

// AppendText appends the text of a new term.
func AppendText(dst, text []byte) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(text))), text...)
}
