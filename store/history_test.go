package store

import (
	"bytes"
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"chaff/test/corpustest"
	"chaff/test/modelstest"
	"chaff/test/testmain"
	"chaff/train"
)

// history is what a store should have after what was done to it.
type history struct {
	learned []Message // in the order in which they were first learned
}

func (h *history) find(raw []byte) int {
	return slices.IndexFunc(h.learned, func(m Message) bool { return bytes.Equal(m.Raw, raw) })
}

// did enters what happened to a message, and returns an error if it could not have happened.
func (h *history) did(m Message, what What) error {
	at := h.find(m.Raw)
	known := at >= 0
	var want bool
	switch what {
	case Learned:
		want = !known
		h.learned = append(h.learned, m)
	case Relabelled:
		want = known && h.learned[at].Label != m.Label
		h.learned[at].Label = m.Label
	case Known:
		want = known && h.learned[at].Label == m.Label
	case Forgotten:
		if want = known; known {
			h.learned = slices.Delete(h.learned, at, at+1)
		}
	case Refused: // to be forgotten
		want = !known
	}
	if !want {
		return fmt.Errorf("%s, with known %v", what, known)
	}
	return nil
}

// In a short run, every other model has other options.
func TestAnyHistoryLeavesTheStoreOfItsResult(t *testing.T) {
	models := uint64(0)
	modelstest.EachModel(t, func(t *testing.T, model string) {
		models++
		for seed := range uint64(2) {
			if seed != models%2 && !testmain.IsLong() {
				continue
			}
			o := train.DefaultCollectOptions()
			if seed == 1 {
				o.Features.MinDocumentFrequency, o.Features.Texts = 2, false
			}
			anyHistory(t, model, o, rand.New(rand.NewPCG(seed, 1)))
		}
	})
}

// anyHistory does 80 things at random to a store, 250 in a long run, and compares it with its history, and the model fitted to it with one trained on the result.
func anyHistory(t *testing.T, model string, o train.CollectOptions, r *rand.Rand) {
	all := mailOf(t, corpustest.Mailbox(1, 40, "ham", "spam"))
	for i := range 10 {
		all = append(all, Message{Raw: fmt.Appendf(nil, "Subject: w%d\n\nzz%d rare%d", r.IntN(5), r.IntN(9), i), Label: "spam"})
	}
	h := history{learned: slices.Concat(all[:15], all[40:55])}
	s := opened(t, trainedWith(t, model, sourceOf(h.learned), o))
	var step func(n int, s *Store, mayFit bool)
	steps := 80
	if testmain.IsLong() {
		steps = 250
	}
	step = func(n int, s *Store, mayFit bool) {
		m := all[r.IntN(len(all))]
		if r.IntN(4) == 0 {
			m.Label = s.Classes()[r.IntN(2)]
		}
		var err error
		switch do := r.IntN(20); {
		case do < 10:
			var out Outcome
			out, err = s.Learn(m)
			noError(t, err)
			err = h.did(m, out.What)
		case do < 17:
			var out Outcome
			out, err = s.Forget(m.Raw)
			noError(t, err)
			err = h.did(m, out.What)
		case do == 17:
			err = s.fold()
		case do == 18 && mayFit:
			fitBeside(t, s, func() {
				beside := opened(t, s.path)
				for range r.IntN(6) {
					step(n, beside, false)
				}
				noError(t, beside.Close())
			})
		}
		if err != nil {
			t.Fatalf("step %d: %v", n, err)
		}
	}
	for n := range steps {
		if step(n, s, true); r.IntN(20) == 0 {
			noError(t, s.Close())
			s = opened(t, s.path)
		}
	}
	v, err := Look(s.path)
	noError(t, err)
	defer v.Close()
	entries := v.Entries()
	if len(entries) != len(h.learned) {
		t.Fatalf("%d messages, want %d", len(entries), len(h.learned))
	}
	for i, m := range h.learned {
		if e := entries[i]; e.Fingerprint != s.Fingerprint(m.Raw) || s.Classes()[e.Label] != m.Label {
			t.Errorf("message %d is another one, or of class %d", i, e.Label)
		}
	}
	retrain(t, s)
	if !bytes.Equal(contents(t, s.path), contents(t, trainedWith(t, model, sourceOf(h.learned), o))) {
		t.Error("the model is not that of its messages")
	}
}

func TestAMergeKeepsWhatBothKnowOfMailboxes(t *testing.T) {
	a, b := trained(t, "multinomial", corpustest.Mailbox(1, 20, "ham", "spam")), trained(t, "multinomial", corpustest.Mailbox(2, 20, "ham", "spam"))
	for i, path := range []string{a, b} {
		s := opened(t, path)
		noError(t, s.See(uint64(i+1), map[uint64]Sighting{uint64(i + 10): {Label: int32(i)}}, nil))
		s.options.MaxMessages = 20
		retrain(t, s)
		noError(t, s.Close())
	}
	m, err := Merge(t.Context(), []string{a, b}, b, MergeOptions{})
	noError(t, err)
	if m.Messages != 80 {
		t.Errorf("%d messages, want all 80", m.Messages)
	}
	s := opened(t, b)
	s.options.MaxMessages = 20
	retrain(t, s)
	entries, err := s.Entries()
	noError(t, cmp.Or(err, s.Close()))
	if len(entries) != 40 {
		t.Errorf("%d messages after a fit, want the 40 of the limit", len(entries))
	}
	v, err := Look(b)
	noError(t, err)
	defer v.Close()
	for i := range 2 {
		if _, seen, err := v.Known(uint64(i + 1)); err != nil || int(seen[uint64(i+10)].Label) != i || len(seen) != 1 {
			t.Errorf("of mailbox %d it knows %v, %v", i+1, seen, err)
		}
	}
	if n, err := Later(b); n != 0 || err != nil {
		t.Errorf("%d messages were learned since the merge, %v", n, err)
	}
}
