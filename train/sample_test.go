package train

import (
	"math"
	"testing"

	"chaff/filter"
	"chaff/test/corpustest"
)

func TestAFilterKnowsTheMailItWasFittedTo(t *testing.T) {
	classes := []string{"ham", "spam"}
	for _, test := range []struct {
		name     string
		messages int
		exact    bool
	}{
		{"few messages are all in the sample", 100, true},
		{"of many messages the number is an estimate", 2000, false},
	} {
		source, other := corpustest.Mailbox(3, test.messages, classes...), corpustest.Mailbox(4, 100, classes...)
		c := collect(t, source, DefaultCollectOptions(), classes...)
		fitted, err := Fit(t.Context(), c, "multinomial", DefaultOptions())
		if err != nil {
			t.Fatal(err)
		}
		f, r, err := c.Refit(t.Context(), fitted, DefaultOptions())
		if err != nil {
			t.Fatal(err)
		}
		if got := learned(t, f, c.Mail); got != r.Messages {
			t.Errorf("%s: %d of the %d messages are known", test.name, got, r.Messages)
		}
		if got, want := learned(t, fitted.Filter, c.Mail), c.Summary().Train; test.exact && got != want {
			t.Errorf("%s: the model of the training part knows %d messages, want %d", test.name, got, want)
		} else if math.Abs(float64(got-want)) > 0.1*float64(want) {
			t.Errorf("%s: the model of the training part knows about %d messages, want %d", test.name, got, want)
		}
		unknown, err := Read(t.Context(), other, classes, ReadOptions{Reading: filter.DefaultReading()})
		if err != nil {
			t.Fatal(err)
		}
		if got := learned(t, f, unknown); got != 0 {
			t.Errorf("%s: %d messages of another mailbox are known", test.name, got)
		}
	}
}

func learned(t *testing.T, f *filter.Filter, m *Mail) int {
	t.Helper()
	p, err := ProvenanceOf(f)
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Sample) > 8*sampleSize {
		t.Errorf("the sample has %d bytes", len(p.Sample))
	}
	return p.Learned(m, f.Settings().Key)
}

func TestAModelThatLearnsLittleIsAWarning(t *testing.T) {
	for _, test := range []struct {
		name        string
		predictions []int32
		warns       bool
	}{
		{"no errors", []int32{0, 0, 0, 0, 0, 0, 1, 1, 1, 1}, false},
		{"half of the rarer class", []int32{0, 0, 0, 0, 0, 0, 0, 0, 1, 1}, false},
		{"most of the rarer class", []int32{0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, true},
	} {
		s := Scores{Classes: 2, Labels: []int32{0, 0, 0, 0, 0, 0, 1, 1, 1, 1}, Predictions: test.predictions}
		if got := s.learnedLittle() != ""; got != test.warns {
			t.Errorf("%s: got a warning %v, want %v", test.name, got, test.warns)
		}
	}
}
