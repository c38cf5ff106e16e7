package store

import (
	"errors"

	"chaff/features"
	"chaff/filter"
	"chaff/internal/journal"
	"chaff/models"
	"chaff/train"
)

// forgets reports whether a model forgets a document at once.
func forgets(f *filter.One) bool {
	l, err := f.NewLearner()
	if err != nil {
		return false
	}
	_, ok := l.(models.CountingLearner)
	return ok
}

// update is a change to a model: what it learns, and what it forgets before that. A model that learns only when it is fitted stays as it
// is.
type update struct {
	filter.Partial
	learns, forgets bool
	verdict         filter.Classification // on what it learns, before
}

// newUpdate prepares to learn a document and to forget another one, which the journal has or the base. Either may be nil.
func newUpdate(f *filter.One, learned, old *features.Document, inJournal bool) (u update, err error) {
	u.learns, u.forgets = learned != nil, old != nil
	if !u.learns && !u.forgets {
		return u, nil
	}
	u.Partial, err = f.Partial(learned, old, inJournal)
	if errors.Is(err, filter.ErrNotLearning) {
		u.Learner = nil
		if learned != nil {
			u.verdict, err = f.ClassifyDocument(*learned)
			return u, err
		}
		return u, nil
	}
	if err == nil && learned != nil {
		u.verdict = f.Judge(u.Learner.Scores(nil, u.Vector))
	}
	return u, err
}

// record makes the change, from a document of the class before to one of class after, and returns its record.
func (u update) record(before, after int) journal.Record {
	if u.Learner == nil {
		return journal.Record{}
	}
	if u.forgets {
		u.Learner.(models.CountingLearner).Forget(u.Forgotten, before)
	}
	if u.learns {
		u.Learner.Learn(u.Vector, after)
	}
	r := journal.Record{IDs: u.IDs, Rows: make([]byte, 0, len(u.IDs)*u.Learner.TermSize()), Globals: u.Learner.AppendGlobals(nil)}
	for w := range u.IDs {
		r.Rows = u.Learner.AppendTerm(r.Rows, w)
	}
	for _, t := range u.New {
		r.New = append(r.New, t.Hash)
	}
	return r
}

// recounted returns the learner of a model of counts that knows the messages of a ledger, over a new vocabulary. What it counted before says
// nothing of terms that the old vocabulary lacked, nor of messages that have expired.
func recounted(f *filter.One, l *ledger, v *features.Vocabulary) (models.Online, error) {
	learner, err := f.NewLearner()
	if err != nil {
		return nil, err
	}
	learner.Grow(f.FirstTerm() + v.Len())
	labels := make([]int32, len(l.entries))
	for i, e := range l.entries {
		labels[i] = int32(e.Label)
	}
	d := train.DatasetOf(f.Kind(), v, l.facts.Classes, l.documents, l.refs(), labels, 1)
	rows := d.Rows()
	for i, label := range labels {
		learner.Learn(rows.Row(i), int(label))
	}
	return learner, d.Err()
}

// over returns a learner that knows what the one of f knows, over a new vocabulary. What the vocabulary lacks is left out, and new terms have
// learned nothing.
func over(f *filter.One, v *features.Vocabulary) (models.Online, error) {
	l, old, err := f.Learned()
	if err != nil {
		return nil, err
	}
	none, err := f.EmptyRow(l.AppendGlobals(nil))
	if err != nil {
		return nil, err
	}
	cells := f.FirstTerm()
	rows := make([]byte, 0, (cells+v.Len())*l.TermSize())
	for w := range cells {
		rows = l.AppendTerm(rows, w)
	}
	for _, hash := range v.Hashes() {
		if id, known := old.ID(hash); known {
			rows = l.AppendTerm(rows, cells+int(id))
		} else {
			rows = append(rows, none...)
		}
	}
	return l, l.Restore(l.AppendGlobals(nil), rows)
}
