package store

import (
	"errors"
	"fmt"
	"time"

	"chaff/features"
	"chaff/filter"
	"chaff/internal/replace"
)

// View is a log as a reader sees it: the state before or after any message that a writer learns at the same time.
type View struct {
	*book
	ledger *ledger // without documents
	filter *filter.Filter
}

// Close closes the files. The view and its filter cannot be used afterwards.
func (v *View) Close() error { return errors.Join(v.filter.Close(), v.file.Close()) }

// Look reads the log of the model at path. It locks nothing and waits for nobody. The error wraps [ErrNone], or is about a file.
func Look(path string) (*View, error) {
	v, err := look(path)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path+Suffix, err)
	}
	return v, nil
}

func look(path string) (*View, error) {
	path, err := replace.Target(path)
	if err != nil {
		return nil, err
	}
	b, err := openToRead(path)
	if errors.Is(err, ErrNone) && HasEarlier(path) {
		err = ErrEarlier
	}
	if err != nil {
		return nil, err
	}
	v := &View{book: b}
	if v.ledger, err = b.read(nil, nil); err == nil {
		v.filter, err = filter.Open(path)
	}
	if err != nil {
		b.file.Close()
		return nil, err
	}
	return v, nil
}

// Filter returns the model as it was written last.
func (v *View) Filter() *filter.Filter { return v.filter }

// Classes returns the names of the classes.
func (v *View) Classes() []string { return v.recipe.Classes }

// Entries returns the messages of the log, in the order in which they were first learned.
func (v *View) Entries() []Entry { return v.ledger.entries }

// Sample is some messages of a log.
type Sample struct {
	byClass [][]features.Document
}

// Sample returns up to so many messages of each class, spread evenly over the log.
func (v *View) Sample(each int) (*Sample, error) {
	indices := make([][]int, len(v.Classes()))
	for i, e := range v.ledger.entries {
		indices[e.Label] = append(indices[e.Label], i)
	}
	s := &Sample{make([][]features.Document, len(indices))}
	var hashes []uint64
	for c, all := range indices {
		for n := range min(each, len(all)) {
			e := v.ledger.entries[all[n*len(all)/min(each, len(all))]]
			r, _, _, err := v.find(e.Fingerprint)
			if err != nil {
				return nil, err
			}
			document, err := v.document(r, &hashes)
			if err != nil {
				return nil, err
			}
			s.byClass[c] = append(s.byClass[c], *document)
		}
	}
	return s, nil
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
// of the log, see [filter.Filter.CanJoin].
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

// Status returns the state of the log at a time.
func (v *View) Status(now time.Time) Status {
	s := statusOf(v.ledger, v.filter, now)
	if warning := v.unlike(); warning != "" {
		s.Problems = append(s.Problems, "the last "+warning)
	}
	s.Records, s.TailBytes, s.LogBytes = len(v.tail), v.end-v.checkpoint.End(), v.end
	return s
}

// unlike returns a warning if the messages of the tail are unlike those that the model has learned, or "".
func (v *View) unlike() string {
	u, err := v.filter.NewUnlike()
	if err != nil {
		return ""
	}
	for _, r := range v.tail {
		if _, known := v.ledger.byFingerprint[r.Key]; known && op(r.Op) == learn {
			document, err := v.document(r, new([]uint64))
			if err != nil {
				return ""
			}
			u.Add(v.filter.ClassifyDocument(*document))
		}
	}
	return u.String()
}

// Later returns how many messages the log of the model at path has learned or forgotten other than by training, or has labels of that a person has confirmed;
// 0 without a log. It reads no document, and not the model.
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
	b, err := openToRead(path)
	if errors.Is(err, ErrNone) && HasEarlier(path) {
		err = ErrEarlier
	}
	if err != nil {
		return 0, err
	}
	defer b.file.Close()
	f, err := b.facts()
	if err != nil {
		return 0, err
	}
	entries, _, err := b.entries()
	for _, e := range entries {
		if e.Confirmed || e.Way != ByTraining && e.Way != ByImport {
			n++
		}
	}
	return n + f.Forgotten, err
}

// version says what a log has. Each message changes it.
type version struct {
	model uint64
	end   int64
}

// versionOf returns the version of the log of the model at path, 0 without a log that can be read.
func versionOf(path string) (v version, err error) {
	if path, err = replace.Target(path); errors.Is(err, replace.ErrDevice) {
		return v, nil
	}
	if err != nil {
		return v, err
	}
	b, err := openToRead(path)
	if err != nil {
		return v, nil
	}
	defer b.file.Close()
	return version{b.checkpoint.Key, b.end}, nil
}
