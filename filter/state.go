package filter

import (
	"bytes"
	"cmp"
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
	blocks  []uint64 // section ROWS
	rows    *io.SectionReader
}

// blockRows is the number of ids of a block.
const blockRows = 64

// rowNumbers returns how many numbers section ROWS has for so many ids.
func rowNumbers(ids int) int { return 2 * ((ids + blockRows - 1) / blockRows) }

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
	numbers := make([]uint64, 0, rowNumbers(ids))
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

// readState returns the state that the base of a store keeps, nil if it has none. Its rows are read from the file when they are needed.
func readState(base *sections.Reader) (*state, error) {
	if !base.Has("STAT") {
		return nil, nil
	}
	s := new(state)
	var err1, err2, err3, err4, err5 error
	var numbers []byte
	s.globals, err1 = base.Section("GLOB")
	s.none, err2 = base.Section("NONE")
	numbers, err3 = base.Section("ROWS")
	s.rows, err4 = base.Part("STAT")
	s.blocks, err5 = littleendian.Decode[uint64](numbers)
	if err := cmp.Or(err1, err2, err3, err4); err != nil {
		return nil, err
	}
	if err5 != nil || len(s.blocks)%2 != 0 || len(s.none) == 0 {
		return nil, fmt.Errorf("%w: section ROWS", journal.ErrDamaged)
	}
	return s, nil
}

// stateReader reads the rows of a state in ascending order of their ids.
type stateReader struct {
	state *state
	ahead sections.Ahead
	rows  []byte // of a block, verified
	block int
}

func (s *state) reader(buffer *[]byte) stateReader {
	return stateReader{state: s, ahead: sections.NewAhead(s.rows, 0, s.rows.Size(), buffer), block: -1}
}

// row returns the row of an id, which is valid until the next call.
func (r *stateReader) row(id uint32) ([]byte, error) {
	s, block := r.state, int(id/blockRows)
	has, before := s.blocks[2*block], s.blocks[2*block+1]
	bit, size := uint64(1)<<(id%blockRows), len(s.none)
	if has&bit == 0 {
		return s.none, nil
	}
	if block != r.block {
		rows, err := r.ahead.Read(int64(uint32(before))*int64(size), bits.OnesCount64(has)*size)
		if err != nil && err != io.EOF {
			return nil, err
		}
		if err == io.EOF || uint32(xxhash.Sum64(rows)) != uint32(before>>32) {
			return nil, fmt.Errorf("%w: rows from %d on", journal.ErrDamaged, block*blockRows)
		}
		r.rows, r.block = rows, block
	}
	return r.rows[bits.OnesCount64(has&(bit-1))*size:][:size], nil
}

// appendAll appends the rows of the first n ids.
func (s *state) appendAll(dst []byte, n int) ([]byte, error) {
	reader := s.reader(new([]byte))
	for id := range uint32(n) {
		row, err := reader.row(id)
		if err != nil {
			return nil, err
		}
		dst = append(dst, row...)
	}
	return dst, nil
}
