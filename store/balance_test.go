package store

import (
	"bytes"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"chaff/filter"
	"chaff/test/corpustest"
	"chaff/train"
)

func TestAClassIsAhead(t *testing.T) {
	for _, test := range []struct {
		name           string
		known, learned []int
		want           bool
	}{
		{"nothing was learned", []int{1000, 20}, []int{0, 0}, false},
		{"a few spam", []int{1000, 20}, []int{0, 19}, false},
		{"as many as were known", []int{1000, 20}, []int{0, 20}, true},
		{"spam with as much ham as usual", []int{1000, 1000}, []int{500, 500}, false},
		{"somewhat more ham than usual", []int{40, 40}, []int{175, 125}, false},
		{"rare spam in the usual mix", []int{1000, 20}, []int{1000, 20}, false},
		{"a mailbox that gets more spam than before", []int{1000, 20}, []int{1000, 40}, true},
		{"less than a tenth of what was known", []int{1000, 1000}, []int{0, 99}, false},
		{"a tenth of what was known", []int{1000, 1000}, []int{0, 100}, true},
		{"ham", []int{20, 1000}, []int{100, 0}, true},
		{"a third class", []int{100, 100, 100}, []int{0, 0, 20}, true},
		{"three classes alike", []int{100, 100, 100}, []int{50, 50, 50}, false},
		{"one class only", []int{1000, 0}, []int{100, 0}, false},
		{"the first of a class", []int{1000, 0}, []int{0, 20}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := isAhead(test.known, test.learned); got != test.want {
				t.Errorf("known %v, learned %v: %v, want %v", test.known, test.learned, got, test.want)
			}
		})
	}
}

func TestAStoreIsUnbalancedUntilItIsFitted(t *testing.T) {
	s := opened(t, trained(t, "multinomial", corpustest.Mailbox(1, 30, "ham", "spam")))
	s.now = func() time.Time { return time.Now().Add(time.Minute) }
	s.limit = 8 // folding does not hide it
	for i, m := range mailOf(t, corpustest.Mailbox(2, 20, "spam")) {
		if s.facts.isUnbalanced() {
			t.Fatalf("after %d spam", i)
		}
		learned(t, s, m)
	}
	if !s.facts.isUnbalanced() {
		t.Fatal("after 20 spam it is balanced")
	}
	s.options.RetrainAfter = 0
	if r, err := s.FitIfDue(t.Context(), RetrainOptions{}, false); err != nil || r.Messages != 0 {
		t.Errorf("fitted to %d messages, %v, though it is never to be fitted", r.Messages, err)
	}
	s.options.RetrainAfter = 100
	if r, err := s.FitIfDue(t.Context(), RetrainOptions{}, false); err != nil || r.Messages != 80 || r.Seconds <= 0 || s.facts.FitSeconds != r.Seconds || s.facts.Fitted <= time.Now().Unix() {
		t.Errorf("fitted to %d messages, %v; want 80; the log says %+v", r.Messages, err, s.facts)
	}
	for i, m := range mailOf(t, corpustest.Mailbox(3, 10, "ham", "spam")) {
		if s.facts.isUnbalanced() {
			t.Errorf("after a fit and %d messages in the usual mix it is unbalanced", i)
		}
		learned(t, s, m)
	}
	for _, test := range []struct {
		after int
		idle  bool
		want  int
	}{{20, false, 0}, {21, true, 0}, {3, false, 0}, {20, true, 100}} {
		s.options.RetrainAfter = test.after
		if r, err := s.FitIfDue(t.Context(), RetrainOptions{}, test.idle); err != nil || r.Messages != test.want {
			t.Errorf("%d messages after a fit, to be fitted after %d, idle %v: fitted to %d messages, %v; want %d", 20, test.after, test.idle, r.Messages, err, test.want)
		}
	}
	for _, m := range mailOf(t, corpustest.Mailbox(4, 10, "ham", "spam")) {
		learned(t, s, m)
	}
	s.options.RetrainAfter = 2
	if r, err := s.FitIfDue(t.Context(), RetrainOptions{}, false); err != nil || r.Messages != 120 {
		t.Errorf("ten times as many messages as an idle program waits for: fitted to %d, %v", r.Messages, err)
	}
	if (facts{Fitted: 1, Known: []int{10000, 5000}, Changed: 1499}).hasGrown(100) || !(facts{Fitted: 1, Known: []int{10000, 5000}, Changed: 1500}).hasGrown(100) {
		t.Error("not fitted after a tenth of what was known")
	}
	if (facts{Fitted: 1, Known: []int{10, 10}, Changed: 1500}).hasGrown(math.MaxInt) {
		t.Error("fitted though it is not to be fitted for a number of messages")
	}
}

func TestAStoreThatWasNeverFittedIsFittedOnceThereAreSomeOfEachClass(t *testing.T) {
	path := filepath.Join(t.TempDir(), "model")
	if err := Begin(t.Context(), path, []string{"ham", "spam"}, "multinomial", train.DefaultCollectOptions(), train.DefaultOptions(), DefaultOptions()); err != nil {
		t.Fatal(err)
	}
	s := opened(t, path)
	all := mailOf(t, corpustest.Mailbox(1, 20, "ham", "spam"))
	for i, m := range all {
		if s.facts.isUnbalanced() {
			t.Fatalf("after %d of 20 ham and 20 spam", i)
		}
		learned(t, s, m)
	}
	if !s.facts.isUnbalanced() {
		t.Error("after 20 ham and 20 spam there is no fit")
	}
	if (facts{Known: []int{20, 20}, Learned: []int{0, 1}, Changed: 1}).isUnbalanced() {
		t.Error("a fit that was not possible is tried with each message")
	}
	s.Close()
	s = opened(t, path)
	c, err := s.Filter().Classify(all[0].Raw)
	if noError(t, err); c.Verdict != filter.Unsure {
		t.Errorf("before a fit it calls a message %s", c.Verdict)
	}
	if r, err := s.FitIfDue(t.Context(), RetrainOptions{}, false); err != nil || r.Messages != 40 || s.facts.isUnbalanced() {
		t.Errorf("fitted to %d messages, %v", r.Messages, err)
	}
	if c, err := s.Filter().Classify(all[0].Raw); err != nil || string(c.Verdict) != all[0].Label {
		t.Errorf("after the fit it calls a message %s, %v", c.Verdict, err)
	}
}

// A hundred spam in a row must not turn newsletters into spam, nor a hundred ham spam into ham.
func TestAHundredMessagesOfOneClassTurnNoOtherMailOver(t *testing.T) {
	source, ok := corpustest.SpamAssassin(t)
	if !ok {
		t.Skip(corpustest.NeedsCorpora)
	}
	byLabel := map[string][]Message{}
	for item, raw := range corpustest.Each(t, source) {
		if !strings.Contains(item.Origin, "hard-ham") {
			byLabel[item.Label] = append(byLabel[item.Label], Message{Raw: bytes.Clone(raw), Label: item.Label, Way: ByHand})
		}
	}
	ham, spam := byLabel["ham"], byLabel["spam"]
	shuffle(ham)
	shuffle(spam)
	var newsletters []Message
	for _, m := range ham[1000:] {
		if text := bytes.ToLower(m.Raw); bytes.Contains(text, []byte("newsletter")) || bytes.Contains(text, []byte("text/html")) {
			newsletters = append(newsletters, m)
		}
	}
	if len(newsletters) < 50 {
		t.Fatalf("%d newsletters", len(newsletters))
	}
	for _, model := range []string{"votes", "multinomial", "passive-aggressive"} {
		for _, test := range []struct {
			name         string
			train, teach []Message
			probe        []Message
			wrong        filter.Verdict
			fits         int // at least
		}{
			{"100 spam after 1,000 ham and 20 spam", slices.Concat(ham[:1000], spam[:20]), spam[1000:1100], newsletters, filter.Spam, 3},
			{"100 spam after 1,000 ham and 1,000 spam", slices.Concat(ham[:1000], spam[:1000]), spam[1000:1100], newsletters, filter.Spam, 0},
			{"100 ham after 20 ham and 1,000 spam", slices.Concat(ham[:20], spam[:1000]), ham[900:1000], spam[1100:], filter.Ham, 3},
		} {
			t.Run(model+": "+test.name, func(t *testing.T) {
				path := trained(t, model, sourceOf(test.train))
				s := opened(t, path)
				count := func() (wrong, unsure int) {
					f, err := filter.OpenLearned(path)
					if err != nil {
						t.Fatal(err)
					}
					for _, m := range test.probe {
						switch f.Classify(m.Raw).Verdict {
						case test.wrong:
							wrong++
						case filter.Unsure:
							unsure++
						}
					}
					return wrong, unsure
				}
				wrong, unsure := count()
				fits := 0
				for _, m := range test.teach {
					learned(t, s, m)
					if s.facts.isUnbalanced() {
						retrain(t, s)
						fits++
					}
				}
				wrongAfter, unsureAfter := count()
				t.Logf("of %d, %d became %s and %d unsure; before %d and %d; %d fits",
					len(test.probe), wrongAfter, test.wrong, unsureAfter, wrong, unsure, fits)
				if n := wrongAfter - wrong; 20*n > len(test.probe) {
					t.Errorf("%d more of %d are %s", n, len(test.probe), test.wrong)
				}
				if n := unsureAfter - unsure; 10*n > len(test.probe) {
					t.Errorf("%d more of %d are unsure", n, len(test.probe))
				}
				if fits < test.fits {
					t.Errorf("%d fits, want %d", fits, test.fits)
				}
			})
		}
	}
}
