package filter

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"slices"

	"chaff/internal/journal"
	"chaff/internal/rowtable"
	"chaff/internal/sections"
	"chaff/models"
)

// ErrNotLearning is returned for a model that cannot learn on: its trainer needs all mail at once, or it has no store that says what it knows.
var ErrNotLearning = errors.New("the model cannot learn from one message after the other")

// knowledge is what the learner of a model knows: what it knew when the base of its store was written, and the records of the journal since.
// Four sections of the base keep the former:
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
	journal *journal.Journal
}

// LearnedSections is how many sections [Filter.SaveLearned] writes, unless it writes none.
const LearnedSections = 4

// SaveLearned writes the sections of the base of a store that keep what the learner of f knows, none if the model cannot learn on.
func (f *Filter) SaveLearned(file *sections.Writer) error {
	l := f.learner
	if l == nil {
		return nil
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

// newLearner returns a learner with the settings of the model that knows nothing. The error is [ErrNotLearning], or about the file that the
// filter was opened from.
func (h *head) newLearner() (models.Online, error) {
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

// EmptyRow returns the row of a term of which a learner with these globals has learned nothing.
func (h *head) EmptyRow(globals []byte) ([]byte, error) {
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

// readKnowledge returns what the base of a store and its journal know of so many ids. Rows are read from the file when they are needed.
func readKnowledge(ids int, j *journal.Journal) (knowledge, error) {
	base := j.Base()
	if !base.Has("STAT") {
		return knowledge{}, ErrNotLearning
	}
	globals, err1 := base.Section("GLOB")
	none, err2 := base.Section("NONE")
	index, err3 := base.Part("ROWS")
	rows, err4 := base.Part("STAT")
	if err := cmp.Or(err1, err2, err3, err4); err != nil {
		return knowledge{}, err
	}
	if index.Size() != int64(rowtable.Blocks(ids)*rowtable.EntrySize) || len(none) == 0 {
		return knowledge{}, fmt.Errorf("%w: section ROWS is not for %d terms", journal.ErrDamaged, ids)
	}
	scan := func(buffer *[]byte, do func(data []byte)) error { return base.Scan("ROWS", buffer, do) }
	table := rowtable.Table{Scan: scan, File: rows, End: rows.Size(), Size: int64(len(none))}
	return knowledge{globals, none, table, ids, j}, nil
}

// newLearner returns a learner of h that knows nothing, for rows of k.
func (k *knowledge) newLearner(h *head) (models.Online, error) {
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
	for _, r := range k.journal.Records() {
		n += r.Terms()
	}
	return n
}

// restore makes a learner one of the terms with the given ids, which are ascending. It does not know the new ones among them.
func (k *knowledge) restore(l models.Online, ids []uint32) error {
	known, _ := slices.BinarySearch(ids, uint32(k.total()))
	rows, err := k.gather(ids[:known])
	return k.restoreRows(l, rows, err)
}

// restoreRows gives a learner the globals and rows, which were read with an error or nil.
func (k *knowledge) restoreRows(l models.Online, rows []byte, err error) error {
	globals, err2 := k.journal.Globals()
	if globals == nil {
		globals = k.globals
	}
	if err = cmp.Or(err, err2); err == nil {
		err = l.Restore(globals, rows)
	}
	return err
}

// gather returns the rows of ids, which are ascending and below k.total, one after the other.
func (k *knowledge) gather(ids []uint32) ([]byte, error) {
	size := len(k.none)
	rows, wanted, buffer := make([]byte, len(ids)*size), journal.NewWanted(ids), new([]byte)
	take := func(i int, row []byte) { copy(rows[i*size:], row) }
	for _, r := range slices.Backward(k.journal.Records()) {
		err := r.CheckRows(size)
		if err == nil {
			err = r.Find(wanted, buffer, take)
		}
		if err != nil {
			return nil, err
		}
	}
	left, indices := wanted.Missing()
	if n := len(left); n > 0 && int(left[n-1]) >= k.ids {
		return nil, fmt.Errorf("%w: the journal has no row of id %d", journal.ErrDamaged, left[n-1])
	}
	for _, i := range indices {
		take(i, k.none)
	}
	return rows, damagedRows(k.rows.Find(left, buffer, func(i int, row []byte) { take(indices[i], row) }))
}

// learner returns the learner of a filter that knows all that k knows.
func (k *knowledge) learner(h *head) (models.Online, error) {
	l, err := k.newLearner(h)
	if err != nil {
		return nil, err
	}
	rows, err := k.allRows()
	return l, k.restoreRows(l, rows, err)
}

// allRows returns the rows of all ids after the last record.
func (k *knowledge) allRows() ([]byte, error) {
	size, total := len(k.none), k.total()
	rows := slices.Repeat(k.none, k.ids)
	err := k.rows.Each(func(id uint32, row []byte) error {
		if int(id) >= k.ids {
			return rowtable.ErrDamaged
		}
		copy(rows[int(id)*size:], row)
		return nil
	})
	if err != nil {
		return nil, damagedRows(err)
	}
	for _, r := range k.journal.Records() {
		err := r.CheckRows(size)
		if err == nil {
			err = r.Each(func(id uint32, row []byte) error {
				switch at := int(id) * size; {
				case at < len(rows):
					copy(rows[at:], row)
				case at == len(rows) && int(id) < total:
					rows = append(rows, row...)
				default:
					return fmt.Errorf("%w: the journal has a row of id %d too early", journal.ErrDamaged, id)
				}
				return nil
			})
		}
		if err != nil {
			return nil, err
		}
	}
	if len(rows) != total*size {
		return nil, fmt.Errorf("%w: the journal has no row of id %d", journal.ErrDamaged, len(rows)/size)
	}
	return rows, nil
}

// damagedRows returns an error of reading rows of the base.
func damagedRows(err error) error {
	if err == io.EOF || errors.Is(err, rowtable.ErrDamaged) {
		return fmt.Errorf("%w: section STAT", journal.ErrDamaged)
	}
	return err
}

// laterHashes returns the hashes of the terms of the journal.
func (k *knowledge) laterHashes() (all []uint64, err error) {
	for _, r := range k.journal.Records() {
		if err := r.Hashes(func(hashes []uint64) { all = append(all, hashes...) }); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// LaterTerm is a term of a document that the model file lacks.
type LaterTerm struct {
	Index int    // in the document; 0 for the kind [features.Whole]
	Hash  uint64 // that of the document for the kind [features.Whole]
	ID    uint32 // without those of cells
}

// later appends to known, as [features.Vocabulary.AppendKnown] returns them, the terms that the journal has. The first of its terms has the
// given id, and shift hides the bits of a hash that do not tell terms apart. It has no table of the terms: comparing all with the few that the
// document has and the model lacks takes less time than making one.
func (k *knowledge) later(known, hashes []uint64, id uint32, shift uint) ([]uint64, error) {
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
	for _, r := range k.journal.Records() {
		err := r.Hashes(func(list []uint64) {
			for _, hash := range list {
				if b := hash >> shift; seen[b/64&mask]>>(b%64)&1 != 0 {
					at, _ := slices.BinarySearchFunc(missing, identified{bits: b}, compare)
					for ; at < len(missing) && missing[at].bits == b; at++ {
						known = append(known, uint64(id)<<32|uint64(missing[at].index))
					}
				}
				id++
			}
		})
		if err != nil {
			return nil, err
		}
	}
	return known, nil
}
