package journal

import (
	"slices"

	"github.com/cespare/xxhash/v2"

	"chaff/internal/littleendian"
	"chaff/internal/rowtable"
	"chaff/internal/sections"
)

// Terms returns the number of new terms.
func (s *Stored) Terms() int { return s.terms }

// Hashes calls do with the hashes of the new terms, some at a time, which it must not keep. They are good if there is no error.
func (s *Stored) Hashes(do func(hashes []uint64)) error {
	if s.Covers == 0 {
		do(s.hashes)
		return nil
	}
	return s.scan(s.layout.terms, s.ofTerms, new([]byte), func(data []byte) {
		hashes, _ := littleendian.Decode[uint64](data) // no error: scan passes whole numbers
		do(hashes)
	})
}

// scan calls do with the bytes of a part of a summary, as [sections.Scan] does.
func (s *Stored) scan(p part, sum uint64, buffer *[]byte, do func(data []byte)) error {
	j := s.journal
	good, err := sections.Scan(j.store, j.base.Size()+s.at+int64(p.start), int64(p.size), sum, buffer, do)
	if err == nil && !good {
		err = rowtable.ErrDamaged
	}
	return explained(err)
}

// table returns the rows of a summary.
func (s *Stored) table() rowtable.Table {
	start := s.journal.base.Size() + s.at + int64(s.layout.rows.start)
	return rowtable.Table{
		Scan: func(buffer *[]byte, do func(data []byte)) error {
			return s.scan(s.layout.ids, s.ofIDs, buffer, do)
		},
		File: s.journal.store, Start: start, End: start + int64(s.layout.rows.size), Size: int64(s.rowSize),
	}
}

// rowReader reads rows of a record in ascending order.
type rowReader struct {
	record *Stored
	ahead  sections.Ahead
	block  []byte // verified
	number int    // of the block
}

// rowReader returns a reader of the rows. Readers that are used one after the other may share a buffer.
func (s *Stored) rowReader(buffer *[]byte) rowReader {
	start := s.journal.base.Size() + s.at + int64(s.layout.rows.start)
	return rowReader{record: s, ahead: sections.NewAhead(s.journal.store, start, start+int64(align(s.layout.rows.size)), buffer), number: -1}
}

// row returns row i. It is valid until the next call.
func (r *rowReader) row(i int) ([]byte, error) {
	s := r.record
	if number := i / blockRows; number != r.number {
		from, to := number*blockRows*s.rowSize, (number+1)*blockRows*s.rowSize
		if number == len(s.sums)-1 {
			to = int(align(s.layout.rows.size))
		}
		block, err := r.ahead.Read(int64(from), to-from)
		if err == nil && uint32(xxhash.Sum64(block)) != s.sums[number] {
			err = rowtable.ErrDamaged
		}
		if err != nil {
			return nil, explained(err)
		}
		r.block, r.number = block, number
	}
	return r.block[i%blockRows*s.rowSize:][:s.rowSize], nil
}

// Each calls do with all ids that have a row, which are ascending, and their rows. A row is valid until do returns.
func (s *Stored) Each(do func(id uint32, row []byte) error) error {
	if s.Covers > 0 {
		return explained(s.table().Each(do))
	}
	reader := s.rowReader(new([]byte))
	for i, id := range s.ids {
		row, err := reader.row(i)
		if err == nil {
			err = do(id, row)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// verify verifies what is read when it is asked for.
func (s *Stored) verify() error {
	_, _, _, err := s.Rest()
	if err == nil {
		err = s.Hashes(func([]uint64) {})
	}
	if err == nil {
		err = s.Each(func(uint32, []byte) error { return nil })
	}
	if rows := s.layout.rows; err == nil && s.Covers > 0 { // no checksum has its padding
		var padding []byte
		if padding, err = s.journal.read(s.at+int64(rows.start+rows.size), int64(align(rows.size)-rows.size)); err == nil {
			if slices.ContainsFunc(padding, func(b byte) bool { return b != 0 }) {
				err = explained(rowtable.ErrDamaged)
			}
		}
	}
	return err
}

// Wanted is ids whose newest rows are looked for, in one record after the other.
type Wanted struct {
	ids     []uint32
	found   []bool
	missing int
	bits    bitSet // of the ids that are missing
	shared  bitSet // of more than one id, whose bits stay set
}

// NewWanted returns ascending ids, none of which was found.
func NewWanted(ids []uint32) *Wanted {
	w := &Wanted{ids: ids, found: make([]bool, len(ids)), missing: len(ids)}
	for _, id := range ids {
		if w.bits.has(id) {
			w.shared.set(id)
		}
		w.bits.set(id)
	}
	return w
}

// Missing returns the ids that were not found, and their indices.
func (w *Wanted) Missing() (ids []uint32, indices []int) {
	ids, indices = make([]uint32, 0, w.missing), make([]int, 0, w.missing)
	for i, found := range w.found {
		if !found {
			ids, indices = append(ids, w.ids[i]), append(indices, i)
		}
	}
	return ids, indices
}

func (w *Wanted) take(i int) {
	w.found[i] = true
	w.missing--
	if id := w.ids[i]; !w.shared.has(id) {
		w.bits.clear(id)
	}
}

// bitSetSize is the size of a bitSet in bits, which stays in the fastest memory.
const bitSetSize = 1 << 16

// bitSet has a bit for the lowest bits of an id.
type bitSet [bitSetSize / 64]uint64

func (s *bitSet) has(id uint32) bool { return s[id%bitSetSize/64]>>(id%64)&1 != 0 }

func (s *bitSet) set(id uint32) { s[id%bitSetSize/64] |= 1 << (id % 64) }

func (s *bitSet) clear(id uint32) { s[id%bitSetSize/64] &^= 1 << (id % 64) }

// Find calls take with the index and the row of each missing id that the record has. They are then found, if there is no error. A row is valid
// until take returns.
func (s *Stored) Find(w *Wanted, buffer *[]byte, take func(i int, row []byte)) error {
	if s.Covers > 0 {
		ids, indices := w.Missing()
		return explained(s.table().Find(ids, buffer, func(i int, row []byte) {
			take(indices[i], row)
			w.take(indices[i])
		}))
	}
	reader, at := s.rowReader(buffer), 0 // ids before at are below those of the record that are left
	for n, id := range s.ids {
		if !w.bits.has(id) {
			continue
		}
		i, wanted := slices.BinarySearch(w.ids[at:], id)
		if at += i; !wanted || w.found[at] {
			continue
		}
		row, err := reader.row(n)
		if err != nil {
			return err
		}
		take(at, row)
		w.take(at)
	}
	return nil
}
