package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"chaff/features"
	"chaff/filter"
	"chaff/internal/journal"
	"chaff/internal/replace"
	"chaff/train"
)

// View is a store as a reader sees it: the state before or after any message that a writer learns at the same time.
type View struct {
	ledger  *ledger
	filter  *filter.Filter
	records int
	journal int64
	base    int64
}

// looks is how often a reader starts over because a writer replaced the files between two steps.
const looks = 20

// Look reads the store of the model at path. It locks nothing and waits for nobody. The error wraps [ErrNone] or [ErrForeign], or is about a file.
func Look(path string) (*View, error) {
	target, err := replace.Target(path)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path+Suffix, err)
	}
	for range looks {
		var v *View
		if v, err = look(target); err == nil {
			return v, nil
		}
		if !errors.Is(err, ErrForeign) {
			break
		}
	}
	return nil, fmt.Errorf("read %s: %w", path+Suffix, err)
}

func look(path string) (*View, error) {
	if err := owned(path); err != nil {
		return nil, err
	}
	file, err := openRegular(path+Suffix, os.O_RDONLY)
	if errors.Is(err, os.ErrNotExist) {
		return nil, ErrNone
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, withoutPath(err)
	}
	b, err := openBase(file)
	if err != nil {
		return nil, err
	}
	j, err := journal.Open(file, info.Size(), true)
	if err != nil {
		return nil, withoutPath(err)
	}
	v := &View{records: j.Len(), journal: j.Size(), base: j.Base()}
	if v.filter, err = filter.Open(path); err != nil {
		return nil, err
	}
	if v.filter.Identity() != j.Model() {
		if err = replace.CheckOwner(path+nextSuffix, path); err == nil {
			v.filter, err = filter.Open(path + nextSuffix)
		}
		if err != nil || v.filter.Identity() != j.Model() {
			return nil, ErrForeign
		}
	}
	if v.ledger, err = b.ledger(0); err != nil {
		return nil, err
	}
	return v, v.ledger.apply(j)
}

// Filter returns the model of the base, without the journal.
func (v *View) Filter() *filter.Filter { return v.filter }

// Classes returns the names of the classes.
func (v *View) Classes() []string { return v.ledger.facts.Classes }

// NameHash is that of the store.
func (v *View) NameHash(name string) uint64 { return nameHash(v.filter, name) }

// Entries returns the messages of the store, in the order in which they were first learned.
func (v *View) Entries() []Entry { return v.ledger.entries }

// Mail returns the messages of the store, whose bytes cannot be read again.
func (v *View) Mail() *train.Mail { return v.ledger.mail() }

// Sample is some messages of a store.
type Sample struct {
	byClass [][]features.Document
}

// Sample returns up to so many messages of each class, spread evenly over the store.
func (v *View) Sample(each int) *Sample {
	indices := make([][]int, len(v.Classes()))
	for i, e := range v.ledger.entries {
		if e.IsMessage() {
			indices[e.Label] = append(indices[e.Label], i)
		}
	}
	s := &Sample{make([][]features.Document, len(indices))}
	for c, all := range indices {
		for n := range min(each, len(all)) {
			e := v.ledger.entries[all[n*len(all)/min(each, len(all))]]
			s.byClass[c] = append(s.byClass[c], v.ledger.documents.Document(e.Terms))
		}
	}
	return s
}

// Len returns how many messages the smallest class has.
func (s *Sample) Len() int {
	least := len(s.byClass[0])
	for _, documents := range s.byClass {
		least = min(least, len(documents))
	}
	return least
}

// Mean returns the mean score that a filter gives the messages, of which each class has the same weight. The filter reads mail like the model
// of the store, see [filter.Filter.CanJoin].
func (s *Sample) Mean(f *filter.Filter) float64 {
	var sum float64
	classes := 0
	for _, documents := range s.byClass {
		var ofClass float64
		for _, d := range documents {
			ofClass += f.ClassifyDocument(d).Score
		}
		if len(documents) > 0 {
			sum += ofClass / float64(len(documents))
			classes++
		}
	}
	return sum / float64(max(classes, 1))
}

// Status returns the state of the store at a time.
func (v *View) Status(now time.Time) Status {
	s := statusOf(v.ledger, v.filter, now)
	s.Records, s.JournalBytes, s.BaseBytes = v.records, v.journal, v.base
	return s
}

// Entries returns the messages of the store, in the order in which they were first learned, without documents and sketches.
func (s *Store) Entries() ([]Entry, error) {
	all, _, err := s.base.entries(len(s.Classes()))
	if err != nil {
		return nil, err
	}
	l := &ledger{entries: all}
	l.remove(func(int) bool { return false }) // makes the index
	gone := map[int]bool{}
	records, err := s.journal.Entries()
	if err != nil {
		return nil, err
	}
	for _, r := range records {
		what, _ := splitTag(r.Tag)
		at, known := l.byFingerprint[r.Key]
		switch {
		case what == forget && known:
			gone[at] = true
			delete(l.byFingerprint, r.Key)
		case what == learn:
			meta, err := s.meta(r)
			if err != nil {
				return nil, err
			}
			e, _ := readEntry(meta[8:])
			if known {
				l.entries[at] = e
				continue
			}
			l.byFingerprint[r.Key] = len(l.entries)
			l.entries = append(l.entries, e)
		}
	}
	l.remove(func(i int) bool { return gone[i] })
	return l.entries, nil
}

// Changed returns how many messages were learned or forgotten since the model was last fitted.
func (s *Store) Changed() (int, error) {
	f, err := s.base.facts()
	if err != nil {
		return 0, err
	}
	records, err := s.journal.Entries()
	for _, r := range records {
		if what, _ := splitTag(r.Tag); what == learn || what == forget {
			f.Changed++
		}
	}
	return f.Changed, err
}

// Later returns how many messages the store of the model at path has that were not learned by training; 0 without a store.
func Later(ctx context.Context, path string) (int, error) {
	v, err := Look(path)
	if errors.Is(err, ErrNone) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	n := 0
	for _, e := range v.Entries() {
		if e.Way != ByTraining {
			n++
		}
	}
	return n, nil
}
