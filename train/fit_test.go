package train

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"chaff/corpus"
	"chaff/features"
	"chaff/filter"
	"chaff/internal/termkey"
	"chaff/models"
	"chaff/test/corpustest"
)

func TestModelsThatDoNotReadRunsOfBytesAreTheSameWithoutThem(t *testing.T) {
	source := corpustest.Mailbox(1, 60, "ham", "spam")
	o := DefaultCollectOptions()
	with := collect(t, source, o, "ham", "spam")
	o.NoGrams = true
	without := collect(t, source, o, "ham", "spam")
	for _, model := range models.Names() {
		_, kind, err := models.DefaultOptions().New(model, 1)
		if err != nil {
			t.Fatal(err)
		}
		a, _, _ := refit(t, with, model, DefaultOptions())
		b, _, _ := refit(t, without, model, DefaultOptions())
		if same := bytes.Equal(encode(t, a), encode(t, b)); same != (kind != features.Evidence) {
			t.Errorf("%s, which reads %v: the same model without runs of bytes is %v", model, kind, same)
		}
	}
}

func collect(t testing.TB, source corpus.Source, o CollectOptions, classes ...string) *Collection {
	t.Helper()
	c, err := Collect(context.Background(), source, classes, o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func fit(t testing.TB, c *Collection, model string) (*filter.Filter, Result) {
	t.Helper()
	trained, err := Fit(context.Background(), c, model, DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	return trained.Filter, trained.Result
}

func spamFilter(t testing.TB) *filter.Filter {
	t.Helper()
	f, _ := fit(t, collect(t, corpustest.Mailbox(1, 60, "ham", "spam"), DefaultCollectOptions(), "ham", "spam"), "multinomial")
	return f
}

// saved returns the path of a file with f.
func saved(t testing.TB, f *filter.Filter) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "model")
	if err := f.Save(path); err != nil {
		t.Fatal(err)
	}
	return path
}

func encode(t testing.TB, f *filter.Filter) []byte {
	t.Helper()
	data, err := f.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestAModelHasNoPathOfItsMail(t *testing.T) {
	gone := func(yield func(corpus.Item, error) bool) {
		yield(corpus.Item{Origin: "/home/ann/gone.eml", Label: "ham"}, errors.New("read /home/ann/gone.eml: no such file"))
	}
	c := collect(t, corpus.Concat(corpustest.Mailbox(1, 20, "ham", "spam"), gone), DefaultCollectOptions(), "ham", "spam")
	if s := c.Summary(); len(s.Problems) != 1 {
		t.Fatalf("problems %q, want one", s.Problems)
	}
	f, _ := fit(t, c, "multinomial")
	if data := string(encode(t, f)); strings.Contains(data, "/home/ann") || strings.Contains(data, "0001.eml") {
		t.Error("the model has the path of a message")
	}
	if p, err := ProvenanceOf(f); err != nil || p.Corpus.Listing != nil || p.Corpus.Used != 40 {
		t.Errorf("the provenance has the corpus %+v, want 40 messages and no listing; error %v", p.Corpus, err)
	}
}

func TestCollectRefusesMailThatCannotTrainAClassifier(t *testing.T) {
	ham := [2]string{"ham", "Subject: a\n\none"}
	problem := func(yield func(corpus.Item, error) bool) {
		yield(corpus.Item{Origin: "gone.eml", Label: "ham"}, errors.New("gone.eml: no such file"))
	}
	tests := []struct {
		name   string
		source corpus.Source
		want   error
		text   string
	}{
		{"no messages", corpustest.Messages(), ErrNoMail, "no messages"},
		{"only unreadable messages", problem, ErrNoMail, "no messages; 1 could not be read, the first: gone.eml: no such file"},
		{"one class", corpustest.Messages(ham), ErrOneClass, "the only message is ham: training needs mail of two classes"},
		{"an unknown label", corpustest.Messages([2]string{"eggs", "x"}), ErrNoMail, `no messages; 1 could not be read, the first: m/0.eml: label "eggs" is none of the classes ham, spam`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Collect(context.Background(), tt.source, []string{"ham", "spam"}, DefaultCollectOptions())
			if !errors.Is(err, tt.want) || err.Error() != tt.text {
				t.Errorf("got %v, want %s", err, tt.text)
			}
		})
	}
}

func TestACancelledContextStopsTheWork(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Collect(ctx, corpustest.Mailbox(1, 5, "ham", "spam"), []string{"ham", "spam"}, DefaultCollectOptions()); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
}

func TestTheSummaryCountsEveryMessage(t *testing.T) {
	text := "From: a@b.example\nSubject: offer\n\nthe same\n"
	source := corpustest.Messages(
		[2]string{"ham", text},
		[2]string{"ham", "Received: by mx.example; Mon, 1 Jan 2024 00:00:00 +0000\n" + text},
		[2]string{"spam", text},
		[2]string{"spam", "Subject: other\nno colon here\n\nanother\n"},
		[2]string{"spam", "Subject: other\nno colon here\n\nanother\n"},
		[2]string{"eggs", "Subject: odd\n\nodd\n"},
	)
	c := collect(t, source, DefaultCollectOptions(), "ham", "spam")
	s := c.Summary()
	if s.Listed != 6 || s.Used != 2 || s.Duplicates != 3 || s.Conflicts != 1 || s.Unreadable != 1 || len(s.Problems) != 1 {
		t.Errorf("summary %+v: want 6 listed, 2 used, 3 copies, 1 of another label, 1 left out", s)
	}
	if s.Train+s.Development+s.Test != s.Used {
		t.Errorf("the parts have %d + %d + %d messages of %d", s.Train, s.Development, s.Test, s.Used)
	}
	want := []ClassCount{{"ham", 1}, {"spam", 1}}
	if diff := cmp.Diff(want, s.Classes); diff != "" {
		t.Errorf("classes (-want +got):\n%s", diff)
	}
	if s.Repaired != 1 || len(s.Repairs) != 1 || s.Repairs[0].Messages != 1 {
		t.Errorf("repaired %d, repairs %v: want one message with one repair, and not its copy", s.Repaired, s.Repairs)
	}
}

func TestOfCopiesTheOneThatThunderbirdWroteLastCounts(t *testing.T) {
	const text = "From: a@b.example\nSubject: offer\n\nthe same\n"
	for about, tt := range map[string]struct{ ham, spam, want string }{
		"moved to Junk":                {"From - Sat Nov 28 15:04:17 2026\n", "From - Sat Nov 28 15:04:28 2026\n", "spam"},
		"moved out of Junk":            {"From - Tue Dec  1 09:00:00 2026\n", "From - Sat Nov 28 15:04:28 2026\n", "ham"},
		"written at the same time":     {"From - Sat Nov 28 15:04:17 2026\n", "From - Sat Nov 28 15:04:17 2026\n", "ham"},
		"kept by another mail program": {"From a@b.example Sat Nov 28 15:04:17 2026\n", "From a@b.example Sat Nov 28 15:04:28 2026\n", "ham"},
	} {
		items := [][2]string{{"ham", tt.ham + text}, {"spam", tt.spam + text}, {"ham", "Subject: x\n\nx\n"}, {"spam", "Subject: y\n\ny\n"}}
		for range items { // in any order
			items = append(items[1:], items[0])
			c := collect(t, corpustest.Messages(items...), DefaultCollectOptions(), "ham", "spam")
			want := map[string]int{"ham": 1, "spam": 1}
			want[tt.want]++
			for _, class := range c.Summary().Classes {
				if class.Messages != want[class.Name] {
					t.Errorf("%s: %d messages are %s, want %d", about, class.Messages, class.Name, want[class.Name])
				}
			}
		}
	}
}

func TestTheVocabularyHasTheTermsOfTheTrainingPart(t *testing.T) {
	c := collect(t, corpustest.Mailbox(11, 50, "ham", "spam"), DefaultCollectOptions(), "ham", "spam")
	training := map[uint64]bool{}
	documents, _ := c.rows(c.InPart(corpus.Train))
	for _, ref := range documents {
		for _, hash := range c.store.Document(ref).Terms {
			training[hash] = true
		}
	}
	terms := c.Terms()
	for id := range terms.Documents {
		if !training[c.Options.Reading.Key.Hash(terms.Text(id))] {
			t.Errorf("term %q is in no training message", terms.Text(id))
		}
		if known := c.terms.Vocabulary.AppendKnown(nil, []uint64{(termkey.Key{}).Hash(terms.Text(id))}); len(known) != 1 || int(known[0]>>32) != id {
			t.Errorf("text %q has the ids %x, want %d", terms.Text(id), known, id)
		}
	}
	if len(terms.Documents) == 0 {
		t.Error("the vocabulary is empty")
	}
}

// With a split by time the parts may have other shares of spam.
func TestThresholdsFollowTheMixOfTheMailThatWasLearned(t *testing.T) {
	c := collect(t, corpustest.Mailbox(5, 80, "ham", "spam"), DefaultCollectOptions(), "ham", "spam")
	members, left := c.Members(), []int{60, 15} // of each class to be learned
	for i, m := range members {
		members[i].Part = corpus.Development
		if left[m.Label]--; left[m.Label] >= 0 {
			members[i].Part = corpus.Train
		}
	}
	c, err := c.Select(members)
	if err != nil {
		t.Fatal(err)
	}
	if _, r := fit(t, c, "votes"); r.Thresholds.Unsure > -1 { // 0 by the mix of all messages
		t.Errorf("60 ham and 15 spam were learned, and the thresholds are %v", *r.Thresholds)
	}
}

func TestASplitByTimeTrainsOnTheOldest(t *testing.T) {
	var labelled [][2]string
	for day := 1; day <= 20; day++ {
		label := []string{"ham", "spam"}[day%2]
		labelled = append(labelled, [2]string{label, fmt.Sprintf("Date: %d Mar 2024 10:00:00 +0000\nSubject: day %d\n\nword%d\n", 21-day, day, day)})
	}
	o := DefaultCollectOptions()
	o.Split.Method = corpus.SplitByTime
	c := collect(t, corpustest.Messages(labelled...), o, "ham", "spam")
	for _, origin := range c.Origins(corpus.Test) {
		// The first four of the listing are the newest.
		if !slices.Contains([]string{"m/0.eml", "m/1.eml", "m/2.eml", "m/3.eml"}, origin) {
			t.Errorf("%s is in the test part, and is not among the newest", origin)
		}
	}
	if s := c.Summary(); s.Train != 12 || s.Development != 4 || s.Test != 4 {
		t.Errorf("parts of %d, %d, %d messages: want 12, 4, 4", s.Train, s.Development, s.Test)
	}
}
