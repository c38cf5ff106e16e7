package store

import (
	"bytes"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"chaff/test/corpustest"
)

// taughtAtRandom returns a copy of the model at path, and of its log, which was taught some of the messages at random times.
func taughtAtRandom(t *testing.T, path string, all []Message, r *rand.Rand) string {
	t.Helper()
	to := copyStore(t, path, contents(t, path+Suffix))
	s := opened(t, to)
	begin := time.Now()
	labels := map[uint64]int{}
	for range 60 {
		at := begin.Add(time.Duration(r.IntN(20)) * time.Second) // the times of two logs can be the same
		s.now = func() time.Time { return at }
		m := all[r.IntN(len(all))]
		switch r.IntN(5) {
		case 0:
			_, err := s.Forget(m.Raw)
			noError(t, err)
		case 1:
			labels[s.Fingerprint(m.Raw)] = r.IntN(2)
			fallthrough
		default:
			m.Label = s.Classes()[r.IntN(2)]
			learned(t, s, m)
		}
	}
	_, err := s.Retrain(t.Context(), labels, RetrainOptions{})
	noError(t, err)
	noError(t, s.Close())
	return to
}

func TestMergesCommuteAssociateAndRepeat(t *testing.T) {
	path := trained(t, "multinomial", corpustest.Mailbox(1, 20, "ham", "spam"))
	all := append(mailOf(t, corpustest.Mailbox(1, 20, "ham", "spam")), mailOf(t, corpustest.Mailbox(2, 20, "ham", "spam"))...)
	for seed := range uint64(4) {
		r := rand.New(rand.NewPCG(seed, 1))
		a, b, c := taughtAtRandom(t, path, all, r), taughtAtRandom(t, path, all, r), taughtAtRandom(t, path, all, r)
		merged := func(paths ...string) string {
			out := filepath.Join(t.TempDir(), "out")
			_, err := Merge(t.Context(), paths, out, MergeOptions{})
			noError(t, err)
			return out
		}
		digest := func(path string) string {
			v, err := Look(path)
			noError(t, err)
			defer v.Close()
			return v.Status(time.Now()).Digest
		}
		want := merged(a, b, c)
		for name, got := range map[string]string{
			"in another order":   merged(c, a, b),
			"two at a time":      merged(merged(a, b), c),
			"the last two first": merged(a, merged(c, b)),
			"with repetitions":   merged(b, want, a, c, b),
		} {
			if digest(got) != digest(want) {
				t.Errorf("seed %d, %s: the log says something else", seed, name)
			}
			if !bytes.Equal(contents(t, got), contents(t, want)) {
				t.Errorf("seed %d, %s: the model is another one", seed, name)
			}
		}
		if digest(merged(a, a)) != digest(a) {
			t.Errorf("seed %d: a log merged with itself says something else", seed)
		}
	}
}

func TestAForgottenMessageDoesNotComeBackByAMerge(t *testing.T) {
	path := trained(t, "multinomial", corpustest.Mailbox(1, 20, "ham", "spam"))
	other := copyStore(t, path, contents(t, path+Suffix))
	m := mailOf(t, corpustest.Mailbox(1, 20, "ham", "spam"))[3]
	s := opened(t, path)
	later := time.Now().Add(time.Minute)
	s.now = func() time.Time { return later }
	_, err := s.Forget(m.Raw)
	noError(t, err)
	retrain(t, s)
	noError(t, s.Close())
	for _, paths := range [][]string{{path, other}, {other, path}} {
		out := filepath.Join(t.TempDir(), "out")
		_, err := Merge(t.Context(), paths, out, MergeOptions{})
		noError(t, err)
		s := opened(t, out)
		if e, err := s.find(s.Fingerprint(m.Raw)); e.what == learn || err != nil {
			t.Errorf("the message is known: %v", err)
		}
	}
	s = opened(t, path)
	s.now = func() time.Time { return later.AddDate(2, 0, 0) }
	retrain(t, s)
	if bytes.Count(contents(t, path+Suffix), fingerprintOf(s, m)) != 0 {
		t.Error("after two years the log still knows what was forgotten")
	}
}

// fingerprintOf returns the bytes of the fingerprint of a message.
func fingerprintOf(s *Store, m Message) []byte {
	e := Entry{}
	e.Fingerprint = s.Fingerprint(m.Raw)
	return appendEntry(nil, e)[:8]
}
