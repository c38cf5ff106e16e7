package store

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"chaff/features"
	"chaff/filter"
	"chaff/train"
)

// Merged describes what Merge made.
type Merged struct {
	// Messages is the number of messages of the result, and Both of those that more than one log had.
	Messages int `json:"messages"`
	Both     int `json:"in_both"`
	// Conflicts is the number of messages with different labels. The one that was learned later counts.
	Conflicts int `json:"conflicting_labels"`
	// Largest is the number of messages of the largest class.
	Largest int `json:"-"`
	// Left is how many messages the sample left out.
	Left int `json:"left_out,omitempty"`
	// Saved is the model, nil for a part.
	Saved *train.Refitted `json:"saved_model,omitempty"`
}

// MergeOptions configure a merge.
type MergeOptions struct {
	RetrainOptions
	// Sample is K to keep one in K groups of near-duplicates, see [train.Mail.Sample]; 0 keeps all.
	Sample int
	// Part writes a part, see [Collect], and not a model.
	Part bool
}

// Merge writes the log of all messages of some logs, and the model fitted to them, to out. Of a message that more than one has, the newest entry counts, see
// [Entry.compare], also if that forgot it. The order of the logs changes nothing, nor does it matter whether some of them were merged before. The error says
// which setting differs if the logs cannot be merged, or wraps [ErrLearned]; all are left as they are.
func Merge(ctx context.Context, paths []string, out string, o MergeOptions) (m Merged, err error) {
	before := versionOf(out)
	all, err := merged(paths, o.Memory, &m)
	if err != nil {
		return m, err
	}
	if o.Sample > 1 {
		if m.Left, err = all.sample(o.Sample); err != nil {
			return m, err
		}
	}
	m.Messages, m.Largest = all.learned, slices.Max(all.perClass())
	var f *filter.Filter
	if o.Part {
		all.facts.Fitted, all.facts.FitSeconds = 0, 0
		all.count()
	} else {
		var refitted train.Refitted
		if f, refitted, err = all.fit(ctx, o.RetrainOptions, time.Now()); err != nil {
			return m, fmt.Errorf("fit the model of %d logs: %w", len(paths), err)
		}
		m.Saved = &refitted
	}
	return m, save(ctx, out, f, all, false, func(target string) error {
		if versionOf(target) != before {
			return ErrLearned
		}
		return nil
	})
}

// merged reads the logs of models, each once and from its beginning to its end: the terms of all, and then what follows.
func merged(paths []string, memory int64, m *Merged) (*ledger, error) {
	about := func(path string, err error) error { return fmt.Errorf("read %s: %w", path+Suffix, err) }
	var all *ledger
	var books []*book
	for _, path := range paths {
		b, err := openToRead(path)
		var r recipe
		if err == nil {
			defer b.file.Close()
			r, err = recipeIn(b.log)
		}
		if err != nil {
			return nil, about(path, err)
		}
		if all == nil {
			all = newLedger(r, b.facts, features.NewDocuments(memory))
		}
		if differs := all.difference(r); differs != "" {
			return nil, fmt.Errorf("merge %s and %s: %s differs", paths[0], path, differs)
		}
		books = append(books, b)
	}
	known := make([]features.Saved, len(books))
	for i, b := range books {
		var err error
		if known[i], err = all.documents.AddSaved(b.eachTerm); err != nil {
			return nil, about(paths[i], err)
		}
	}
	all.documents.SortSaved(known)
	all.facts.Expired = 0
	var ties []Entry
	for i, b := range books {
		l, err := b.readSome(all.documents, &known[i], nil)
		if err != nil {
			return nil, about(paths[i], err)
		}
		ties = append(ties, all.union(l, m)...)
		known[i] = features.Saved{}
	}
	all.tidy()
	if err := all.documents.Complete(1); err != nil {
		return nil, err
	}
	for _, e := range ties {
		if i, known := all.index[e.Fingerprint]; known && all.entries[i].compare(e) == 0 && all.documents.Compare(all.entries[i].Terms, e.Terms) < 0 {
			all.entries[i].Terms = e.Terms
		}
	}
	return all, nil
}

// versionOf returns numbers that each message changes in the log of the model at path, 0 without a log that can be read.
func versionOf(path string) (v [2]uint64) {
	_ = reading(path, func(b *book) error {
		v = [...]uint64{b.checkpoint.Key, uint64(b.end)}
		return nil
	})
	return v
}

// compare compares what two logs say of a message. An entry with a label that a person has confirmed is greater, then the later one, then one that forgets,
// then as [train.Entry.Compare] says, then that with the larger bytes: an order of all entries, so that the order of the logs does not matter.
func (e Entry) compare(other Entry) int {
	return cmp.Or(cmp.Compare(flag(e.Confirmed), flag(other.Confirmed)), e.Learned.Compare(other.Learned), cmp.Compare(e.what, other.what),
		e.Entry.Compare(other.Entry), bytes.Compare(appendEntry(nil, e), appendEntry(nil, other)))
}

// union adds what another ledger with the same documents says. Call tidy after the last one. It returns the entries that compare equal to those that were
// there, of which the documents decide.
func (l *ledger) union(other *ledger, m *Merged) (ties []Entry) {
	for _, e := range other.entries {
		if i, known := l.index[e.Fingerprint]; known {
			old := l.entries[i]
			if old.what == learn && e.what == learn {
				m.Both++
				if old.Label != e.Label {
					m.Conflicts++
				}
			}
			order := old.compare(e)
			if order == 0 && e.what == learn {
				ties = append(ties, e)
			}
			if order >= 0 {
				continue
			}
		}
		l.say(e)
	}
	for mailbox, files := range other.seen {
		l.seen.note(mailbox, files, nil)
	}
	l.facts.Expired += other.facts.Expired
	return ties
}

// sample keeps the messages of one in k groups of near-duplicates, and returns how many it drops. The documents are complete.
func (l *ledger) sample(k int) (dropped int, err error) {
	c, _, err := l.settings()
	if err != nil {
		return 0, err
	}
	in, err := l.mail().Sample(k, c.Split, l.Key)
	if err != nil {
		return 0, err
	}
	for i, in := range in {
		if !in {
			l.entries[i].what = 0
			dropped++
		}
	}
	l.tidy()
	return dropped, l.documents.Err()
}
