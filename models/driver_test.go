package models

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"chaff/features"
)

// driven are all trainers that read the documents several times, with the given passes and settings that suit randomMatrix.
func driven(p Passes) map[string]Trainer {
	constant := Steps{LearningRate: 1, Decay: RateConstant, Start: StartZeros}
	small := Steps{LearningRate: 0.003, Decay: RateConstant, Start: StartZeros}
	return map[string]Trainer{
		"perceptron":                  Perceptron{Passes: p, Steps: constant},
		"averaged perceptron":         Perceptron{Passes: p, Steps: constant, Averaged: true},
		"multi-class perceptron":      MulticlassPerceptron{Passes: p, Steps: constant, Averaged: true},
		"passive-aggressive":          PassiveAggressive{Passes: p, Aggressiveness: 0.1},
		"averaged passive-aggressive": PassiveAggressive{Passes: p, Aggressiveness: 0.1, Averaged: true},
		"least mean squares":          LMS{Descent: Descent{Passes: p, Steps: small, Method: MethodStochastic}},
		"least mean squares, batch":   LMS{Descent: Descent{Passes: p, Steps: small, Method: MethodBatch}},
		"tanh":                        Tanh{Descent: Descent{Passes: p, Steps: small, Method: MethodStochastic}},
		"tanh, batch":                 Tanh{Descent: Descent{Passes: p, Steps: small, Method: MethodBatch}},
		"softmax":                     Softmax{Passes: p, LearningRate: 0.1, L2: 0.1},
	}
}

// batches are those of driven for which a pass is one step, whatever the order.
func isBatch(name string) bool {
	return slices.Contains([]string{"least mean squares, batch", "tanh, batch"}, name)
}

func mustTrain(t *testing.T, m Trainer, d *features.Dataset, o EpochOptions) (*Linear, Report) {
	t.Helper()
	l, report, err := m.Train(t.Context(), d, o)
	if err != nil {
		t.Fatal(err)
	}
	return l, report
}

// shuffled returns the documents of d in another order.
func shuffled(d *features.Dataset) *features.Dataset {
	return d.Subset(rand.New(rand.NewPCG(9, 0)).Perm(d.Len()))
}

// The first two epochs are those of TestPerceptronByHand and end in (1; 0, 1) and (1; -1, 2). The third:
//
//	f = (1, 0), t = +1: z = 0, a tie       (2; 0, 2)
//	f = (1, 1), t = -1: z = 4, a mistake   (1; -1, 1)
//	f = (0, 2), t = +1: z = 3, right       (1; -1, 1)
//
// The document (2, 0) has the scores 1, -1 and -1 after the three.
func TestPatienceByHand(t *testing.T) {
	d := matrix(2, []int32{1, 0, 1}, [][]float32{{1, 0}, {1, 1}, {0, 2}})
	rightAtFirst := matrix(2, []int32{1}, [][]float32{{2, 0}})
	rightFromSecond := matrix(2, []int32{0}, [][]float32{{2, 0}})
	tests := []struct {
		name        string
		patience    int
		development *features.Dataset
		epochs      int
		kept        int
		weights     []float32
		bias        float64
	}{
		{"without patience the last weights are kept", 0, rightAtFirst, 3, 3, []float32{-1, 1}, 1},
		{"without a development part the last weights are kept", 1, nil, 3, 3, []float32{-1, 1}, 1},
		{"an empty development part is none", 1, features.NewDataset(d.Kind, d.Classes, d.Terms), 3, 3, []float32{-1, 1}, 1},
		{"patience of one epoch ends after the second", 1, rightAtFirst, 2, 1, []float32{0, 1}, 1},
		{"patience of two epochs ends after the third", 2, rightAtFirst, 3, 1, []float32{0, 1}, 1},
		{"patience beyond the epochs keeps the best, too", 9, rightAtFirst, 3, 1, []float32{0, 1}, 1},
		{"an equal loss is no better", 1, rightFromSecond, 3, 2, []float32{-1, 2}, 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m := Perceptron{Passes: Passes{Epochs: 3, Listed: true, Patience: test.patience}, Steps: Steps{LearningRate: 1}}
			l, report := mustTrain(t, m, d, EpochOptions{Development: test.development})
			if len(report.Epochs) != test.epochs || report.Kept != test.kept {
				t.Errorf("got %d epochs, the kept one %d, want %d and %d", len(report.Epochs), report.Kept, test.epochs, test.kept)
			}
			if l.Bias[0] != test.bias || !slices.Equal(l.Weights, test.weights) {
				t.Errorf("got %v and %v, want %v and %v", l.Bias[0], l.Weights, test.bias, test.weights)
			}
		})
	}
}

func TestPatienceKeepsTheWeightsOfTheBestEpoch(t *testing.T) {
	const patience = 3
	d, development := randomMatrix(1, 60, 12, 3), randomMatrix(2, 30, 12, 3)
	stopped := 0
	for name, m := range driven(Passes{Epochs: 40, Patience: patience, Order: OrderRandom, Seed: 1}) {
		t.Run(name, func(t *testing.T) {
			l, report := mustTrain(t, m, d, EpochOptions{Development: development})
			best := 0
			for i, e := range report.Epochs {
				if e.Development.Loss < report.Epochs[best].Development.Loss {
					best = i
				}
			}
			if report.Kept != best+1 {
				t.Errorf("kept epoch %d, want %d, which has the smallest loss", report.Kept, best+1)
			}
			if len(report.Epochs) > report.Kept+patience {
				t.Errorf("got %d epochs, want %d at most", len(report.Epochs), report.Kept+patience)
			}
			if len(report.Epochs) < 40 {
				stopped++
			}
			short := driven(Passes{Epochs: report.Kept, Order: OrderRandom, Seed: 1})[name]
			if want, _ := mustTrain(t, short, d, EpochOptions{}); !reflect.DeepEqual(l, want) {
				t.Errorf("the weights are not those after epoch %d", report.Kept)
			}
		})
	}
	if stopped == 0 {
		t.Errorf("patience was never at an end")
	}
}

func TestEpochsAreReportedInOrder(t *testing.T) {
	d, development := randomMatrix(1, 60, 12, 3), randomMatrix(2, 30, 12, 3)
	for name, m := range driven(Passes{Epochs: 5, Order: OrderRandom, Seed: 1}) {
		t.Run(name, func(t *testing.T) {
			var seen []Epoch
			l, report := mustTrain(t, m, d, EpochOptions{Development: development, OnEpoch: func(e Epoch) { seen = append(seen, e) }})
			if !reflect.DeepEqual(seen, report.Epochs) {
				t.Errorf("got the epochs %+v while training, and %+v at its end", seen, report.Epochs)
			}
			if len(seen) != 5 || report.Kept != 5 {
				t.Fatalf("got %d epochs, the kept one %d, want 5", len(seen), report.Kept)
			}
			for i, e := range seen {
				if e.Epoch != i+1 {
					t.Errorf("epoch %d has the number %d", i+1, e.Epoch)
				}
				wantUpdates(t, name, e, d.Len())
				if e.Development == nil || !(e.Seconds >= 0) || !(e.Train.Loss > 0) || math.IsInf(e.Train.Loss, 0) {
					t.Errorf("got the epoch %+v, want a development part, and a loss", e)
				}
			}
			wantNear(t, "accuracy on the training part", seen[4].Train.Accuracy, accuracyOf(l, d), 1e-9)
			wantNear(t, "accuracy on the development part", seen[4].Development.Accuracy, accuracyOf(l, development), 1e-9)
		})
	}
}

// One epoch of batch gradient descent on the half square, with balanced classes: three documents of class 1 count 2/3 each, that of class 0
// twice. -3 * 2/3 (1; 1, 0) + 2 (1; 1, 1) = (0; 0, 2), times -1/4 and divided by the 4 documents: (0; 0, -1/8).
//
//	f = (1, 0), t = +1: z = 0,      1/2,                    predicted 0: wrong
//	f = (1, 1), t = -1: z = -1/8,   1/2 (7/8)^2 = 49/128,   predicted 0: right
//	loss = (3 * 2/3 * 1/2 + 2 * 49/128) / 4
func TestLossesAreMeansWeightedByClass(t *testing.T) {
	d := matrix(2, []int32{1, 1, 1, 0}, [][]float32{{1, 0}, {1, 0}, {1, 0}, {1, 1}})
	m := LMS{Descent: Descent{Passes: Passes{Epochs: 1, ClassWeights: WeightsBalanced}, Steps: Steps{LearningRate: 0.25}, Method: MethodBatch}}
	_, report := mustTrain(t, m, d, EpochOptions{Development: d})
	for _, figures := range []EpochFigures{report.Epochs[0].Train, *report.Epochs[0].Development} {
		wantNear(t, "loss", figures.Loss, (1+49./64)/4, 1e-15)
		wantNear(t, "accuracy", figures.Accuracy, 25, 0)
	}
}

// wantUpdates wants one step per pass or document of gradient descent, and at least one of learners from mistakes.
func wantUpdates(t *testing.T, name string, e Epoch, documents int) {
	t.Helper()
	least, most := 1, documents
	switch {
	case isBatch(name):
		most = 1
	case slices.Contains([]string{"least mean squares", "tanh", "softmax"}, name):
		least = documents
	}
	if e.Updates < least || e.Updates > most {
		t.Errorf("epoch %d made %d updates, want %d to %d", e.Epoch, e.Updates, least, most)
	}
}

func accuracyOf(l *Linear, d *features.Dataset) float64 {
	correct := 0
	for i, c := range d.Labels {
		if l.Predict(d.Row(i)) == int(c) {
			correct++
		}
	}
	return 100 * float64(correct) / float64(d.Len())
}

func TestCancellingInTheMiddleStopsTraining(t *testing.T) {
	d := randomMatrix(1, 60, 12, 3)
	for name, m := range driven(Passes{Epochs: 50, Order: OrderRandom, Seed: 1}) {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			epochs := 0
			l, report, err := m.Train(ctx, d, EpochOptions{OnEpoch: func(e Epoch) {
				if epochs = e.Epoch; epochs == 2 {
					cancel()
				}
			}})
			if !errors.Is(err, context.Canceled) || l != nil || report.Epochs != nil {
				t.Errorf("got %v, a model: %v, a report: %+v, want %v alone", err, l != nil, report, context.Canceled)
			}
			if epochs != 2 {
				t.Errorf("training ended after epoch %d, want 2", epochs)
			}
		})
	}
}
