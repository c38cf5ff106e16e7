package evaluate

import (
	"chaff/corpus/corpustest"
	"chaff/filter"
	"chaff/train"
	"testing"
)

func TestAReviewOfAModelWithoutTextsHasNoTerms(t *testing.T) {
	source := corpustest.Mailbox(1, 60, "ham", "spam")
	o := train.DefaultCollectOptions()
	o.Features.Texts = false
	f, _ := fit(t, collect(t, source, o, "ham", "spam"), "multinomial")
	without, err := filter.Decode(encode(t, f))
	if err != nil {
		t.Fatal(err)
	}
	e, err := Filter(t.Context(), without, source, 3, train.ReadOptions{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	if len(e.Review.LeastCertain) != 3 || len(e.Review.LeastCertain[0].Terms) != 0 {
		t.Errorf("a review without texts: %+v", e.Review.LeastCertain)
	}
}
