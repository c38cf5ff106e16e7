package store

import (
	"fmt"
	"slices"

	"chaff/features"
	"chaff/filter"
	"chaff/internal/journal"
	"chaff/models"
	"chaff/train"
)

// state is what the model has learned, the journal included. It learns and judges one document by a learner of the terms of this document alone, so that
// a large model is not read as a whole.
type state struct {
	filter  *filter.Filter
	kind    features.Kind
	learner models.Online // of the terms of one document; nil if the model learns by fitting only
	cells   int           // ids of cells, which come before those of terms
	globals []byte        // of the base
	records []journal.Record
	later   features.Extension // the terms of the records
	lookup  features.Lookup
}

func newState(f *filter.Filter, records []journal.Record) (*state, error) {
	s := &state{filter: f, kind: f.Kind(), cells: f.FirstTerm()}
	for _, r := range records {
		s.add(r)
	}
	globals, ok := f.Globals()
	if !ok {
		return s, nil
	}
	p, err := train.ProvenanceOf(f)
	if err != nil {
		return nil, err
	}
	s.globals = globals
	s.learner, _, err = models.OnlineFrom(f.Settings().Model, p.Trainer, f.Settings().Classes)
	return s, err
}

// add makes a record part of the state.
func (s *state) add(r journal.Record) {
	s.records = append(s.records, r)
	s.later.Add(r.New)
}

// size returns the number of ids, those of cells included.
func (s *state) size() int { return s.cells + s.filter.Vocabulary().Len() + s.later.Len() }

// forgets reports whether the model forgets a document at once.
func (s *state) forgets() bool {
	_, ok := s.learner.(models.CountingLearner)
	return ok
}

// untold returns for each term of a document whether the text of the term is in neither the vocabulary nor the journal.
func (s *state) untold(d features.Document) []bool {
	untold := make([]bool, len(d.Terms))
	for i, hash := range d.Terms {
		_, known := s.filter.Vocabulary().ID(hash)
		untold[i] = !known || s.kind == features.Whole // whose vocabulary is one of documents
	}
	if s.kind != features.Whole {
		_, later := s.lookup.AppendExtended(features.Vector{}, s.filter.Vocabulary(), &s.later, d, features.Bits)
		for _, t := range later {
			untold[t.Index] = false
		}
	}
	return untold
}

func (s *state) latestGlobals() []byte {
	if g := journal.Globals(s.records); g != nil {
		return g
	}
	return s.globals
}

// rows returns the rows of ids, which ascend, up to the first id that is new.
func (s *state) rows(ids []uint32) ([]byte, error) {
	size := s.learner.TermSize()
	known, _ := slices.BinarySearch(ids, uint32(s.size()))
	ids = ids[:known]
	rows := make([]byte, len(ids)*size)
	missing, err := journal.Find(s.records, ids, func(i int, row []byte) { copy(rows[i*size:][:size], row) })
	if err != nil {
		return nil, err
	}
	for _, i := range missing {
		copy(rows[i*size:][:size], s.filter.Row(ids[i]))
	}
	return rows, s.filter.Err()
}

// partial is a vector over the learner's own ids, 0, 1, ..., in the order of the real ids.
func partial(x features.Vector, ids []uint32) features.Vector {
	y := features.Vector{Values: x.Values, Groups: x.Groups, IDs: make([]uint32, len(x.IDs))}
	for i, id := range x.IDs {
		k, _ := slices.BinarySearch(ids, id)
		y.IDs[i] = uint32(k)
	}
	return y
}

// vectorOf returns the vector of a document over the terms that the state knows.
func (s *state) vectorOf(d features.Document) features.Vector {
	x, _ := s.lookup.AppendExtended(features.Vector{}, s.filter.Vocabulary(), &s.later, d, s.kind)
	return x
}

// restore makes the learner one of the given ids.
func (s *state) restore(ids []uint32) error {
	rows, err := s.rows(ids)
	if err != nil {
		return err
	}
	return s.learner.Restore(s.latestGlobals(), rows)
}

// classify judges a document.
func (s *state) classify(d features.Document) (filter.Classification, error) {
	x := s.vectorOf(d)
	if s.learner == nil {
		return s.filter.Judge(s.filter.Linear().Scores(nil, x)), s.filter.Err()
	}
	if err := s.restore(x.IDs); err != nil {
		return filter.Classification{}, err
	}
	return s.filter.Judge(s.learner.Scores(nil, partial(x, x.IDs))), nil
}

// learn returns the record of learning a document of a class, and before that of forgetting old, unless it is nil.
func (s *state) learn(d features.Document, class int, old *features.Document, oldClass int) (journal.Record, error) {
	if s.learner == nil {
		return journal.Record{}, nil
	}
	x, added := s.lookup.AppendLearned(features.Vector{}, s.filter.Vocabulary(), &s.later, d, s.kind)
	ids := x.IDs
	var forgotten features.Vector
	if old != nil {
		forgotten = s.vectorOf(*old)
		ids = slices.Concat(x.IDs, forgotten.IDs)
		slices.Sort(ids)
		ids = slices.Compact(ids)
	}
	if err := s.restore(ids); err != nil {
		return journal.Record{}, err
	}
	if old != nil {
		s.learner.(models.CountingLearner).Forget(partial(forgotten, ids), oldClass)
	}
	s.learner.Learn(partial(x, ids), class)
	r := s.record(ids)
	for _, t := range added {
		r.New = append(r.New, t.Hash)
	}
	return r, nil
}

// forget returns the record of forgetting a document of a class.
func (s *state) forget(d features.Document, class int) (journal.Record, error) {
	x := s.vectorOf(d)
	if err := s.restore(x.IDs); err != nil {
		return journal.Record{}, err
	}
	s.learner.(models.CountingLearner).Forget(partial(x, x.IDs), class)
	return s.record(x.IDs), nil
}

// record returns a record of what the learner knows of its ids.
func (s *state) record(ids []uint32) journal.Record {
	r := journal.Record{IDs: ids, Globals: s.learner.AppendGlobals(nil)}
	for w := range ids {
		r.Rows = s.learner.AppendTerm(r.Rows, w)
	}
	return r
}

// over returns a learner that knows what the state knows, over a new vocabulary. Terms that the vocabulary lacks are left out, and those that
// the state lacks have learned nothing.
func (s *state) over(v *features.Vocabulary) (models.Online, error) {
	size := s.learner.TermSize()
	old := s.filter.Rows()
	old = append(slices.Clone(old), make([]byte, size*s.later.Len())...)
	added := make(map[uint64]uint32) // ids of the terms of the journal
	id := uint32(s.filter.Vocabulary().Len())
	for i := range s.records {
		r := &s.records[i]
		if err := r.VerifyRows(); err != nil {
			return nil, err
		}
		for _, hash := range r.New {
			added[hash] = id
			id++
		}
		for k, id := range r.IDs {
			copy(old[int(id)*size:][:size], r.Rows[k*size:])
		}
	}
	fresh, err := s.freshRow()
	if err != nil {
		return nil, err
	}
	rows := append(make([]byte, 0, (s.cells+v.Len())*size), old[:s.cells*size]...)
	for _, hash := range v.Hashes() {
		id, known := s.filter.Vocabulary().ID(hash)
		if !known {
			id, known = added[hash]
		}
		if !known {
			rows = append(rows, fresh...)
			continue
		}
		rows = append(rows, old[(s.cells+int(id))*size:][:size]...)
	}
	if err := s.learner.Restore(s.latestGlobals(), rows); err != nil {
		return nil, fmt.Errorf("carry over what was learned: %w", err)
	}
	return s.learner, nil
}

// freshRow returns the row of a term that has learned nothing: that of a term with the value 0.
func (s *state) freshRow() ([]byte, error) {
	if err := s.learner.Restore(s.latestGlobals(), nil); err != nil {
		return nil, err
	}
	x := features.Vector{IDs: []uint32{0}, Values: []float32{0}}
	if s.kind == features.Evidence {
		x.Groups = append(x.Groups, 0)
	}
	s.learner.Learn(x, 0)
	return s.learner.AppendTerm(nil, 0), nil
}
