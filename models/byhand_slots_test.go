package models

import (
	"math"
	"testing"
)

// alpha = 1 and L2 = 2 over N = 2 documents, so 1 for each.
//
//	f = (1, 2, 1/2, 0), class 1: z = 0, dL/dz = -1/2
//	    g = (-1/2; -1/2, -1, -1/4, 0) = u, sqrt(n) = |g|        sigma w = 0
//	    b   = 1/2 / (1/2 + 1) = 1/3                             the bias is free
//	    w_1 = 1/2 / (1/2 + 1 + 1) = 1/5
//	    w_2 = 1 / (1 + 1 + 1) = 1/3
//	    w_3 = 1/4 / (1/4 + 1 + 1) = 1/9
//	    w_4 = 0                                                 not in the document
//	f = (1, 0, 0, 0), class 1: z = 1/5 + 1/3, dL/dz = -p = -1/(1 + exp(z)), g = -p for the bias and w_1
//	    r   = sqrt(1/4 + p^2)                                   sigma = r - 1/2
//	    b   = (1/2 + p + (r - 1/2) 1/3) / (r + 1)
//	    w_1 = (1/2 + p + (r - 1/2) 1/5) / (r + 1 + 2)
//	    w_2 = 1 / (1 + 1 + 2) = 1/4                             not in the document, but the penalty grows
//	    w_3 = 1/4 / (1/4 + 1 + 2) = 1/13
func TestFTRLByHand(t *testing.T) {
	documents := [][]float32{{1, 2, 0.5, 0}, {1, 0, 0, 0}}
	d := matrix(2, []int32{1, 1}, documents)
	l := Softmax{LearningRate: 1, L2: 2}.newLearner(d).(*ftrl)

	l.learn(0, d.Row(0), 1)
	now := snapshot(nil, l, 1)
	wantNear(t, "bias", now.bias[0], 1./3, 1e-15)
	wantAllNear(t, "weights", now.weights, []float64{1. / 5, 1. / 3, 1. / 9, 0}, 1e-15)

	untouched := l.slots[1]
	l.learn(0, d.Row(1), 1)
	now = snapshot(nil, l, 1)
	p := 1 / (1 + math.Exp(1./5+1./3))
	r := math.Sqrt(1./4 + p*p)
	wantNear(t, "bias", now.bias[0], (0.5+p+(r-0.5)/3)/(r+1), 1e-15)
	wantAllNear(t, "weights", now.weights, []float64{(0.5 + p + (r-0.5)/5) / (r + 3), 1. / 4, 1. / 13, 0}, 1e-15)
	if got := l.slots[1]; got != untouched {
		t.Errorf("the term that is not in the document was touched: got %v, want %v", got, untouched)
	}
	if got := l.slots[3]; got != (slot{}) {
		t.Errorf("the term of no document was touched: got %v", got)
	}
}

// alpha = 1 without penalties. f = (1), class 2: all p = 1/3, so g = (1/3, 1/3, -2/3) for the three rows, and each weight
// is -g / (|g| + 1) = (-1/4, -1/4, 2/5).
func TestFTRLOfThreeClassesByHand(t *testing.T) {
	d := matrix(3, []int32{2}, [][]float32{{1}})
	l := Softmax{LearningRate: 1}.newLearner(d).(*ftrl)
	l.learn(0, d.Row(0), 2)
	now := snapshot(nil, l, 1)
	want := []float64{-1. / 4, -1. / 4, 2. / 5}
	wantAllNear(t, "bias", now.bias, want, 1e-15)
	wantAllNear(t, "weights", now.weights, want, 1e-15)
}

func TestFTRLThroughTheOriginHasNoBias(t *testing.T) {
	m := Softmax{LearningRate: 1}
	m.ThroughOrigin = true
	d := matrix(2, []int32{1}, [][]float32{{1}})
	l := m.newLearner(d).(*ftrl)
	l.learn(0, d.Row(0), 1)
	now := snapshot(nil, l, 1)
	wantNear(t, "bias", now.bias[0], 0, 0)
	wantNear(t, "weight", now.weights[0], 1./3, 1e-15) // 1/2 / (1/2 + 1)
}

// The mean costs an update nothing but its own terms, so it must come out as the plain mean of all weights.
func TestAverageIsThePlainMean(t *testing.T) {
	for _, classes := range []int{2, 3} {
		d := randomMatrix(3, 40, 12, classes)
		for name, newLearner := range map[string]func(mean bool) learner{
			"perceptron": func(mean bool) learner {
				return Perceptron{Steps: Steps{LearningRate: 1, Decay: RateInverseRoot}, Averaged: mean}.newLearner(d)
			},
			"multi-class perceptron": func(mean bool) learner {
				return MulticlassPerceptron{Steps: Steps{LearningRate: 0.3}, Averaged: mean}.newLearner(d)
			},
			"passive-aggressive": func(mean bool) learner {
				return PassiveAggressive{Aggressiveness: 0.1, Averaged: mean}.newLearner(d)
			},
		} {
			lazy, plain := newLearner(true), newLearner(false)
			sum := newParams(plain.shape().rows, d.Terms)
			for read := range 3 * d.Len() {
				i := read % d.Len()
				x, c := d.Row(i), int(d.Labels[i])
				if lazy.learn(0, x, c) != plain.learn(0, x, c) {
					t.Fatalf("%s, %d classes: the mean changes what is a mistake", name, classes)
				}
				addScaled(sum, snapshot(nil, plain, 1), 1)
			}
			mean := snapshot(nil, lazy, 1)
			addScaled(mean, sum, -1/float64(3*d.Len()))
			for r := range mean.n {
				wantNear(t, name+": distance from the plain mean", math.Sqrt(mean.squaredNorm(r)), 0, 1e-12)
			}
		}
	}
}

func addScaled(v, u *params, step float64) {
	for r := range v.bias {
		v.bias[r] += step * u.bias[r]
	}
	for i := range v.weights {
		v.weights[i] += step * u.weights[i]
	}
}
