package journal

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/bits"

	"github.com/cespare/xxhash/v2"

	"chaff/internal/littleendian"
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
	return s.scan(s.layout.terms, s.ofTerms, func(data []byte) {
		hashes, _ := littleendian.Decode[uint64](data) // no error: scan passes whole numbers
		do(hashes)
	})
}

// scan calls do with the bytes of a part of a summary, as [sections.Scan] does.
func (s *Stored) scan(p part, sum uint64, do func(data []byte)) error {
	j := s.journal
	good, err := sections.Scan(j.store, j.base+s.at+int64(p.start), int64(p.size), sum, &j.scratch, do)
	if err == io.EOF {
		err = errShorter()
	}
	if err == nil && !good {
		err = fmt.Errorf("%w: summary of the journal", ErrDamaged)
	}
	return err
}

func errShorter() error { return fmt.Errorf("%w: it became shorter", ErrTruncated) }

// span is some rows of a record that are read and verified together.
type span struct {
	first, end uint32 // the rows
	sum        uint32
}

// block is the ids of a span.
type block struct {
	span
	ids    []uint32 // of a record
	has    uint64   // of a summary: a bit for each of 64 ids that has a row
	number uint32   // these ids divided by 64
}

// id returns the id of row i.
func (b *block) id(i uint32) uint32 {
	if b.ids != nil {
		return b.ids[i-b.first]
	}
	has := b.has
	for ; i > b.first; i-- {
		has &= has - 1
	}
	return blockIDs*b.number + uint32(bits.TrailingZeros64(has))
}

// blocks calls do with all blocks. They are good if there is no error.
func (s *Stored) blocks(do func(b *block)) error {
	if s.Covers == 0 {
		for n, sum := range s.sums {
			first := n * BlockRows
			end := min(first+BlockRows, s.rows)
			do(&block{span: span{uint32(first), uint32(end), sum}, ids: s.ids[first:end]})
		}
		return nil
	}
	le, b, last := binary.LittleEndian, block{}, int64(-1)
	inOrder := true
	err := s.scan(s.layout.ids, s.ofIDs, func(data []byte) {
		for ; len(data) > 0 && inOrder; data = data[blockSize:] {
			b.has, b.number, b.sum = le.Uint64(data), le.Uint32(data[8:]), le.Uint32(data[12:])
			b.first, b.end = b.end, b.end+uint32(bits.OnesCount64(b.has))
			if inOrder = int(b.end) <= s.rows && int64(b.number) > last && b.number <= math.MaxUint32/blockIDs; inOrder {
				do(&b)
			}
			last = int64(b.number)
		}
	})
	if err == nil && (!inOrder || int(b.end) != s.rows) {
		err = fmt.Errorf("%w: ids of the journal", ErrDamaged)
	}
	return err
}

// rowReader reads rows of a record in ascending order.
type rowReader struct {
	record *Stored
	ahead  sections.Ahead
	span   span   // the one that was read last
	data   []byte // its rows, verified; nil for none
}

// rowReader returns a reader of the rows. Readers that are used one after the other may share a buffer.
func (s *Stored) rowReader(buffer *[]byte) rowReader {
	start := s.journal.base + s.at + int64(s.layout.rows.start)
	return rowReader{record: s, ahead: sections.NewAhead(s.journal.store, start, start+int64(align(s.layout.rows.size)), buffer)}
}

// row returns row i of a span. It is valid until the next call.
func (r *rowReader) row(of span, i uint32) ([]byte, error) {
	size := r.record.rowSize
	if r.data == nil || r.span != of {
		from, to := int(of.first)*size, int(of.end)*size
		if int(of.end) == r.record.rows {
			to = int(align(r.record.layout.rows.size)) // the padding belongs to the last span
		}
		data, err := r.ahead.Read(int64(from), to-from)
		if err == io.EOF {
			err = errShorter()
		}
		if err == nil && uint32(xxhash.Sum64(data)) != of.sum {
			err = fmt.Errorf("%w: rows of the journal", ErrDamaged)
		}
		if err != nil {
			return nil, err
		}
		r.span, r.data = of, data
	}
	return r.data[int(i-of.first)*size:][:size], nil
}

// Each calls do with all ids that have a row, which are ascending, and their rows. A row is valid until do returns.
func (s *Stored) Each(do func(id uint32, row []byte) error) error {
	var all []block
	if err := s.blocks(func(b *block) { all = append(all, *b) }); err != nil {
		return err
	}
	reader := s.rowReader(new([]byte))
	for n := range all {
		b := &all[n]
		for i := b.first; i < b.end; i++ {
			row, err := reader.row(b.span, i)
			if err == nil {
				err = do(b.id(i), row)
			}
			if err != nil {
				return err
			}
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
	return err
}
