package evaluate

import (
	"slices"
	"strings"
	"testing"

	"chaff/corpus"
	"chaff/test/corpustest"
	"chaff/train"
)

func TestTheScoreRisesWithTheWordOfSpam(t *testing.T) {
	c := collect(t, corpustest.Mailbox(6, 120, "ham", "spam"), train.DefaultCollectOptions(), "ham", "spam")
	p := must(BoundaryOf(t.Context(), c))(t)
	messages := 0
	for _, at := range slices.Concat(p.Points[0], p.Points[1]) {
		messages += at.Messages
	}
	if want := len(c.Origins(corpus.Train)); messages != want {
		t.Errorf("%d messages, want %d", messages, want)
	}
	if !(p.A < 0 && p.B > 0) { // x is a word of ham and y one of spam
		t.Errorf("the boundary is %v x + %v y + %v = 0", p.A, p.B, p.C)
	}
}

func TestTheDefaultTermsAreWords(t *testing.T) {
	c := collectedSample(t)
	p := must(BoundaryOf(t.Context(), c))(t)
	for _, term := range []string{p.X, p.Y} {
		if !isWord(term) {
			t.Errorf("%q is no word", term)
		}
	}
	// Of both classes, most messages are on their side of the line.
	right, messages := 0, 0
	for class, points := range p.Points {
		for _, at := range points {
			messages += at.Messages
			if at.X != at.Y && (at.Y > at.X) == (class == 1) {
				right += at.Messages
			} else if at.X != 0 || at.Y != 0 {
				right -= at.Messages
			}
		}
	}
	if right < messages/5 {
		t.Errorf("%q and %q separate %d messages of %d", p.X, p.Y, right, messages)
	}
}

func TestBoundaryOfRefuses(t *testing.T) {
	three := collect(t, corpustest.Mailbox(7, 60, "a", "b", "c"), train.DefaultCollectOptions(), "a", "b", "c")
	if _, err := BoundaryOf(t.Context(), three); err == nil || !strings.Contains(err.Error(), "two classes") {
		t.Errorf("three classes: got %v", err)
	}
}
