package evaluate

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"chaff/corpus"
	"chaff/corpus/corpustest"
	"chaff/filter"
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

func fit(t testing.TB, c *train.Collection, model string) (*filter.Filter, train.Result) {
	t.Helper()
	trained := must(train.Fit(t.Context(), c, model, train.DefaultOptions()))(t)
	return trained.Filter, trained.Result
}

// reopened returns f as read from its model file.
func reopened(t testing.TB, f *filter.Filter) *filter.Filter {
	t.Helper()
	return must(filter.Decode(must(f.Encode())(t)))(t)
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
	e := must(Filter(t.Context(), reopened(t, f), test, 3, train.ReadOptions{Workers: 1}))(t)
	if diff := cmp.Diff(*r.Test, e.Figures); diff != "" {
		t.Errorf("figures (-training +evaluation):\n%s", diff)
	}
	if diff := cmp.Diff(r.Verdicts, e.Verdicts); diff != "" {
		t.Errorf("verdicts (-training +evaluation):\n%s", diff)
	}
}

func TestAReviewOfAModelWithoutTextsHasNoTerms(t *testing.T) {
	source := corpustest.Mailbox(1, 60, "ham", "spam")
	o := train.DefaultCollectOptions()
	o.Features.Texts = false
	f, _ := fit(t, collect(t, source, o, "ham", "spam"), "multinomial")
	e := must(Filter(t.Context(), reopened(t, f), source, 3, train.ReadOptions{Workers: 1}))(t)
	if len(e.Review.LeastCertain) != 3 || len(e.Review.LeastCertain[0].Terms) != 0 {
		t.Errorf("a review without texts: %+v", e.Review.LeastCertain)
	}
}
