package filter

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"

	"github.com/cespare/xxhash/v2"

	"chaff/internal/journal"
	"chaff/internal/littleendian"
	"chaff/internal/sections"
)

// state is what the learner of a model knew when the base of its store was written. Four sections of the base keep it:
//
//	GLOB  what the learner knew apart from terms
//	NONE  the row of a cell or term of which it had learned nothing
//	ROWS  two uint64 for each block of 64 ids: which of them have a row in STAT, a bit for each; the number of rows before theirs and, in the
//	      high half, the low half of the xxhash64 of their rows
//	STAT  the rows of the ids that differ from NONE, in ascending order of the ids
//
// Blocks of rows are verified when they are read.
type state struct {
	globals []byte
	none    []byte
	base    *sections.Reader
	rows    *io.SectionReader
}

// blockRows is the number of ids of a block.
const blockRows = 64

// rowEntry is the size in bytes of what section ROWS has for a block.
const rowEntry = 16

// rowBlocks returns the number of blocks of so many ids.
func rowBlocks(ids int) int { return (ids + blockRows - 1) / blockRows }

// LearnedSections is how many sections [Filter.SaveLearned] writes, unless it writes none.
const LearnedSections = 4

// SaveLearned writes the sections of the base of a store that keep what the learner of f knows, none if the model cannot learn on. The
// error is about the files that f was opened from.
func (f *Filter) SaveLearned(file *sections.Writer) error {
	l, err := f.Learner()
	if errors.Is(err, ErrNotLearning) {
		return nil
	}
	if err != nil {
		return err
	}
	globals := l.AppendGlobals(nil)
	none, err := f.EmptyRow(globals)
	if err != nil {
		return err
	}
	file.Begin("GLOB")
	file.Write(globals)
	file.Begin("NONE")
	file.Write(none)
	file.Begin("STAT")
	ids, before := l.Terms(), uint64(0)
	numbers := make([]uint64, 0, rowEntry/8*rowBlocks(ids))
	var rows []byte
	for first := 0; first < ids; first += blockRows {
		has := uint64(0)
		rows = rows[:0]
		for w := first; w < min(first+blockRows, ids); w++ {
			at := len(rows)
			if rows = l.AppendTerm(rows, w); bytes.Equal(rows[at:], none) {
				rows = rows[:at]
			} else {
				has |= 1 << (w - first)
			}
		}
		file.Write(rows)
		numbers = append(numbers, has, before|xxhash.Sum64(rows)<<32)
		before += uint64(bits.OnesCount64(has))
	}
	file.Begin("ROWS")
	file.Write(littleendian.Bytes(numbers))
	return nil
}

// EmptyRow returns the row of a term of which a learner with these globals has learned nothing.
func (f *Filter) EmptyRow(globals []byte) ([]byte, error) {
	l, err := f.NewLearner()
	if err == nil {
		err = l.Restore(globals, nil)
	}
	if err != nil {
		return nil, err
	}
	l.Grow(1)
	return l.AppendTerm(nil, 0), nil
}

// readState returns the state that the base of a store keeps of so many ids, nil if it has none. Its rows are read from the file when they are needed.
func readState(base *sections.Reader, ids int) (*state, error) {
	if !base.Has("STAT") {
		return nil, nil
	}
	s := &state{base: base}
	var err1, err2, err3, err4 error
	var blocks *io.SectionReader
	s.globals, err1 = base.Section("GLOB")
	s.none, err2 = base.Section("NONE")
	blocks, err3 = base.Part("ROWS")
	s.rows, err4 = base.Part("STAT")
	if err := cmp.Or(err1, err2, err3, err4); err != nil {
		return nil, err
	}
	if blocks.Size() != int64(rowBlocks(ids)*rowEntry) || len(s.none) == 0 {
		return nil, fmt.Errorf("%w: section ROWS is not for %d terms", journal.ErrDamaged, ids)
	}
	return s, nil
}

// rowBlock is where the rows of a block of ids are.
type rowBlock struct {
	number uint32
	sum    uint32
	before int64  // the number of rows before them
	has    uint64 // a bit for each id with a row
}

// blocksOf returns the blocks of ascending ids.
func (s *state) blocksOf(ids []uint32, buffer *[]byte) (blocks []rowBlock, err error) {
	le, start := binary.LittleEndian, 0
	err = s.base.Scan("ROWS", buffer, func(data []byte) {
		for len(ids) > 0 {
			number := ids[0] / blockRows
			at := int(number)*rowEntry - start
			if at >= len(data) {
				break
			}
			blocks = append(blocks, rowBlock{number, le.Uint32(data[at+12:]), int64(le.Uint32(data[at+8:])), le.Uint64(data[at:])})
			for len(ids) > 0 && ids[0]/blockRows == number {
				ids = ids[1:]
			}
		}
		start += len(data)
	})
	return blocks, err
}

// find calls take with the index and the row of each of ascending ids. A row is valid until take returns.
func (s *state) find(ids []uint32, buffer *[]byte, take func(i int, row []byte)) error {
	blocks, err := s.blocksOf(ids, buffer)
	if err != nil {
		return err
	}
	ahead, size := sections.NewAhead(s.rows, 0, s.rows.Size(), buffer), len(s.none)
	i := 0
	for _, b := range blocks {
		var rows []byte // nil before they are needed
		for ; i < len(ids) && ids[i]/blockRows == b.number; i++ {
			bit := uint64(1) << (ids[i] % blockRows)
			if b.has&bit == 0 {
				take(i, s.none)
				continue
			}
			if rows == nil {
				if rows, err = s.read(&ahead, b); err != nil {
					return err
				}
			}
			take(i, rows[bits.OnesCount64(b.has&(bit-1))*size:][:size])
		}
	}
	return nil
}

// read returns the rows of a block, verified.
func (s *state) read(ahead *sections.Ahead, b rowBlock) ([]byte, error) {
	size := len(s.none)
	rows, err := ahead.Read(b.before*int64(size), bits.OnesCount64(b.has)*size)
	if err == io.EOF || err == nil && uint32(xxhash.Sum64(rows)) != b.sum {
		err = fmt.Errorf("%w: rows from %d on", journal.ErrDamaged, b.number*blockRows)
	}
	return rows, err
}

// appendAll appends the rows of the first n ids.
func (s *state) appendAll(dst []byte, n int) ([]byte, error) {
	ids := make([]uint32, n)
	for i := range ids {
		ids[i] = uint32(i)
	}
	err := s.find(ids, new([]byte), func(_ int, row []byte) { dst = append(dst, row...) })
	return dst, err
}
