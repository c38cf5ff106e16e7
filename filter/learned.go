package filter

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"chaff/features"
	"chaff/internal/journal"
	"chaff/models"
)

// ErrNotLearning is returned for a model that cannot learn on: its trainer needs all mail at once, or it has no store that says what it knows.
var ErrNotLearning = errors.New("the model cannot learn from one message after the other")

// knowledge is what the learner of a model knows: its state in the base of the store, and the records of the journal since. It belongs to
// one goroutine.
type knowledge struct {
	state   *state
	ids     int // C + V
	journal *journal.Journal
	later   features.Extension
	err     error // the first one of reading later
}

// follow looks at the records of the journal, to which some may have been added.
func (k *knowledge) follow() {
	k.later = features.Extension{}
	for _, r := range k.journal.Records() {
		k.later.Add(r.Terms(), func(do func(hashes []uint64)) {
			if err := r.Hashes(do); k.err == nil {
				k.err = err
			}
		})
	}
}

// total returns the number of ids, those of new terms included.
func (k *knowledge) total() int { return k.ids + k.later.Len() }

// NewLearner returns a learner with the settings of f that knows nothing. The error is [ErrNotLearning], or about the file that f was opened
// from.
func (f *Filter) NewLearner() (models.Online, error) {
	if f.knowledge == nil && f.learned == nil {
		return nil, ErrNotLearning
	}
	settings, err := f.trainerSettings()
	if err != nil {
		return nil, err
	}
	l, kind, err := models.OnlineFrom(f.settings.Model, settings, f.settings.Classes)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotLearning, err)
	}
	if kind != f.kind || f.knowledge != nil && len(f.knowledge.state.none) != l.TermSize() {
		return nil, fmt.Errorf("%w: its learner has another kind or size of row", ErrVersion)
	}
	return l, nil
}

// trainerSettings returns the settings of the trainer, nil if there are none.
func (f *Filter) trainerSettings() (json.RawMessage, error) { return f.member("trainer") }

// member returns a member of the provenance, nil if it has none. It reads no more of the provenance than it must.
func (f *Filter) member(wanted string) (value json.RawMessage, err error) {
	info, err := f.Provenance()
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(info))
	_, err = d.Token() // the brace
	for err == nil && d.More() {
		var name json.Token
		if name, err = d.Token(); err == nil {
			err = d.Decode(&value)
		}
		if name == wanted && err == nil {
			return value, nil
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%w: provenance: %w", ErrVersion, err)
	}
	return nil, nil
}

// globals returns the globals after the last record.
func (k *knowledge) globals() ([]byte, error) {
	globals, err := k.journal.Globals()
	if err == nil && globals == nil {
		globals = k.state.globals
	}
	return globals, err
}

// gather returns the rows of ids, which are ascending and below k.total, one after the other.
func (k *knowledge) gather(ids []uint32, size int) ([]byte, error) {
	rows, wanted, buffer := make([]byte, len(ids)*size), journal.NewWanted(ids), new([]byte)
	take := func(i int, row []byte) { copy(rows[i*size:], row) }
	records := k.journal.Records()
	for n := len(records) - 1; n >= 0; n-- {
		err := records[n].CheckRows(size)
		if err == nil {
			err = records[n].Find(wanted, buffer, take)
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
		take(i, k.state.none)
	}
	return rows, k.state.find(left, buffer, func(i int, row []byte) { take(indices[i], row) })
}

// Partial is a learner that knows the terms of one document, and this document. It scores and learns the document as the whole learner
// would.
type Partial struct {
	Learner models.Online
	// Vector is the document, in the ids of Learner: 0, 1, 2, ...
	Vector features.Vector
	// Forgotten is the document that is to be forgotten, in the same ids.
	Forgotten features.Vector
	// IDs are the ids that these have in the model, in ascending order: cells by number, terms by id behind the cells.
	IDs []uint32
	// New are the terms that neither the model nor its journal has, in the order of their ids, which are the last of IDs. Learner does
	// not know them until it learns.
	New []features.LaterTerm
}

// Partial returns the learner for a document that is to be learned, and one that is to be forgotten before; one of them may be nil. Both
// were read with the settings of f. inJournal reports whether a record of the journal learned the forgotten one; if not, that counted for no
// term that only the journal has. The error is [ErrNotLearning], or about the files that f was opened from.
func (f *Filter) Partial(learned, forgotten *features.Document, inJournal bool) (p Partial, err error) {
	s := new(scratch)
	defer func() { err = cmp.Or(err, f.Err()) }() // a term of a damaged block looks new
	if f.knowledge == nil {
		return p, ErrNotLearning
	}
	counted := &f.knowledge.later // the terms of the journal that the forgotten document counted for
	if !inJournal {
		counted = new(features.Extension)
	}
	if learned == nil {
		p, err = f.partial(s, *forgotten, counted, false)
		p.Forgotten, p.Vector, p.New = p.Vector, features.Vector{}, nil
		return p, err
	}
	if p, err = f.partial(s, *learned, &f.knowledge.later, true); err != nil || forgotten == nil {
		return p, err
	}
	document := features.Vector{IDs: p.IDs}
	p.Forgotten, _ = new(features.Lookup).AppendExtended(features.Vector{}, f.vocabulary, counted, *forgotten, f.kind)
	p.IDs = slices.Concat(p.IDs, p.Forgotten.IDs)
	slices.Sort(p.IDs)
	p.IDs = slices.Compact(p.IDs)
	p.Vector.IDs, p.Forgotten.IDs = placesOf(document.IDs, p.IDs), placesOf(p.Forgotten.IDs, p.IDs)
	return p, f.restore(p.Learner, p.IDs)
}

// placesOf returns the indices in all of ids, which it has.
func placesOf(ids, all []uint32) []uint32 {
	places := make([]uint32, len(ids))
	for i, id := range ids {
		at, _ := slices.BinarySearch(all, id)
		places[i] = uint32(at)
	}
	return places
}

// partial returns the learner for a document, in the memory of s, by the terms of the model and later ones. Unless the document is to be learned,
// terms that both lack are left out, and New are the later ones.
func (f *Filter) partial(s *scratch, doc features.Document, later *features.Extension, learn bool) (p Partial, err error) {
	k := f.knowledge
	if p.Learner, err = f.NewLearner(); err != nil {
		return p, err
	}
	if learn {
		s.vector, p.New = s.lookup.AppendLearned(s.vector.Reset(), f.vocabulary, later, doc, f.kind)
	} else {
		s.vector, p.New = s.lookup.AppendExtended(s.vector.Reset(), f.vocabulary, later, doc, f.kind)
	}
	if k.err != nil {
		return p, k.err
	}
	p.IDs, p.Vector = s.vector.IDs, s.vector
	p.Vector.IDs = make([]uint32, len(p.IDs))
	for i := range p.Vector.IDs {
		p.Vector.IDs[i] = uint32(i)
	}
	return p, f.restore(p.Learner, p.IDs)
}

// restore makes a learner one of the terms with the given ids, which are ascending. It does not know the new ones among them.
func (f *Filter) restore(l models.Online, ids []uint32) error {
	k := f.knowledge
	known, _ := slices.BinarySearch(ids, uint32(k.total()))
	rows, err := k.gather(ids[:known], l.TermSize())
	if err != nil {
		return err
	}
	globals, err := k.globals()
	if err == nil {
		err = l.Restore(globals, rows)
	}
	return err
}

// Learner returns a learner that knows all that f knows. The error is [ErrNotLearning], or about the files that f was opened from.
func (f *Filter) Learner() (models.Online, error) {
	k := f.knowledge
	if f.learned != nil {
		return f.learned, nil
	}
	l, err := f.NewLearner()
	if err != nil {
		return nil, err
	}
	rows, err1 := k.allRows(l.TermSize())
	globals, err2 := k.globals()
	if err = cmp.Or(err1, err2); err == nil {
		err = l.Restore(globals, rows)
	}
	return l, err
}

// allRows returns the rows of all ids after the last record.
func (k *knowledge) allRows(size int) ([]byte, error) {
	rows, err := k.state.appendAll(make([]byte, 0, k.total()*size), k.ids)
	if err != nil {
		return nil, err
	}
	for _, r := range k.journal.Records() {
		err := r.CheckRows(size)
		if err == nil {
			err = r.Each(func(id uint32, row []byte) error {
				switch at := int(id) * size; {
				case at < len(rows):
					copy(rows[at:], row)
				case at == len(rows) && int(id) < k.total():
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
	if len(rows) != k.total()*size {
		return nil, fmt.Errorf("%w: the journal has no row of id %d", journal.ErrDamaged, len(rows)/size)
	}
	return rows, nil
}

// Follow makes f know the records that were added to its journal. It is for filters that [OpenToLearn] returned.
func (f *Filter) Follow() {
	if f.knowledge != nil {
		f.knowledge.follow()
		f.onlyPart = true
	}
}

// UnknownTerms reports for each term of a document whether neither the model nor its journal has it. A model whose terms are whole documents
// has none of them.
func (f *Filter) UnknownTerms(doc features.Document) []bool {
	switch {
	case f.kind == features.Whole:
		return slices.Repeat([]bool{true}, len(doc.Terms))
	case f.knowledge == nil:
		return new(features.Lookup).Unknown(f.vocabulary, new(features.Extension), doc)
	}
	return new(features.Lookup).Unknown(f.vocabulary, &f.knowledge.later, doc)
}

// LearnedVocabulary returns the vocabulary with the terms of the journal: that of [Filter.Learner]. The error is about the file that f was opened
// from.
func (f *Filter) LearnedVocabulary() (*features.Vocabulary, error) {
	v := f.vocabulary
	if f.part != nil {
		all, err := f.part.vocabulary()
		if err != nil {
			return nil, err
		}
		v = all
	}
	k := f.knowledge
	if k == nil || k.later.Len() == 0 {
		return v, nil
	}
	hashes := k.later.Hashes()
	return v.Extended(hashes), k.err
}

// Judge returns the classification by the K scores of a learner of the model.
func (f *Filter) Judge(scores []float64) Classification { return f.judge(scores, new([]float64)) }

// learnAll makes f a filter of all that it knows, which classifies many messages as fast as any other.
func (f *Filter) learnAll() error {
	l, err := f.Learner()
	if err != nil {
		return err
	}
	linear, err := l.Linear()
	if err != nil {
		return err
	}
	hashes := f.knowledge.later.Hashes()
	if f.knowledge.err != nil {
		return f.knowledge.err
	}
	f.learned, f.linear, f.vocabulary = l, linear, f.vocabulary.Extended(hashes)
	return nil
}

// laterTexts returns the texts of the terms of the journal, "" for those without one.
func (k *knowledge) laterTexts() ([]string, error) {
	texts := make([]string, 0, k.later.Len())
	records := k.journal.Records()
	for i := range records {
		some, err := records[i].NewTexts()
		if err != nil {
			return nil, err
		}
		texts = append(texts, some...)
		texts = append(texts, make([]string, records[i].Terms()-len(some))...)
	}
	return texts, nil
}
