package filter

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"chaff/corpus"
	"chaff/corpus/sources"
	"chaff/models"
)

// campaigns is mail in which each letter goes out in n copies that differ in the name and a number. The origin of a
// message begins with the number of its letter.
func campaigns(letters, n int) corpus.Source {
	rng := rand.New(rand.NewPCG(3, 0))
	files := make(fstest.MapFS)
	for i := range letters {
		label := []string{"ham", "spam"}[i%2]
		var text strings.Builder
		for range 60 {
			fmt.Fprintf(&text, "%s%c%c ", label, 'a'+rng.IntN(26), 'a'+rng.IntN(26))
		}
		for n := range n {
			raw := fmt.Sprintf("Subject: letter %d\n\nDear %c%c,\n%s\n%d\n", i, 'a'+n, 'm'+n, text.String(), n)
			files[fmt.Sprintf("%s/%d-%d", label, i, n)] = &fstest.MapFile{Data: []byte(raw)}
		}
	}
	return corpus.Concat(sources.FromFS(files, "ham", "ham"), sources.FromFS(files, "spam", "spam"))
}

func TestNearDuplicatesAreNeverOnTwoSidesOfASplit(t *testing.T) {
	const letters, copies = 60, 4
	for _, method := range []string{corpus.SplitGrouped, corpus.SplitByHash} {
		o := DefaultCollectOptions()
		o.Split.Method = method
		c := collect(t, campaigns(letters, copies), o, "ham", "spam")
		parts := make(map[string][]corpus.Part)
		for i, d := range c.documents {
			letter := c.origin(d)[:strings.LastIndex(c.origin(d), "-")]
			if !slices.Contains(parts[letter], c.parts[i]) {
				parts[letter] = append(parts[letter], c.parts[i])
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
		if method == corpus.SplitGrouped && (torn > 0 || c.summary.Groups != letters || c.summary.Grouped != letters*copies) {
			t.Errorf("%d letters are torn apart, %d groups of %d messages, want 0, %d, %d", torn, c.summary.Groups, c.summary.Grouped, letters, letters*copies)
		}
	}
}

func TestCrossValidationTestsEachMessageOnce(t *testing.T) {
	c := collect(t, mailbox(5, 60, "ham", "spam"), DefaultCollectOptions(), "ham", "spam")
	before := c.Summary()
	results, err := CrossValidate(context.Background(), c, []string{"multinomial", "majority"}, 4, DefaultTrainOptions())
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
	byTime := DefaultCollectOptions()
	byTime.Split.Method = corpus.SplitByTime
	tests := []struct {
		about   string
		options CollectOptions
		model   string
		folds   int
		want    string
	}{
		{"too few folds", DefaultCollectOptions(), "multinomial", 2, "at least 3"},
		{"a split by time", byTime, "multinomial", 5, "by time has no folds"},
		{"an unknown model", DefaultCollectOptions(), "oracle", 5, "oracle"},
	}
	for _, tt := range tests {
		t.Run(tt.about, func(t *testing.T) {
			c := collect(t, mailbox(5, 40, "ham", "spam"), tt.options, "ham", "spam")
			_, err := CrossValidate(context.Background(), c, []string{tt.model}, tt.folds, DefaultTrainOptions())
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got error %v, want %q in it", err, tt.want)
			}
		})
	}
}

func TestFoldsWithoutTrainingMailOfAClassSayWhichFold(t *testing.T) {
	// One message of spam: in the round that tests it there is none to train on.
	c := collect(t, corpus.Concat(mailbox(5, 30, "ham"), mailbox(6, 1, "spam")), DefaultCollectOptions(), "ham", "spam")
	_, err := CrossValidate(context.Background(), c, []string{"bernoulli"}, 5, DefaultTrainOptions())
	if !errors.Is(err, models.ErrNoDocuments) || !strings.Contains(err.Error(), "fold ") {
		t.Errorf("got error %v", err)
	}
}
