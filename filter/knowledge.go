package filter

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"slices"

	"chaff/internal/logfile"
	"chaff/internal/rowtable"
	"chaff/internal/sections"
	"chaff/models"
)

// ErrNotLearning is returned for a model that cannot learn on: its trainer needs all mail at once, or its file does not say what it knows.
var ErrNotLearning = errors.New("the model cannot learn from one message after the other")

// knowledge is what the learner of a model knows: what it knew when the model was written, and what records of the log say since. Four sections of the
// model keep the former:
//
//	GLOB  what the learner knew apart from terms
//	NONE  the row of a cell or term of which it had learned nothing
//	ROWS  the index of a [rowtable.Table] of the ids of which it had learned something
//	STAT  the rows of the table
//
// The zero value is that of a model that cannot learn on.
type knowledge struct {
	globals []byte
	none    []byte
	rows    rowtable.Table
	ids     int // C + V of the model
	tail    []logfile.Rows
}

// saveLearned writes the sections of what the learner of f knows, none if the model cannot learn on.
func (f *Filter) saveLearned(file *sections.Writer) error {
	l := f.learner
	if l == nil {
		return nil
	}
	globals := l.AppendGlobals(nil)
	none, err := f.emptyRow(globals)
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

// emptyRow returns the row of a term of which a learner with these globals has learned nothing.
func (h *head) emptyRow(globals []byte) ([]byte, error) {
	l, err := h.newLearner()
	if err == nil {
		err = l.Restore(globals, nil)
	}
	if err != nil {
		return nil, err
	}
	l.Grow(1)
	return l.AppendTerm(nil, 0), nil
}

// newLearner returns a learner with the settings of the model that knows nothing. The error is [ErrNotLearning], or about the file that the
// filter was opened from.
func (h *head) newLearner() (*models.Online, error) {
	settings, err := h.member("trainer")
	if err != nil {
		return nil, err
	}
	l, kind, err := models.OnlineFrom(h.settings.Model, settings, h.settings.Classes)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotLearning, err)
	}
	if kind != h.kind {
		return nil, fmt.Errorf("%w: its learner has another kind of row", ErrVersion)
	}
	return l, nil
}

// readKnowledge returns what a model of so many ids knows, with the rows of later records. Rows of the model are read from its file when they are
// needed.
func readKnowledge(ids int, model *sections.Reader, tail []logfile.Rows) (knowledge, error) {
	if !model.Has("STAT") {
		return knowledge{}, ErrNotLearning
	}
	globals, err1 := model.Section("GLOB")
	none, err2 := model.Section("NONE")
	index, err3 := model.Part("ROWS")
	rows, err4 := model.Part("STAT")
	if err := cmp.Or(err1, err2, err3, err4); err != nil {
		return knowledge{}, err
	}
	if index.Size() != int64(rowtable.Blocks(ids)*rowtable.EntrySize) || len(none) == 0 {
		return knowledge{}, fmt.Errorf("%w: section ROWS is not for %d terms", ErrDamaged, ids)
	}
	k := knowledge{globals: globals, none: none, ids: ids, tail: tail}
	next := uint64(ids)
	for _, r := range tail {
		if len(r.IDs) > 0 && (len(r.Rows) != len(r.IDs)*len(none) || uint64(r.IDs[len(r.IDs)-1]) >= next+uint64(len(r.New))) ||
			len(r.New) > 0 && uint64(r.First) != next {
			return knowledge{}, fmt.Errorf("%w: rows of another model", logfile.ErrDamaged)
		}
		next += uint64(len(r.New))
	}
	scan := func(buffer *[]byte, do func(data []byte)) error { return model.Scan("ROWS", buffer, do) }
	k.rows = rowtable.Table{Scan: scan, File: rows, End: rows.Size(), Size: int64(len(none))}
	return k, nil
}

// newLearner returns a learner of h that knows nothing, for rows of k.
func (k *knowledge) newLearner(h *head) (*models.Online, error) {
	if len(k.none) == 0 {
		return nil, ErrNotLearning
	}
	l, err := h.newLearner()
	if err == nil && len(k.none) != l.TermSize() {
		err = fmt.Errorf("%w: its learner has another size of row", ErrVersion)
	}
	return l, err
}

// total returns the number of ids, those of later terms included.
func (k *knowledge) total() int {
	n := k.ids
	for _, r := range k.tail {
		n += len(r.New)
	}
	return n
}

// restore makes a learner one of the terms with the given ids, which are ascending. It does not know the new ones among them.
func (k *knowledge) restore(l *models.Online, ids []uint32) error {
	known, _ := slices.BinarySearch(ids, uint32(k.total()))
	rows, err := k.gather(ids[:known])
	return k.restoreRows(l, rows, err)
}

// restoreRows gives a learner the globals and rows, which were read with an error or nil.
func (k *knowledge) restoreRows(l *models.Online, rows []byte, err error) error {
	globals := k.globals
	for _, r := range k.tail {
		if len(r.Globals) > 0 {
			globals = r.Globals
		}
	}
	if err == nil {
		err = l.Restore(globals, rows)
	}
	return err
}

// gather returns the rows of ids, which are ascending and below k.total, one after the other: each from the newest record that has it, else from the
// model.
func (k *knowledge) gather(ids []uint32) ([]byte, error) {
	size := len(k.none)
	rows, found, missing := make([]byte, len(ids)*size), make([]bool, len(ids)), len(ids)
	take := func(i int, row []byte) { copy(rows[i*size:], row) }
	for _, r := range slices.Backward(k.tail) {
		at := 0
		for i, id := range r.IDs {
			for at < len(ids) && ids[at] < id {
				at++
			}
			if at == len(ids) {
				break
			}
			if ids[at] == id && !found[at] {
				take(at, r.Row(i))
				found[at] = true
				missing--
			}
		}
	}
	left, places := make([]uint32, 0, missing), make([]int, 0, missing)
	for i, id := range ids {
		if !found[i] {
			left, places = append(left, id), append(places, i)
			take(i, k.none)
		}
	}
	if missing > 0 && int(left[missing-1]) >= k.ids {
		return nil, fmt.Errorf("%w: no row of id %d", logfile.ErrDamaged, left[missing-1])
	}
	return rows, damagedRows(k.rows.Find(left, new([]byte), func(i int, row []byte) { take(places[i], row) }))
}

// learner returns the learner of a filter that knows all that k knows.
func (k *knowledge) learner(h *head) (*models.Online, error) {
	l, err := k.newLearner(h)
	if err != nil {
		return nil, err
	}
	rows, err := k.allRows()
	return l, k.restoreRows(l, rows, err)
}

// allRows returns the rows of all ids after the last record.
func (k *knowledge) allRows() ([]byte, error) {
	size := len(k.none)
	rows := slices.Repeat(k.none, k.total())
	err := k.rows.Each(func(id uint32, row []byte) error {
		if int(id) >= k.ids {
			return rowtable.ErrDamaged
		}
		copy(rows[int(id)*size:], row)
		return nil
	})
	for _, r := range k.tail {
		for i, id := range r.IDs { // readKnowledge has compared them with the total
			copy(rows[int(id)*size:], r.Row(i))
		}
	}
	return rows, damagedRows(err)
}

// damagedRows returns an error of reading rows of the model.
func damagedRows(err error) error {
	if err == io.EOF || errors.Is(err, rowtable.ErrDamaged) {
		return fmt.Errorf("%w: section STAT", ErrDamaged)
	}
	return err
}

// laterHashes returns the hashes of the terms of later records.
func (k *knowledge) laterHashes() (all []uint64) {
	for _, r := range k.tail {
		all = append(all, r.New...)
	}
	return all
}

// LaterTerm is a term of a document that the model file lacks.
type LaterTerm struct {
	Index int    // in the document; 0 for the kind [features.Whole]
	Hash  uint64 // that of the document for the kind [features.Whole]
	ID    uint32 // without those of cells
}

// later appends to known, as [features.Vocabulary.AppendKnown] returns them, the terms that only later records have. The first of their terms has the
// given id, and shift hides the bits of a hash that do not tell terms apart. It has no table of the terms: comparing all with the few that the
// document has and the model lacks takes less time than making one.
func (k *knowledge) later(known, hashes []uint64, id uint32, shift uint) []uint64 {
	type identified struct {
		bits  uint64
		index uint32
	}
	compare := func(a, b identified) int { return cmp.Compare(a.bits, b.bits) }
	var missing []identified
	left := known
	for i, hash := range hashes {
		if len(left) > 0 && uint32(left[0]) == uint32(i) {
			left = left[1:]
		} else {
			missing = append(missing, identified{hash >> shift, uint32(i)})
		}
	}
	slices.SortStableFunc(missing, compare)
	// A bit for the lowest identifying bits of each missing term, one in 64 of all bits: most terms need no other look.
	words := 1 << bits.Len(uint(len(missing)))
	seen, mask := make([]uint64, words), uint64(words-1)
	for _, m := range missing {
		seen[m.bits/64&mask] |= 1 << (m.bits % 64)
	}
	for _, r := range k.tail {
		for _, hash := range r.New {
			if b := hash >> shift; seen[b/64&mask]>>(b%64)&1 != 0 {
				at, _ := slices.BinarySearchFunc(missing, identified{bits: b}, compare)
				for ; at < len(missing) && missing[at].bits == b; at++ {
					known = append(known, uint64(id)<<32|uint64(missing[at].index))
				}
			}
			id++
		}
	}
	return known
}
