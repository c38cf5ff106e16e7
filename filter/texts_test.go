package filter

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAModelWithoutTextsClassifiesAsWell(t *testing.T) {
	source := mailbox(1, 60, "ham", "spam")
	o := DefaultCollectOptions()
	with, _ := train(t, collect(t, source, o, "ham", "spam"), "multinomial")
	o.Features.Texts = false
	trained, _ := train(t, collect(t, source, o, "ham", "spam"), "multinomial")
	data := encode(t, trained)
	without, err := Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	raw := []byte("Subject: spama\n\nspamb sharedc hamd")
	if got, want := without.Classify(raw), with.Classify(raw); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if string(encode(t, without)) != string(data) {
		t.Error("the model has other bytes after it was opened")
	}
	_, errTerms := without.Terms()
	_, errStrongest := without.Strongest(3)
	_, errExplain := without.Explain(raw)
	_, errWeights := without.Weights()
	for what, err := range map[string]error{"terms": errTerms, "strongest": errStrongest, "explain": errExplain, "weights": errWeights} {
		if !errors.Is(err, ErrNoTexts) {
			t.Errorf("%s: got %v, want %v", what, err, ErrNoTexts)
		}
	}
	e, err := without.Evaluate(t.Context(), source, 3, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(e.Review.LeastCertain) != 3 || len(e.Review.LeastCertain[0].Terms) != 0 {
		t.Errorf("a review without texts: %+v", e.Review.LeastCertain)
	}
}

func TestTextsAreReadAsTheyWereWritten(t *testing.T) {
	for name, texts := range map[string][]string{
		"none": {}, "one": {"body:offer"}, "empty ones": {"", "body:a", "", ""}, "a long one": {"x", string(make([]byte, 1000)), "y"},
	} {
		got, err := decodeTexts(encodeTexts(texts), len(texts))
		if diff := cmp.Diff(texts, got); diff != "" || err != nil {
			t.Errorf("%s: error %v (-want +got):\n%s", name, err, diff)
		}
	}
}

func TestTextsThatDoNotFitAreRefused(t *testing.T) {
	data := encodeTexts([]string{"body:a", "body:b"})
	for name, tt := range map[string]struct {
		data []byte
		n    int
	}{
		"of fewer terms":         {data, 1},
		"of more terms":          {data, 3},
		"of far more terms":      {data, math.MaxInt32},
		"cut":                    {data[:len(data)-1], 2},
		"with more than is told": {append(slices.Clone(data), 'x'), 2},
		"a size without an end":  {[]byte{0x80, 0x80}, 2},
		"a size beyond 32 bits":  {[]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0x01, 'x'}, 1},
	} {
		if _, err := decodeTexts(tt.data, tt.n); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: got %v, want %v", name, err, ErrDamaged)
		}
	}
}
