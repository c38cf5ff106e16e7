package evaluate

import (
	"context"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"chaff/corpus"
	"chaff/corpus/corpustest"
	"chaff/filter"
	"chaff/train"
)

func collect(t testing.TB, source corpus.Source, o train.CollectOptions, classes ...string) *train.Collection {
	t.Helper()
	c, err := train.Collect(context.Background(), source, classes, o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func fit(t testing.TB, c *train.Collection, model string) (*filter.Filter, train.Result) {
	t.Helper()
	trained, err := train.Fit(context.Background(), c, model, train.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	return trained.Filter, trained.Result
}

func encode(t testing.TB, f *filter.Filter) []byte {
	t.Helper()
	data, err := f.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestFiguresOfASavedModelAreThoseOfTraining(t *testing.T) {
	source := corpustest.Mailbox(13, 60, "ham", "spam")
	c := collect(t, source, train.DefaultCollectOptions(), "ham", "spam")
	f, r := fit(t, c, "bernoulli")
	again, err := filter.Decode(encode(t, f))
	if err != nil {
		t.Fatal(err)
	}
	inTest := c.Origins(corpus.Test)
	test := func(yield func(corpus.Item, error) bool) {
		for item, err := range source {
			if slices.Contains(inTest, item.Origin) && !yield(item, err) {
				return
			}
		}
	}
	e, err := Filter(context.Background(), again, test, 3, train.ReadOptions{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(*r.Test, e.Figures); diff != "" {
		t.Errorf("figures (-training +evaluation):\n%s", diff)
	}
	if diff := cmp.Diff(r.Verdicts, e.Verdicts); diff != "" {
		t.Errorf("verdicts (-training +evaluation):\n%s", diff)
	}
}
