package store

import (
	"errors"

	"chaff/features"
	"chaff/filter"
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
	b, l, err := readAll(path)
	if err != nil {
		return nil, err
	}
	f, err := filter.Open(path) // whose error names the model
	if err != nil {
		b.file.Close()
		return nil, err
	}
	return &View{b, l, f}, nil
}

// Filter returns the model as it was written last.
func (v *View) Filter() *filter.Filter { return v.filter }

// Classes returns the names of the classes.
func (v *View) Classes() []string { return v.names.Classes }

// Entries returns the messages of the log, in the order in which they were first learned.
func (v *View) Entries() []Entry { return v.ledger.entries[:v.ledger.learned] }

// Sample is some messages of a log, by class.
type Sample [][]features.Document

// Sample returns up to so many messages of each class, spread evenly over the log.
func (v *View) Sample(each int) (Sample, error) {
	byClass := make([][]Entry, len(v.Classes()))
	for _, e := range v.Entries() {
		byClass[e.Label] = append(byClass[e.Label], e)
	}
	s := make(Sample, len(byClass))
	for c, all := range byClass {
		for n := range min(each, len(all)) {
			document, _, err := v.document(all[n*len(all)/min(each, len(all))])
			if err != nil {
				return nil, err
			}
			s[c] = append(s[c], document)
		}
	}
	return s, nil
}

// Len returns how many messages the smallest class has.
func (s Sample) Len() int {
	least := len(s[0])
	for _, documents := range s {
		least = min(least, len(documents))
	}
	return least
}

// Mean returns the mean score that a filter gives the messages, some of each class, of which each has the same weight. The filter reads mail like the model
// of the log, see [filter.Filter.CanJoin].
func (s Sample) Mean(f *filter.Filter) (mean float64) {
	for _, documents := range s {
		var sum float64
		for _, d := range documents {
			sum += f.ClassifyDocument(d).Score
		}
		mean += sum / float64(len(documents)*len(s))
	}
	return mean
}

// unlike returns a warning if the messages of the tail are unlike those that the model has learned, or "".
func (v *View) unlike() string {
	u, err := v.filter.NewUnlike()
	if err != nil {
		return ""
	}
	for _, e := range v.Entries() {
		if e.at > v.checkpoint.At {
			document, _, err := v.document(e)
			if err != nil {
				return ""
			}
			u.Add(v.filter.ClassifyDocument(document))
		}
	}
	return u.String()
}
