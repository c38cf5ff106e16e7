package models_test

import (
	"math"
	"strings"
	"testing"

	"chaff/features"
	"chaff/models"
	"chaff/test/modelstest"
)

// inOneEpoch returns the default options, but for one epoch in the order of the documents and no penalties.
func inOneEpoch() models.Options {
	o := models.DefaultOptions()
	modelstest.EachPasses(&o, func(p *models.Passes) {
		p.Epochs, p.Listed = 1, true
	})
	o.Softmax.L2 = 0
	return o
}

// TestLearningOneAfterTheOtherIsLearningAll compares the scores of online learners with those of the models that were
// trained on the same documents.
func TestLearningOneAfterTheOtherIsLearningAll(t *testing.T) {
	o := inOneEpoch()
	for _, name := range models.Names() {
		if name == "votes" {
			continue // which terms other documents have it knows beforehand in training, and not online: votes_test.go
		}
		t.Run(name, func(t *testing.T) {
			for _, K := range []int{2, 3} {
				trainer, kind, err := o.New(name, 1)
				if err != nil {
					t.Fatal(err)
				}
				d := randomDataset(5, kind, 90, 70, K, 10)
				l, _, err := trainer.Train(t.Context(), d, models.EpochOptions{})
				if err != nil {
					t.Fatal(err)
				}
				online, onlineKind, err := o.NewOnline(name, d.Classes)
				if err != nil || onlineKind != kind {
					t.Fatalf("kind %v, %v", onlineKind, err)
				}
				for i, c := range d.Labels {
					online.Learn(d.Row(i), int(c))
				}
				for i := range d.Len() {
					want, got := l.Scores(nil, d.Row(i)), online.Scores(nil, d.Row(i))
					for c := range want {
						if math.Abs((want[c]-want[0])-(got[c]-got[0])) > 1e-4*max(1, math.Abs(want[c]-want[0])) {
							t.Fatalf("%d classes, document %d: got %v, want %v", K, i, got, want)
						}
					}
				}
			}
		})
	}
}

func TestAnOnlineLearnerAnswersBeforeItHasLearnedAnything(t *testing.T) {
	x := features.Vector{IDs: []uint32{3, 7}, Values: []float32{1, 1}}
	for _, name := range models.Names() {
		for _, classes := range [][]string{{"ham", "spam"}, {"a", "b", "c"}} {
			online, _, err := models.DefaultOptions().NewOnline(name, classes)
			if err != nil {
				t.Fatal(err)
			}
			before := online.Scores(nil, x)
			online.Learn(features.Vector{IDs: []uint32{3}, Values: []float32{1}}, 1)
			for c, score := range append(before, online.Scores(nil, x)...) {
				if math.IsNaN(score) || math.IsInf(score, 0) {
					t.Errorf("%s: class %d has the score %v", name, c%len(classes), score)
				}
			}
		}
	}
}

func TestWhatCannotBeLearnedOneAfterTheOther(t *testing.T) {
	tests := []struct {
		name, model string
		change      func(o *models.Options)
		want        string
	}{
		{"a batch", "lms", func(o *models.Options) { o.LMS.Method = "batch" },
			`lms learns from one message after the other: method is "batch": must be stochastic`},
		{"no model", "eggs", func(*models.Options) {}, `unknown model "eggs"`},
		{"a model of earlier versions", "hybrid", func(*models.Options) {}, "the model hybrid is gone: use votes or softmax"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			o := models.DefaultOptions()
			test.change(&o)
			if _, _, err := o.NewOnline(test.model, []string{"ham", "spam"}); err == nil || !strings.HasPrefix(err.Error(), test.want) {
				t.Errorf("got %v, want %s", err, test.want)
			}
		})
	}
}
