package evaluate

import (
	"context"
	"math"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"chaff/corpus"
	"chaff/corpus/sample"
	"chaff/filter"
	"chaff/test/corpustest"
	"chaff/train"
)

// must returns a function that returns value, or ends the test with err.
func must[T any](value T, err error) func(t testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

func collect(t testing.TB, source corpus.Source, o train.CollectOptions, classes ...string) *train.Collection {
	t.Helper()
	return must(train.Collect(t.Context(), source, classes, o))(t)
}

// collectSample collects the sample once for all tests that only read it.
var collectSample = sync.OnceValues(func() (*train.Collection, error) {
	return train.Collect(context.Background(), sample.Source(), []string{"ham", "spam"}, train.DefaultCollectOptions())
})

func collectedSample(t testing.TB) *train.Collection {
	t.Helper()
	return must(collectSample())(t)
}

func fit(t testing.TB, c *train.Collection, model string) (*filter.Filter, train.Result) {
	t.Helper()
	trained := must(train.Fit(t.Context(), c, model, train.DefaultOptions()))(t)
	return trained.Filter, trained.Result
}

// reopened returns f as read from its model file.
func reopened(t testing.TB, f *filter.Filter) *filter.Filter {
	t.Helper()
	path := filepath.Join(t.TempDir(), "model")
	if err := f.Save(path); err != nil {
		t.Fatal(err)
	}
	return must(filter.Open(path))(t)
}

func evaluated(t *testing.T, f *filter.Filter, source corpus.Source) Evaluation {
	t.Helper()
	s := f.Settings()
	mail := must(train.Read(t.Context(), source, s.Classes, train.ReadOptions{Reading: s.Reading, Workers: 1}))(t)
	return must(Filter(t.Context(), f, mail, 3, 1))(t)
}

func TestEvaluationOfASavedModelEqualsThatOfFit(t *testing.T) {
	source := corpustest.Mailbox(13, 60, "ham", "spam")
	c := collect(t, source, train.DefaultCollectOptions(), "ham", "spam")
	f, r := fit(t, c, "bernoulli")
	inTest := c.Origins(corpus.Test)
	test := func(yield func(corpus.Item, error) bool) {
		for item, err := range source {
			if slices.Contains(inTest, item.Origin) && !yield(item, err) {
				return
			}
		}
	}
	e := evaluated(t, reopened(t, f), test)
	if diff := cmp.Diff(r.Test, e.Result.Test); diff != "" {
		t.Errorf("figures (-training +evaluation):\n%s", diff)
	}
	if diff := cmp.Diff(r.Verdicts, e.Result.Verdicts); diff != "" {
		t.Errorf("verdicts (-training +evaluation):\n%s", diff)
	}
}

func TestAReviewOfAModelWithoutTextsHasNoTerms(t *testing.T) {
	source := corpustest.Mailbox(1, 60, "ham", "spam")
	o := train.DefaultCollectOptions()
	o.Features.Texts = false
	f, _ := fit(t, collect(t, source, o, "ham", "spam"), "multinomial")
	wrong := func(yield func(corpus.Item, error) bool) { // all labels
		for item, err := range source {
			item.Label = map[string]string{"ham": "spam", "spam": "ham"}[item.Label]
			if !yield(item, err) {
				return
			}
		}
	}
	e := evaluated(t, reopened(t, f), wrong)
	if len(e.Mistakes) != 3 || len(e.Mistakes[0].Terms) != 0 {
		t.Errorf("mistakes without texts: %+v", e.Mistakes)
	}
}

func TestTheMistakesOfASpamFilterHaveTheProbabilityOfSpam(t *testing.T) {
	c := collectedSample(t)
	trained := must(train.Fit(t.Context(), c, "bernoulli", train.DefaultOptions()))(t)
	mistakes := must(Mistakes(t.Context(), c, trained, 20))(t)
	if len(mistakes) == 0 {
		t.Fatal("no mistakes")
	}
	seen := make(map[string]bool)
	for _, j := range mistakes {
		want := j.LabelProbability
		if j.Label == "ham" {
			want = 1 - want
		}
		if math.Abs(j.Probability-want) > 1e-9 {
			t.Errorf("%s is %s with the probability %v: got %v, want that of spam", j.Path, j.Label, j.LabelProbability, j.Probability)
		}
		if seen[j.Path] {
			t.Errorf("%s is listed twice", j.Path)
		}
		seen[j.Path] = true
	}
}
