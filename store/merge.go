package store

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"chaff/filter"
	"chaff/internal/cputime"
	"chaff/train"
)

// Merged describes what Merge made.
type Merged struct {
	// Messages is the number of messages of the result, and Both of those that both stores had.
	Messages int `json:"messages"`
	Both     int `json:"in_both"`
	// Conflicts is the number of messages with different labels. The one that was learned later counts.
	Conflicts int            `json:"conflicting_labels"`
	Saved     train.Refitted `json:"saved_model"`
}

// Merge writes the store of all messages of two stores, and the model fitted to them, to out. Of a message that both have, the entry that was learned later
// counts, unless only the other has a label that a person has confirmed. The error says which setting differs if the stores cannot be merged, or wraps [ErrLearned]; both are left as they are.
func Merge(ctx context.Context, a, b, out string, o RetrainOptions) (Merged, error) {
	began := cputime.Process()
	before, err := versionOf(out)
	if err != nil {
		return Merged{}, err
	}
	first, err := Look(a)
	if err != nil {
		return Merged{}, err
	}
	defer first.Close()
	second, err := Look(b)
	if err != nil {
		return Merged{}, err
	}
	defer second.Close()
	if differs, err := difference(first.filter, second.filter); err != nil || differs != "" {
		if err == nil {
			err = fmt.Errorf("%s differs", differs)
		}
		return Merged{}, fmt.Errorf("merge %s and %s: %w", a, b, err)
	}
	m := Merged{}
	l := first.ledger
	w, kept := l.documents.NewWriter(), second.ledger.documents.Kept()
	for _, e := range second.ledger.entries {
		at, both := l.byFingerprint[e.Fingerprint]
		if both {
			m.Both++
			old := &l.entries[at]
			if old.Label != e.Label {
				m.Conflicts++
			} else {
				old.Confirmed = old.Confirmed || e.Confirmed
				e.Confirmed = old.Confirmed
			}
			if old.Confirmed && !e.Confirmed || old.Confirmed == e.Confirmed && !e.Learned.After(old.Learned) {
				continue
			}
		}
		e.Terms, e.Sketch = w.Copy(second.ledger.documents, e.Terms), w.Keep(kept(e.Sketch))
		l.put(e)
	}
	w.Close()
	if err := l.documents.Complete(1); err != nil {
		return m, err
	}
	for mailbox, files := range second.ledger.seen {
		l.seen.note(mailbox, files, nil)
	}
	for _, e := range second.ledger.trusted {
		l.distrust(e.Fingerprint)
		l.trusted = append(l.trusted, e)
	}
	l.trusted = slices.DeleteFunc(l.trusted, func(e Entry) bool { _, learned := l.byFingerprint[e.Fingerprint]; return learned })
	l.facts.Expired += second.ledger.facts.Expired
	l.facts.Begun, l.facts.Forgotten = time.Now().Unix(), 0
	for why, n := range second.ledger.facts.Refused {
		l.refused(why, n)
	}
	l.expire(l.facts.Options, time.Now())
	m.Messages = len(l.entries)
	f, refitted, err := fit(ctx, first.filter, l, o, time.Now(), began)
	if err != nil {
		return m, fmt.Errorf("fit the model of %s and %s: %w", a, b, err)
	}
	m.Saved = refitted
	return m, save(ctx, out, f, l, func(target string) error {
		if now, err := versionOf(target); err != nil || now != before {
			return cmp.Or(err, ErrLearned)
		}
		return nil
	})
}

// difference returns the first setting in which two models differ that have to agree for their documents to mean the same; "" for none.
func difference(a, b *filter.Filter) (string, error) {
	x, y := a.Settings(), b.Settings()
	p, err := train.ProvenanceOf(a)
	if err != nil {
		return "", err
	}
	q, err := train.ProvenanceOf(b)
	if err != nil {
		return "", err
	}
	switch {
	case !bytes.Equal(x.Key.Bytes(), y.Key.Bytes()):
		return "the secret key", nil
	case !slices.Equal(x.Classes, y.Classes):
		return fmt.Sprintf("the list of classes (%s; %s)", strings.Join(x.Classes, ", "), strings.Join(y.Classes, ", ")), nil
	case x.Model != y.Model:
		return fmt.Sprintf("the model (%s; %s)", x.Model, y.Model), nil
	}
	for _, s := range []struct {
		name string
		a, b any
	}{{"message", x.Message, y.Message}, {"tokenize", x.Tokenize, y.Tokenize}, {"features", p.Features, q.Features}, {"models." + strings.ReplaceAll(x.Model, "-", "_"), p.Trainer, q.Trainer}} {
		if name, err := differentMember(s.a, s.b); err != nil || name != "" {
			return strings.TrimSuffix("the setting "+s.name+"."+name, "."), err
		}
	}
	return "", nil
}

// differentMember returns the first member, by name, in which the JSON of two values differs; "" for none.
func differentMember(a, b any) (string, error) {
	var members [2]map[string]json.RawMessage
	for i, value := range []any{a, b} {
		data, err := json.Marshal(value)
		if err == nil {
			err = json.Unmarshal(data, &members[i])
		}
		if err != nil {
			return "", err
		}
	}
	var different []string
	for name, value := range members[0] {
		if !bytes.Equal(value, members[1][name]) {
			different = append(different, name)
		}
	}
	for name := range members[1] {
		if _, both := members[0][name]; !both {
			different = append(different, name)
		}
	}
	if len(different) == 0 {
		return "", nil
	}
	return slices.Min(different), nil
}
