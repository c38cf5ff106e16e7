package evaluate

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"chaff/corpus"
	"chaff/test/corpustest"
	"chaff/train"
)

func TestNearDuplicatesShareAPart(t *testing.T) {
	const letters, copies = 60, 4
	for _, method := range []string{corpus.SplitGrouped, corpus.SplitByHash} {
		o := train.DefaultCollectOptions()
		o.Split.Method = method
		c := collect(t, corpustest.Campaigns(letters, copies), o, "ham", "spam")
		parts := make(map[string][]corpus.Part)
		for _, m := range c.Members() {
			letter := m.Origin[:strings.LastIndex(m.Origin, "-")]
			if !slices.Contains(parts[letter], m.Part) {
				parts[letter] = append(parts[letter], m.Part)
			}
		}
		split := 0
		for _, p := range parts {
			if len(p) > 1 {
				split++
			}
		}
		if method == corpus.SplitByHash && split == 0 {
			t.Error("a split by hash splits no letter: the test proves nothing")
		}
		if method == corpus.SplitGrouped && (split > 0 || c.Summary().Groups != letters || c.Summary().Grouped != letters*copies) {
			t.Errorf("%d letters are split, %d groups of %d messages, want 0, %d, %d", split, c.Summary().Groups, c.Summary().Grouped, letters, letters*copies)
		}
	}
}

func TestCrossValidationTestsEachMessageOnce(t *testing.T) {
	c := collect(t, corpustest.Mailbox(5, 60, "ham", "spam"), train.DefaultCollectOptions(), "ham", "spam")
	before := c.Summary()
	results := must(CrossValidate(t.Context(), c, []string{"multinomial", "majority"}, 4, train.DefaultOptions()))(t)
	for _, r := range results {
		if r.Test.Messages != before.Used || len(r.Rounds) != 4 {
			t.Errorf("%s: %d messages in %d rounds, want %d in 4", r.Model, r.Test.Messages, len(r.Rounds), before.Used)
		}
		tested := 0
		for _, round := range r.Rounds {
			tested += round.Test.Messages
		}
		if tested != before.Used {
			t.Errorf("%s: the rounds test %d messages, want %d", r.Model, tested, before.Used)
		}
		if v := r.Verdicts; v.Ham.Messages() != before.Used/2 || v.Spam.Messages() != before.Used/2 || r.Model == "multinomial" && v.Spam.Spam < 30 {
			t.Errorf("%s: verdicts %+v", r.Model, v)
		}
	}
	if results[0].Test.Accuracy < 85 || results[1].Test.Accuracy > 75 {
		t.Errorf("accuracy of multinomial %.1f, majority %.1f", results[0].Test.Accuracy, results[1].Test.Accuracy)
	}
	if against := results[1].AgainstBest; results[0].AgainstBest != nil || against == nil || against.Worse <= against.Better {
		t.Errorf("against the best: got %+v, of the best %+v", against, results[0].AgainstBest)
	}
	if after := c.Summary(); after.Train != before.Train || after.Terms != before.Terms {
		t.Errorf("the collection was changed: %+v, before %+v", after, before)
	}
}

func TestCrossValidateRefuses(t *testing.T) {
	byTime := train.DefaultCollectOptions()
	byTime.Split.Method = corpus.SplitByTime
	tests := []struct {
		about   string
		options train.CollectOptions
		model   string
		folds   int
		want    string
	}{
		{"too few folds", train.DefaultCollectOptions(), "multinomial", 2, "at least 3"},
		{"a split by time", byTime, "multinomial", 5, "by time has no folds"},
		{"an unknown model", train.DefaultCollectOptions(), "oracle", 5, "oracle"},
	}
	for _, tt := range tests {
		t.Run(tt.about, func(t *testing.T) {
			c := collect(t, corpustest.Mailbox(5, 40, "ham", "spam"), tt.options, "ham", "spam")
			_, err := CrossValidate(t.Context(), c, []string{tt.model}, tt.folds, train.DefaultOptions())
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got error %v, want %q in it", err, tt.want)
			}
		})
	}
}

func TestTheErrorNamesTheFoldWithOneClass(t *testing.T) {
	// One message is spam, so the round that tests it has no spam to train on.
	c := collect(t, corpus.Concat(corpustest.Mailbox(5, 30, "ham"), corpustest.Mailbox(6, 1, "spam")), train.DefaultCollectOptions(), "ham", "spam")
	_, err := CrossValidate(t.Context(), c, []string{"bernoulli"}, 5, train.DefaultOptions())
	if !errors.Is(err, train.ErrOneClass) || !strings.Contains(err.Error(), "fold ") {
		t.Errorf("got error %v", err)
	}
}
