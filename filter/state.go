package filter

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"slices"

	"github.com/cespare/xxhash/v2"

	"chaff/internal/journal"
	"chaff/internal/littleendian"
	"chaff/internal/sections"
)

// state is what the learner of a model knew when the base of its store was written. Four sections of the base keep it:
//
//	GLOB  what the learner knew apart from terms
//	NONE  the row of a cell or term of which it had learned nothing
//	ROWS  three uint32 for each block of 32 ids: which of them have a row in STAT, a bit for each; the number of rows before theirs; the
//	      low half of the xxhash64 of their rows
//	STAT  the rows of the ids that differ from NONE, in ascending order of the ids
//
// Blocks of rows are verified when they are read.
type state struct {
	globals []byte
	none    []byte
	blocks  []uint32 // section ROWS
	rows    io.ReaderAt
}

// blockNumbers is how many numbers section ROWS has for each block.
const blockNumbers = 3

// LearnedSections returns the sections of the base of a store that keep what the learner of f knows, none if the model cannot learn on. The
// error is about the files that f was opened from.
func (f *Filter) LearnedSections() ([]sections.Section, error) {
	l, err := f.Learner()
	if errors.Is(err, ErrNotLearning) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	globals := l.AppendGlobals(nil)
	none, err := f.EmptyRow(globals)
	if err != nil {
		return nil, err
	}
	size, ids := len(none), l.Terms()
	var rows []byte
	numbers := make([]uint32, 0, blockNumbers*blocksOf(ids))
	for first := 0; first < ids; first += blockTerms {
		before, has := len(rows), uint32(0)
		for w := first; w < min(first+blockTerms, ids); w++ {
			at := len(rows)
			if rows = l.AppendTerm(rows, w); bytes.Equal(rows[at:], none) {
				rows = rows[:at]
			} else {
				has |= 1 << (w - first)
			}
		}
		numbers = append(numbers, has, uint32(before/size), uint32(xxhash.Sum64(rows[before:])))
	}
	return []sections.Section{
		{Name: "GLOB", Data: globals}, {Name: "NONE", Data: none}, {Name: "ROWS", Data: encodeNumbers(numbers)}, {Name: "STAT", Data: rows},
	}, nil
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
	s.blocks, err5 = littleendian.Decode[uint32](numbers)
	if err := cmp.Or(err1, err2, err3, err4); err != nil {
		return nil, err
	}
	if err5 != nil || len(s.blocks)%blockNumbers != 0 || len(s.none) == 0 {
		return nil, fmt.Errorf("%w: section ROWS", journal.ErrDamaged)
	}
	return s, nil
}

// load reads all rows into memory.
func (s *state) load(base *sections.Reader) error {
	data, err := base.Section("STAT")
	s.rows = bytes.NewReader(data)
	return err
}

// block returns the rows of block i, in the memory of dst.
func (s *state) block(dst []byte, i int) ([]byte, error) {
	has, before, sum := s.blocks[blockNumbers*i], s.blocks[blockNumbers*i+1], s.blocks[blockNumbers*i+2]
	size := bits.OnesCount32(has) * len(s.none)
	dst = slices.Grow(dst[:0], size)[:size]
	if has == 0 {
		return dst, nil
	}
	if _, err := s.rows.ReadAt(dst, int64(before)*int64(len(s.none))); err != nil && err != io.EOF {
		return nil, err
	} else if err == io.EOF || uint32(xxhash.Sum64(dst)) != sum {
		return nil, fmt.Errorf("%w: rows from %d on", journal.ErrDamaged, i*blockTerms)
	}
	return dst, nil
}

// row returns the row of an id, whose block has the given rows.
func (s *state) row(block []byte, id uint32) []byte {
	has, bit := s.blocks[id/blockTerms*blockNumbers], uint32(1)<<(id%blockTerms)
	if has&bit == 0 {
		return s.none
	}
	return block[bits.OnesCount32(has&(bit-1))*len(s.none):][:len(s.none)]
}

// appendAll appends the rows of the first n ids.
func (s *state) appendAll(dst []byte, n int) (_ []byte, err error) {
	var block []byte
	for id := range uint32(n) {
		if id%blockTerms == 0 {
			if block, err = s.block(block, int(id/blockTerms)); err != nil {
				return nil, err
			}
		}
		dst = append(dst, s.row(block, id)...)
	}
	return dst, nil
}
