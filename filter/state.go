package filter

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"

	"chaff/internal/journal"
	"chaff/internal/rowtable"
	"chaff/internal/sections"
)

// state is what the learner of a model knew when the base of its store was written. Four sections of the base keep it:
//
//	GLOB  what the learner knew apart from terms
//	NONE  the row of a cell or term of which it had learned nothing
//	ROWS  the index of a [rowtable.Table] of the ids of which it had learned something
//	STAT  the rows of the table
type state struct {
	globals []byte
	none    []byte
	rows    rowtable.Table
}

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
	ids := l.Terms()
	var index rowtable.Index
	var rows []byte
	for first := 0; first < ids; first += rowtable.BlockIDs {
		has := uint64(0)
		rows = rows[:0]
		for w := first; w < min(first+rowtable.BlockIDs, ids); w++ {
			at := len(rows)
			if rows = l.AppendTerm(rows, w); bytes.Equal(rows[at:], none) {
				rows = rows[:at]
			} else {
				has |= 1 << (w - first)
			}
		}
		file.Write(rows)
		index.Add(has, rows)
	}
	file.Begin("ROWS")
	file.Write(index.Bytes())
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

// readState returns the state that the base of a store keeps of so many ids, nil if it has none. Its rows are read from the file when they are
// needed.
func readState(base *sections.Reader, ids int) (*state, error) {
	if !base.Has("STAT") {
		return nil, nil
	}
	globals, err1 := base.Section("GLOB")
	none, err2 := base.Section("NONE")
	index, err3 := base.Part("ROWS")
	rows, err4 := base.Part("STAT")
	if err := cmp.Or(err1, err2, err3, err4); err != nil {
		return nil, err
	}
	if index.Size() != int64(rowtable.Blocks(ids)*rowtable.EntrySize) || len(none) == 0 {
		return nil, fmt.Errorf("%w: section ROWS is not for %d terms", journal.ErrDamaged, ids)
	}
	scan := func(buffer *[]byte, do func(data []byte)) error { return base.Scan("ROWS", buffer, do) }
	return &state{globals, none, rowtable.Table{Scan: scan, File: rows, End: rows.Size(), Size: int64(len(none))}}, nil
}

// find calls take with the index and the row of each of ascending ids of which something was learned. A row is valid until take returns.
func (s *state) find(ids []uint32, buffer *[]byte, take func(i int, row []byte)) error {
	return damagedRows(s.rows.Find(ids, buffer, take))
}

// appendAll appends the rows of the first n ids.
func (s *state) appendAll(dst []byte, n int) ([]byte, error) {
	next := uint32(0)
	upTo := func(id uint32) {
		for ; next < id; next++ {
			dst = append(dst, s.none...)
		}
	}
	err := s.rows.Each(func(id uint32, row []byte) error {
		upTo(id)
		dst = append(dst, row...)
		next++
		return nil
	})
	upTo(uint32(n))
	return dst, damagedRows(err)
}

// damagedRows returns an error of reading rows.
func damagedRows(err error) error {
	if err == io.EOF || errors.Is(err, rowtable.ErrDamaged) {
		return fmt.Errorf("%w: section STAT", journal.ErrDamaged)
	}
	return err
}
