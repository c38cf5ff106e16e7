package store

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"chaff/features"
	"chaff/train"
)

// Merged describes what Merge made.
type Merged struct {
	// Messages is the number of messages of the result, and Both of those that more than one log had.
	Messages int `json:"messages"`
	Both     int `json:"in_both"`
	// Conflicts is the number of messages with different labels. The one that was learned later counts.
	Conflicts int            `json:"conflicting_labels"`
	Saved     train.Refitted `json:"saved_model"`
}

// Merge writes the log of all messages of some logs, and the model fitted to them, to out. Of a message that more than one has, the newest entry counts, see
// [Entry.compare], also if that forgot it. The order of the logs changes nothing. The error says which setting differs if the logs cannot be merged, or
// wraps [ErrLearned]; all are left as they are.
func Merge(ctx context.Context, paths []string, out string, o RetrainOptions) (Merged, error) {
	before := versionOf(out)
	var m Merged
	var all *ledger
	for i, path := range paths {
		l, err := ledgerAt(path, features.NewDocuments(0))
		if err != nil {
			return m, fmt.Errorf("read %s: %w", path+Suffix, err)
		}
		if i == 0 {
			all = l
			continue
		}
		if differs := all.difference(l.recipe); differs != "" {
			return m, fmt.Errorf("merge %s and %s: %s differs", paths[0], path, differs)
		}
		all.union(l, &m)
	}
	now := time.Now()
	all.expire(all.facts.Options, now)
	m.Messages = all.learned
	f, refitted, err := all.fit(ctx, o, now)
	if err != nil {
		return m, fmt.Errorf("fit the model of %d logs: %w", len(paths), err)
	}
	m.Saved = refitted
	return m, save(ctx, out, f, all, func(target string) error {
		if versionOf(target) != before {
			return ErrLearned
		}
		return nil
	})
}

// ledgerAt reads the log of the model at path, with its documents unless they are nil.
func ledgerAt(path string, documents *features.Documents) (*ledger, error) {
	b, err := openToRead(path)
	if err != nil {
		return nil, err
	}
	defer b.file.Close()
	return b.read(documents)
}

// version says what a log has. Each message changes it.
type version struct {
	model uint64
	end   int64
}

// versionOf returns the version of the log of the model at path, 0 without a log that can be read.
func versionOf(path string) version {
	b, err := openToRead(path)
	if err != nil {
		return version{}
	}
	defer b.file.Close()
	return version{b.checkpoint.Key, b.end}
}

// compare compares what two logs say of a message. An entry with a label that a person has confirmed is greater, then the later one, then one that forgets,
// then that with the larger bytes: an order of all entries, so that the order of the logs does not matter.
func (e Entry) compare(other Entry) int {
	rank := func(e Entry) int { return map[op]int{trust: 0, learn: 1, forget: 2}[e.what] }
	return cmp.Or(cmp.Compare(flag(e.Confirmed), flag(other.Confirmed)), e.Learned.Compare(other.Learned), cmp.Compare(rank(e), rank(other)),
		bytes.Compare(appendEntry(nil, e), appendEntry(nil, other)))
}

// union adds what another ledger says, which is left as it is.
func (l *ledger) union(other *ledger, m *Merged) {
	w := l.documents.NewWriter()
	defer w.Close()
	for _, fingerprint := range slices.Sorted(maps.Keys(other.index)) {
		e := other.entries[other.index[fingerprint]]
		if i, known := l.index[fingerprint]; known {
			old := l.entries[i]
			if old.what == learn && e.what == learn {
				m.Both++
				if old.Label != e.Label {
					m.Conflicts++
				}
			}
			if old.compare(e) >= 0 {
				continue
			}
		}
		if e.what == learn {
			e.Terms = w.Copy(other.documents, e.Terms)
		}
		l.say(e)
	}
	l.tidy()
	for mailbox, files := range other.seen {
		l.seen.note(mailbox, files, nil)
	}
	l.facts.Expired += other.facts.Expired
	l.facts.Forgotten = 0
	for _, e := range l.entries {
		l.facts.Forgotten += int(flag(e.what == forget))
	}
	for why, n := range other.facts.Refused {
		l.facts.refused(why, n)
	}
}
