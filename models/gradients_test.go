package models

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// difference is the central finite difference of f at x, which is off by about h^2.
func difference(f func(x float64) float64, x float64) float64 {
	const h = 1e-5
	return (f(x+h) - f(x-h)) / (2 * h)
}

func TestDerivativesAreDifferencesOfLosses(t *testing.T) {
	losses := map[string]rowLoss{"half square": LMS{}, "squared tanh": Tanh{}}
	for name, loss := range losses {
		for _, target := range []float64{-1, 1} {
			for _, z := range []float64{-20, -3, -1, -0.1, 0, 0.1, 1, 3, 20} {
				want := difference(func(z float64) float64 { return loss.value(target, z) }, z)
				wantNear(t, fmt.Sprintf("%s, t = %v, z = %v", name, target, z), loss.derivative(target, z), want, 1e-7)
			}
		}
	}
}

func TestGradientOfSoftmaxIsDifferencesOfTheLogLoss(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 0))
	for _, classes := range []int{2, 3, 7} {
		for range 20 {
			scores := make([]float64, rowCount(classes))
			for r := range scores {
				scores[r] = 4 * random.NormFloat64()
			}
			c := random.IntN(classes)
			got := append([]float64(nil), scores...)
			logLoss(got, c)
			for r := range scores {
				want := difference(func(z float64) float64 {
					moved := append([]float64(nil), scores...)
					moved[r] = z
					return logLoss(moved, c)
				}, scores[r])
				wantNear(t, fmt.Sprintf("%d classes, class %d, scores %v, slope of %d", classes, c, scores, r), got[r], want, 1e-8)
			}
		}
	}
}

// A step of gradient descent goes against the differences of the mean loss, by the learning rate.
func TestBatchStepIsAgainstTheDifferencesOfTheMeanLoss(t *testing.T) {
	const eta = 0.01
	for name, loss := range map[string]rowLoss{"half square": LMS{}, "squared tanh": Tanh{}} {
		for _, classes := range []int{2, 3} {
			d := randomMatrix(6, 20, 5, classes)
			m := Descent{Passes: Passes{Seed: 1}, Steps: Steps{LearningRate: eta, Start: StartRandom}, Method: MethodBatch}
			l := m.follow(loss, d).(*batch)
			start := snapshot(nil, l, 1)
			for i, c := range d.Labels {
				l.learn(0, d.Row(i), int(c))
			}
			l.pass()
			end := snapshot(nil, l, 1)
			for i := range start.weights {
				moved := snapshot(nil, start, 1)
				slope := difference(func(w float64) float64 {
					moved.weights[i] = w
					return measure(moved, newSorted(d), l.loss).Loss
				}, start.weights[i])
				wantNear(t, fmt.Sprintf("%s, %d classes, weight %d", name, classes, i), end.weights[i], start.weights[i]-eta*slope, 1e-9)
			}
		}
	}
}

func TestSoftmaxIsStableForAnyScore(t *testing.T) {
	const most = math.MaxFloat64
	tests := []struct {
		name   string
		scores []float64 // one: of class 1 over class 0
		c      int
		loss   float64
		slopes []float64
	}{
		{"sure and right, two classes", []float64{1e300}, 1, 0, []float64{0}},
		{"sure and wrong, two classes", []float64{1e300}, 0, 1e300, []float64{1}},
		{"sure of class 0 and right", []float64{-1e300}, 0, 0, []float64{0}},
		{"sure of class 0 and wrong", []float64{-1e300}, 1, 1e300, []float64{-1}},
		{"800 and right", []float64{800}, 1, 0, []float64{0}},
		{"800 and wrong", []float64{800}, 0, 800, []float64{1}},
		{"-800 and right", []float64{-800}, 0, 0, []float64{0}},
		{"-800 and wrong", []float64{-800}, 1, 800, []float64{-1}},
		{"the largest number", []float64{most}, 0, most, []float64{1}},
		{"no difference", []float64{0}, 1, math.Ln2, []float64{-0.5}},
		{"sure and right, three classes", []float64{1e300, 0, -1e300}, 0, 0, []float64{0, 0, 0}},
		{"sure and wrong, three classes", []float64{1e300, 0, 0}, 1, 1e300, []float64{1, -1, 0}},
		{"all scores are huge", []float64{1e300, 1e300, 1e300}, 2, math.Log(3), []float64{1. / 3, 1. / 3, -2. / 3}},
		{"all scores are hugely negative", []float64{-1e300, -1e300, -1e300}, 2, math.Log(3), []float64{1. / 3, 1. / 3, -2. / 3}},
		{"800 and -800", []float64{800, -800, -800}, 1, 1600, []float64{1, -1, 0}},
		{"all are 800", []float64{800, 800}, 0, math.Ln2, []float64{-0.5, 0.5}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			loss := logLoss(test.scores, test.c)
			wantNear(t, "loss", loss, test.loss, 1e-12*max(1, test.loss))
			wantAllNear(t, "slopes", test.scores, test.slopes, 1e-15)
		})
	}
}

func TestOtherLossesOfHugeScores(t *testing.T) {
	for _, z := range []float64{800, -800, 1e300, -1e300} {
		for _, target := range []float64{-1, 1} {
			loss := Tanh{}
			right := (1 - math.Copysign(1, target*z)) * (1 - math.Copysign(1, target*z)) // 0 if right, else 4
			wantNear(t, "squared tanh", loss.value(target, z), right, 0)
			wantNear(t, "its slope", loss.derivative(target, z), 0, 0)
			wantNear(t, "hinge", hinge(target, z), max(0, 1-target*z), 0)
		}
	}
}
