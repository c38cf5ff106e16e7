package evaluate

import (
	"strings"
	"testing"

	"chaff/corpus"
	"chaff/corpus/sample"
	"chaff/metrics"
	"chaff/train"
)

func TestGrowthEndsWithTheModelOfAllTheTrainingPart(t *testing.T) {
	o := train.DefaultCollectOptions()
	o.Split.Train, o.Split.Development, o.Split.Test = 0.5, 0, 0.5
	c := collect(t, sample.Source(), o, "ham", "spam")
	for _, model := range []string{"votes", "multinomial"} {
		trained, err := train.Fit(t.Context(), c, model, train.DefaultOptions())
		if err != nil {
			t.Fatal(err)
		}
		g, err := GrowthOf(t.Context(), c, trained, train.DefaultOptions())
		if err != nil {
			t.Fatal(err)
		}
		if len(g.Points) != halvings+1 || !strings.Contains(g.Advice, "with half the training mail") {
			t.Fatalf("%s: got %+v", model, g)
		}
		for i, p := range g.Points[1:] {
			if before := g.Points[i]; p.Messages < before.Messages*3/2 {
				t.Errorf("%s: %d messages after %d, want about twice as many", model, p.Messages, before.Messages)
			}
		}
		last, f := g.Points[halvings], trained.Result.Test
		if last.Messages != c.Summary().Train || last.Accuracy != f.Accuracy || g.Tested != f.Messages || last.Errors != f.Messages-f.Confusion.Correct() {
			t.Errorf("%s: the last point is %+v of %d, want the figures of the model", model, last, g.Tested)
		}
		if g.Points[0].Accuracy >= last.Accuracy {
			t.Errorf("%s: got %v%% with an eighth of the mail, want less than %v%%", model, g.Points[0].Accuracy, last.Accuracy)
		}
	}
}

func TestFractionsContainEachOtherAndKeepGroupsTogether(t *testing.T) {
	c := collectedSample(t)
	fractions := halved(c)
	in, members := c.InPart(corpus.Train), c.Members()
	all := make(map[uint64]int) // messages of each group
	for _, m := range in {
		all[members[m].Group]++
	}
	for i, larger := range fractions[1:] {
		has := make(map[int]bool)
		groups := make(map[uint64]int)
		for _, row := range larger {
			has[row] = true
			groups[members[in[row]].Group]++
		}
		for _, row := range fractions[i] {
			if !has[row] {
				t.Fatalf("row %d is in the smaller fraction only", row)
			}
		}
		for _, m := range in {
			if n := groups[members[m].Group]; n > 0 && n != all[members[m].Group] {
				t.Errorf("group %x is torn apart", members[m].Group)
			}
		}
	}
}

func TestGrowthAdvice(t *testing.T) {
	for _, test := range []struct {
		name   string
		tested int
		errors [halvings + 1]int
		p      float64
		want   string
	}{
		{"few test messages say nothing", 60, [...]int{9, 6, 5, 1}, 0.02, "1 error in 60 test messages, against 5 with half the training mail and 6 with a quarter: too few test messages to say whether more mail would help."},
		{"a clear fall", 1000, [...]int{40, 30, 25, 20}, 0.001, "20 errors in 1000 test messages, against 25 with half the training mail and 30 with a quarter: more mail will probably help."},
		{"a fall by chance", 1000, [...]int{16, 14, 12, 9}, 0.2, "9 errors in 1000 test messages, against 12 with half the training mail and 14 with a quarter: more mail may help, but chance explains the difference too."},
		{"a fall that ends", 1000, [...]int{40, 10, 10, 9}, 0.001, "9 errors in 1000 test messages, against 10 with half the training mail and 10 with a quarter: more mail may help, but chance explains the difference too."},
		{"no gain", 1000, [...]int{40, 12, 9, 9}, 0.001, "9 errors in 1000 test messages, against 9 with half the training mail and 12 with a quarter: more mail of this kind will hardly help."},
	} {
		g := Growth{Tested: test.tested, Gain: metrics.McNemar{P: test.p}}
		for _, n := range test.errors {
			g.Points = append(g.Points, GrowthPoint{Errors: n})
		}
		if got := g.advice(); got != test.want {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
}
