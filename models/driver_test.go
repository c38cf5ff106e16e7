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

func TestEpochsAreReportedInOrder(t *testing.T) {
	d, development := randomMatrix(1, 60, 12, 3), randomMatrix(2, 30, 12, 3)
	for name, m := range driven(Passes{Epochs: 5, Order: OrderRandom, Seed: 1}) {
		t.Run(name, func(t *testing.T) {
			var seen []Epoch
			begun := 0
			o := EpochOptions{Development: development, OnEpoch: func(e Epoch) { seen = append(seen, e) }}
			o.OnPass = func(pass, all int) {
				if begun++; pass != begun || all != 5 {
					t.Errorf("pass %d begins as %d of %d", begun, pass, all)
				}
			}
			l, report := mustTrain(t, m, d, o)
			if begun != len(seen) {
				t.Errorf("%d passes began, and %d ended", begun, len(seen))
			}
			if !reflect.DeepEqual(seen, report.Epochs) {
				t.Errorf("got the epochs %+v while training, and %+v at its end", seen, report.Epochs)
			}
			if len(seen) != 5 || report.Passes != 5 {
				t.Fatalf("got %d epochs, %d passes, want 5", len(seen), report.Passes)
			}
			for i, e := range seen {
				if e.Epoch != i+1 {
					t.Errorf("epoch %d has the number %d", i+1, e.Epoch)
				}
				wantUpdates(t, name, e, d.Len())
				if e.Development == nil || !(e.Train.Loss > 0) || math.IsInf(e.Train.Loss, 0) {
					t.Errorf("got the epoch %+v, want a development part, and a loss", e)
				}
			}
			wantNear(t, "accuracy on the training part", seen[4].Train.Accuracy, accuracyOf(l, d), 1e-9)
			wantNear(t, "accuracy on the development part", seen[4].Development.Accuracy, accuracyOf(l, development), 1e-9)
		})
	}
}

// One epoch of batch gradient descent on the half square: -3 (1; 1, 0) + (1; 1, 1) = (-2; -2, 1), times -1/4 and divided by the 4 documents:
// (1/8; 1/8, -1/16).
//
//	f = (1, 0), t = +1: z = 1/4,    1/2 (3/4)^2 = 9/32,       predicted 1: right
//	f = (1, 1), t = -1: z = 3/16,   1/2 (19/16)^2 = 361/512,  predicted 1: wrong
//	loss = (3 * 9/32 + 361/512) / 4
func TestLossesAreMeans(t *testing.T) {
	d := matrix(2, []int32{1, 1, 1, 0}, [][]float32{{1, 0}, {1, 0}, {1, 0}, {1, 1}})
	m := LMS{Descent: Descent{Passes: Passes{Epochs: 1}, Steps: Steps{LearningRate: 0.25}, Method: MethodBatch}}
	_, report := mustTrain(t, m, d, EpochOptions{Development: d})
	for _, figures := range []EpochFigures{report.Epochs[0].Train, *report.Epochs[0].Development} {
		wantNear(t, "loss", figures.Loss, (3*9./32+361./512)/4, 1e-15)
		wantNear(t, "accuracy", figures.Accuracy, 75, 0)
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
