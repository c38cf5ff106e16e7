package train

import (
	"errors"
	"testing"

	"chaff/filter"
	"chaff/filter/weights"
	"chaff/test/corpustest"
)

func TestAModelWithoutTextsClassifiesTheSame(t *testing.T) {
	source := corpustest.Mailbox(1, 60, "ham", "spam")
	o := DefaultCollectOptions()
	with, _ := fit(t, collect(t, source, o, "ham", "spam"), "multinomial")
	o.Features.Texts = false
	trained, _ := fit(t, collect(t, source, o, "ham", "spam"), "multinomial")
	data := encode(t, trained)
	without, err := filter.Open(saved(t, trained))
	if err != nil {
		t.Fatal(err)
	}
	raw := []byte("Subject: spama\n\nspamb sharedc hamd")
	if got, want := without.Classify(raw), with.Classify(raw); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if string(encode(t, without)) != string(data) {
		t.Error("the opened model encodes differently")
	}
	_, errTerms := without.Terms()
	_, errStrongest := without.Strongest(3)
	_, errExplain := without.Explain(raw)
	_, errWeights := weights.Of(without)
	for what, err := range map[string]error{"terms": errTerms, "strongest": errStrongest, "explain": errExplain, "weights": errWeights} {
		if !errors.Is(err, filter.ErrNoTexts) {
			t.Errorf("%s: got %v, want %v", what, err, filter.ErrNoTexts)
		}
	}
}
