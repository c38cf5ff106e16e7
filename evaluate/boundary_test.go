package evaluate

import (
	"strings"
	"testing"

	"chaff/corpus"
	"chaff/corpus/corpustest"
	"chaff/models/modelstest"
	"chaff/train"
)

func TestEveryModelHasABoundary(t *testing.T) {
	c := collect(t, corpustest.Mailbox(6, 120, "ham", "spam"), train.DefaultCollectOptions(), "ham", "spam")
	modelstest.EachModel(t, func(t *testing.T, model string) {
		p, err := BoundaryOf(t.Context(), c, model, train.DefaultOptions())
		if model == "memoriser" {
			if err == nil || err.Error() != "memoriser has no terms" {
				t.Errorf("got %v", err)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		drawn := model
		if model == "votes" {
			drawn = "softmax" // votes has no line
		}
		if p.Model != drawn {
			t.Errorf("got the model %s, want %s", p.Model, drawn)
		}
		messages := 0
		for _, at := range p.Points {
			messages += at.Messages
		}
		if want := len(c.Origins(corpus.Train)); messages != want {
			t.Errorf("%d messages, want %d", messages, want)
		}
		// x is a word of ham and y one of spam: the score falls along x and rises along y.
		if model != "majority" && !(p.A < 0 && p.B > 0) {
			t.Errorf("the boundary is %v x + %v y + %v = 0", p.A, p.B, p.C)
		}
		if (p.Unit == "0 or 1") != (model == "bernoulli" || model == "majority") {
			t.Errorf("unit %q", p.Unit)
		}
	})
}

func TestTheDefaultTermsAreWords(t *testing.T) {
	c := collectedSample(t)
	for _, model := range []string{"multinomial", "lms", "softmax"} {
		p, err := BoundaryOf(t.Context(), c, model, train.DefaultOptions())
		if err != nil {
			t.Fatal(err)
		}
		for _, term := range []string{p.X, p.Y} {
			if !isWord(term) {
				t.Errorf("%s: %q is no word", model, term)
			}
		}
		// Of both classes, most messages are on their side of the line.
		right, messages := 0, 0
		for _, at := range p.Points {
			messages += at.Messages
			if at.X != at.Y && (at.Y > at.X) == (at.Class == 1) {
				right += at.Messages
			} else if at.X != 0 || at.Y != 0 {
				right -= at.Messages
			}
		}
		if right < messages/5 {
			t.Errorf("%s: %q and %q separate %d messages of %d", model, p.X, p.Y, right, messages)
		}
	}
}

func TestBoundaryOfRefuses(t *testing.T) {
	three := collect(t, corpustest.Mailbox(7, 60, "a", "b", "c"), train.DefaultCollectOptions(), "a", "b", "c")
	if _, err := BoundaryOf(t.Context(), three, "softmax", train.DefaultOptions()); err == nil || !strings.Contains(err.Error(), "two classes") {
		t.Errorf("three classes: got %v", err)
	}
}
