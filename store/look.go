package store

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"time"

	"chaff/features"
	"chaff/filter"
	"chaff/internal/journal"
	"chaff/internal/replace"
	"chaff/internal/sections"
	"chaff/train"
)

// View is a store as a reader sees it: the state before or after any message that a writer learns at the same time.
type View struct {
	ledger  *ledger
	filter  *filter.Filter
	recent  []Entry // learned since the base
	records int
	journal int64
	base    int64
}

// Close closes the file of the model. The view and its filter cannot be used afterwards.
func (v *View) Close() error { return v.filter.Close() }

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
	file, b, j, err := openToRead(path, true)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	v := &View{records: j.Len(), journal: j.Size(), base: j.Base().Size()}
	if v.filter, err = filter.Open(path); err != nil {
		return nil, err
	}
	if v.filter.Identity() != j.Model() {
		v.filter.Close()
		if err = replace.CheckOwner(path+nextSuffix, path); err == nil {
			v.filter, err = filter.Open(path + nextSuffix)
		}
		if err != nil {
			return nil, ErrForeign
		}
	}
	if v.filter.Identity() != j.Model() {
		err = ErrForeign
	}
	if err == nil {
		v.ledger, err = b.ledger(0)
	}
	if err == nil {
		inBase := maps.Clone(v.ledger.byFingerprint)
		if err = v.ledger.apply(j); err == nil {
			v.recent = slices.DeleteFunc(slices.Clone(v.ledger.entries), func(e Entry) bool {
				_, known := inBase[e.Fingerprint]
				return known
			})
		}
	}
	if err != nil {
		v.filter.Close()
		return nil, err
	}
	return v, nil
}

// Filter returns the model of the base, without the journal.
func (v *View) Filter() *filter.Filter { return v.filter }

// Classes returns the names of the classes.
func (v *View) Classes() []string { return v.ledger.facts.Classes }

// NameHash is that of the store.
func (v *View) NameHash(name string) uint64 { return nameHash(v.filter.Settings(), name) }

// Fingerprint is [Store.Fingerprint].
func (v *View) Fingerprint(raw []byte) uint64 { return fingerprint(v.filter.Settings(), raw) }

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
		indices[e.Label] = append(indices[e.Label], i)
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
	if warning := v.unlike(); warning != "" {
		s.Problems = append(s.Problems, "the last "+warning)
	}
	s.Records, s.JournalBytes, s.BaseBytes = v.records, v.journal, v.base
	return s
}

// unlike returns a warning if the messages of the journal are unlike those that the model of the base has learned, or "".
func (v *View) unlike() string {
	u, err := v.filter.NewUnlike()
	if err != nil {
		return ""
	}
	for _, e := range v.recent {
		u.Add(v.filter.ClassifyDocument(v.ledger.documents.Document(e.Terms)))
	}
	return u.String()
}

// Entries returns the messages of the store, in the order in which they were first learned, without documents and sketches.
func (s *Store) Entries() ([]Entry, error) { return entriesOf(s.base, s.journal, len(s.Classes())) }

// entriesOf returns the messages of a base and a journal, without documents and sketches.
func entriesOf(b *base, j *journal.Journal, classes int) ([]Entry, error) {
	all, _, err := b.entries("MSGS", classes)
	if err != nil {
		return nil, err
	}
	l := &ledger{entries: all}
	l.remove(func(int) bool { return false }) // makes the index
	gone := map[int]bool{}
	records, err := j.Entries()
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
			e, err := entryOf(j, r, classes)
			if err != nil {
				return nil, err
			}
			l.put(e)
		}
	}
	l.remove(func(i int) bool { return gone[i] })
	return l.entries, nil
}

// Changed returns how many messages were learned or forgotten since the model was last fitted.
func (s *Store) Changed() (int, error) {
	f, err := s.facts()
	return f.Changed, err
}

// facts returns the facts of the base, with what the journal adds to Changed and Learned.
func (s *Store) facts() (facts, error) {
	f, err := s.base.facts()
	if err != nil {
		return f, err
	}
	records, err := s.journal.Entries()
	for _, r := range records {
		what, label := splitTag(r.Tag)
		if what == learn || what == forget {
			f.Changed++
		}
		if what == learn && label < len(f.Learned) {
			f.Learned[label]++
		}
	}
	return f, err
}

// Later returns how many messages the store of the model at path has learned or forgotten since it was trained, imported or merged, or whose
// labels were confirmed; 0 without a store. It reads no
// document, and not the model.
func Later(path string) (int, error) {
	n, err := later(path)
	if err != nil && !errors.Is(err, ErrNone) {
		return 0, fmt.Errorf("read %s: %w", path+Suffix, err)
	}
	return n, nil
}

func later(path string) (n int, err error) {
	if path, err = replace.Target(path); errors.Is(err, replace.ErrDevice) {
		return 0, ErrNone
	}
	if err != nil {
		return 0, err
	}
	if info, err := os.Stat(path + Suffix); err == nil && info.Size() == 0 {
		return 0, ErrNone
	}
	file, b, j, err := openToRead(path, false)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	f, err := b.facts()
	if err != nil {
		return 0, err
	}
	entries, err := entriesOf(b, j, len(f.Classes))
	if err != nil {
		return 0, err
	}
	n = f.Forgotten
	for _, e := range entries {
		if e.Confirmed || e.Way != ByTraining && e.Way != ByImport && e.Learned.Unix() >= f.Begun {
			n++
		}
	}
	records, err := j.Entries()
	for _, r := range records {
		if what, _ := splitTag(r.Tag); what == forget {
			n++
		}
	}
	return n, err
}

// version says what a store has. Each message changes it.
type version struct {
	base    uint64 // its identity
	journal int64  // its size
}

// versionOf returns the version of the store of the model at path, 0 without a store that can be read.
func versionOf(path string) (v version, err error) {
	if path, err = replace.Target(path); errors.Is(err, replace.ErrDevice) {
		return v, nil
	}
	if err != nil {
		return v, err
	}
	file, b, j, err := openToRead(path, false)
	if err != nil {
		return v, nil
	}
	defer file.Close()
	return version{b.sections.Identity(), j.Size()}, nil
}

// openToRead opens the store of the model at path, with all records of its journal or those that a reader needs.
func openToRead(path string, whole bool) (*os.File, *base, *journal.Journal, error) {
	if err := owned(path); err != nil {
		return nil, nil, nil, err
	}
	file, err := openRegular(path+Suffix, os.O_RDONLY)
	if errors.Is(err, os.ErrNotExist) {
		err = ErrNone
	}
	if err != nil {
		return nil, nil, nil, err
	}
	info, err := file.Stat()
	var j *journal.Journal
	if err == nil {
		j, err = journal.Open(sections.Plain(file), info.Size(), whole)
	}
	if err != nil {
		file.Close()
		return nil, nil, nil, replace.Reason(err)
	}
	return file, baseOf(j.Base()), j, nil
}
