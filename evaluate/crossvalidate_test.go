package evaluate

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"chaff/corpus"
	"chaff/corpus/corpustest"
	"chaff/models"
	"chaff/train"
)

func TestNearDuplicatesAreNeverOnTwoSidesOfASplit(t *testing.T) {
	const letters, copies = 60, 4
	for _, method := range []string{corpus.SplitGrouped, corpus.SplitByHash} {
		o := train.DefaultCollectOptions()
		o.Split.Method = method
		c := collect(t, corpustest.Campaigns(letters, copies), o, "ham", "spam")
		parts := make(map[string][]corpus.Part)
		for i := range c.Parts() {
			letter := c.Origin(i)[:strings.LastIndex(c.Origin(i), "-")]
			if !slices.Contains(parts[letter], c.Parts()[i]) {
				parts[letter] = append(parts[letter], c.Parts()[i])
			}
		}
		torn := 0
		for _, p := range parts {
			if len(p) > 1 {
				torn++
			}
		}
		if method == corpus.SplitByHash && torn == 0 {
			t.Error("a split by hash tears no letter apart: the test shows nothing")
		}
		if method == corpus.SplitGrouped && (torn > 0 || c.Summary().Groups != letters || c.Summary().Grouped != letters*copies) {
			t.Errorf("%d letters are torn apart, %d groups of %d messages, want 0, %d, %d", torn, c.Summary().Groups, c.Summary().Grouped, letters, letters*copies)
		}
	}
}

func TestCrossValidationTestsEachMessageOnce(t *testing.T) {
	c := collect(t, corpustest.Mailbox(5, 60, "ham", "spam"), train.DefaultCollectOptions(), "ham", "spam")
	before := c.Summary()
	results, err := CrossValidate(context.Background(), c, []string{"multinomial", "majority"}, 4, train.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
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
	}
	if results[0].Test.Accuracy < 85 || results[1].Test.Accuracy > 75 {
		t.Errorf("accuracy of multinomial %.1f, majority %.1f", results[0].Test.Accuracy, results[1].Test.Accuracy)
	}
	against, turned := results[1].Against(results[0]), results[0].Against(results[1])
	if against != *results[1].AgainstBest || turned.Better != against.Worse || turned.Worse != against.Better || against.Worse == 0 {
		t.Errorf("against the best: got %+v, the other way round %+v, want %+v and its mirror image", against, turned, *results[1].AgainstBest)
	}
	if after := c.Summary(); after.Train != before.Train || after.Terms != before.Terms {
		t.Errorf("the collection was changed: %+v, before %+v", after, before)
	}
}

func TestCrossValidationRefusesWhatCannotBe(t *testing.T) {
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
			_, err := CrossValidate(context.Background(), c, []string{tt.model}, tt.folds, train.DefaultOptions())
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got error %v, want %q in it", err, tt.want)
			}
		})
	}
}

func TestFoldsWithoutTrainingMailOfAClassSayWhichFold(t *testing.T) {
	// One message of spam: in the round that tests it there is none to train on.
	c := collect(t, corpus.Concat(corpustest.Mailbox(5, 30, "ham"), corpustest.Mailbox(6, 1, "spam")), train.DefaultCollectOptions(), "ham", "spam")
	_, err := CrossValidate(context.Background(), c, []string{"bernoulli"}, 5, train.DefaultOptions())
	if !errors.Is(err, models.ErrNoDocuments) || !strings.Contains(err.Error(), "fold ") {
		t.Errorf("got error %v", err)
	}
}
