package store

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"chaff/internal/cputime"
	"chaff/internal/replace"
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
// [statement.compare], also if that forgot it. The order of the logs changes nothing. The error says which setting differs if the logs cannot be merged, or
// wraps [ErrLearned]; all are left as they are.
func Merge(ctx context.Context, paths []string, out string, o RetrainOptions) (Merged, error) {
	began := cputime.Process()
	before, err := versionOf(out)
	if err != nil {
		return Merged{}, err
	}
	var m Merged
	var all *ledger
	for i, path := range paths {
		l, err := ledgerAt(path)
		if err != nil {
			return m, fmt.Errorf("read %s: %w", path+Suffix, err)
		}
		if i == 0 {
			all = l
			continue
		}
		differs, err := all.recipe.difference(l.recipe)
		if err == nil && differs != "" {
			err = fmt.Errorf("%s differs", differs)
		}
		if err != nil {
			return m, fmt.Errorf("merge %s and %s: %w", paths[0], path, err)
		}
		m.Both, m.Conflicts = all.union(l, m.Both, m.Conflicts)
	}
	if err := all.documents.Complete(1); err != nil {
		return m, err
	}
	now := time.Now()
	all.expire(all.facts.Options, now)
	m.Messages = len(all.entries)
	f, refitted, err := all.fit(ctx, o, now, began)
	if err != nil {
		return m, fmt.Errorf("fit the model of %d logs: %w", len(paths), err)
	}
	m.Saved = refitted
	return m, save(ctx, out, f, all, func(target string) error {
		if now, err := versionOf(target); err != nil || now != before {
			return cmp.Or(err, ErrLearned)
		}
		return nil
	})
}

// ledgerAt reads the log of the model at path.
func ledgerAt(path string) (*ledger, error) {
	path, err := replace.Target(path)
	if err != nil {
		return nil, err
	}
	b, err := openToRead(path)
	if err != nil {
		return nil, err
	}
	defer b.file.Close()
	return b.ledger(0)
}

// statement is what a log says of a message.
type statement struct {
	what op
	Entry
}

// compare compares what two logs say of a message. One about a label that a person has confirmed is greater, then the later one, then one that forgets, then
// that with the larger bytes: an order of all statements, so that the order of the logs does not matter.
func (s statement) compare(other statement) int {
	rank := func(s statement) int { return map[op]int{trust: 0, learn: 1, forget: 2}[s.what] }
	return cmp.Or(cmp.Compare(flag(s.Confirmed), flag(other.Confirmed)), s.Learned.Compare(other.Learned), cmp.Compare(rank(s), rank(other)),
		bytes.Compare(appendEntry(nil, s.Entry), appendEntry(nil, other.Entry)))
}

// statements returns what a ledger says of each message.
func (l *ledger) statements() map[uint64]statement {
	all := make(map[uint64]statement, len(l.entries))
	for _, e := range l.entries {
		all[e.Fingerprint] = statement{learn, e}
	}
	for _, e := range l.trusted {
		all[e.Fingerprint] = statement{trust, e}
	}
	for _, e := range l.forgotten {
		all[e.Fingerprint] = statement{forget, e}
	}
	return all
}

// union adds what another ledger says, which is left as it is.
func (l *ledger) union(other *ledger, both, conflicts int) (int, int) {
	mine := l.statements()
	w := l.documents.NewWriter()
	defer w.Close()
	theirs, gone := other.statements(), map[uint64]bool{}
	for _, fingerprint := range slices.Sorted(maps.Keys(theirs)) {
		s := theirs[fingerprint]
		old, known := mine[fingerprint]
		if known && old.what == learn && s.what == learn {
			both++
			if old.Label != s.Label {
				conflicts++
			}
		}
		if known && old.compare(s) >= 0 {
			continue
		}
		l.distrust(fingerprint)
		delete(l.forgotten, fingerprint)
		gone[fingerprint] = s.what != learn
		switch s.what {
		case forget:
			l.forgotten[fingerprint] = s.Entry
		case trust:
			l.trusted = append(l.trusted, s.Entry)
		default:
			s.Terms = w.Copy(other.documents, s.Terms)
			l.put(s.Entry)
		}
	}
	l.remove(func(i int) bool { return gone[l.entries[i].Fingerprint] })
	for mailbox, files := range other.seen {
		l.seen.note(mailbox, files, nil)
	}
	l.facts.Expired += other.facts.Expired
	l.facts.Forgotten = len(l.forgotten)
	for why, n := range other.facts.Refused {
		l.facts.refused(why, n)
	}
	return both, conflicts
}
