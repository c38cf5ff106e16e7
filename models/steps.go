package models

import (
	"math"

	"chaff/features"
)

// How the learning rate changes.
const (
	RateConstant    = "constant"  // eta_n = eta
	RateInverse     = "1/n"       // eta_n = eta / n
	RateInverseRoot = "1/sqrt(n)" // eta_n = eta / sqrt(n)
)

// The initial weights.
const (
	StartZeros  = "zeros"
	StartRandom = "random"
)

// Steps are the settings of trainers that change the weights by steps of a given length. Source: cs440 lecture 16,
// "Implementation details".
type Steps struct {
	// LearningRate is the length of a step, eta. Above 0, at most 1e6. The default depends on the model.
	LearningRate float64 `json:"learning_rate" range:"above 0 and at most 1e6"`
	// Decay is how the learning rate falls with the number n of steps: "constant", "1/n" or "1/sqrt(n)". Default
	// "constant".
	Decay string `json:"decay" range:"constant, 1/n or 1/sqrt(n)"`
	// Start is where the weights start: "zeros", or "random" for small random numbers. Default "zeros".
	Start string `json:"start" range:"zeros or random"`
}

// rate returns eta_n, the learning rate of the n-th step.
func (s Steps) rate(n int) float64 {
	switch s.Decay {
	case RateInverse:
		return s.LearningRate / float64(n)
	case RateInverseRoot:
		return s.LearningRate / math.Sqrt(float64(n))
	}
	return s.LearningRate
}

// stepRule is what a trainer does with a document. Its settings implement it.
type stepRule interface {
	// steps replaces z, the scores of the rows for the n-th document x, of class c, by the steps, and reports whether it takes any.
	steps(z []float64, x features.Vector, c, n int) bool
	// loss returns the loss of a document of class c with the scores z of the rows.
	loss(z []float64, c int) float64
}

// stepper is the learner of trainers that add a multiple of each document to the weights of each row r, by a rule:
//
//	w_r <- w_r + step_r f,  b_r <- b_r + step_r
//
// Its model is the last weights or, on request, their mean over all documents read so far:
//
//	mean_n = 1/n * sum over m = 1..n of w_m        w_m: the weights after document m
//
// A step that is made at document m is in all later w, so it is in the mean by (n-m+1)/n. Hence
//
//	mean_n = w_n - s_n/n        s_n: sum of (m-1) * step over all steps, each made at its document m
//
// which costs an update twice the terms of its document, and never the vocabulary. Source: Y. Freund, R. E. Schapire:
// Large Margin Classification Using the Perceptron Algorithm (Machine Learning 37, 1999), section 2; M. Collins:
// Discriminative Training Methods for Hidden Markov Models (EMNLP 2002), section 2.5.
type stepper struct {
	*params // w_n and, with the mean, s_n in the next R columns
	stepRule
	read    int       // n, the documents read so far
	origin  bool      // no bias
	now     []float64 // R: the scores of the document that was read last, and then the steps
	updates []int     // R: how many documents changed each row
}

// newStepper returns a learner of R rows that has read nothing, with the mean or with room for other sums.
func newStepper(rule stepRule, p Passes, s Steps, R, terms int, sums bool) *stepper {
	columns := R
	if sums {
		columns = 2 * R
	}
	l := &stepper{params: newColumns(R, columns, terms), stepRule: rule, origin: p.ThroughOrigin, updates: make([]int, R)}
	if s.Start == StartRandom {
		l.randomise(p.Seed, p.ThroughOrigin)
	}
	return l
}

func (l *stepper) learn(_ int, x features.Vector, c int) bool {
	l.read++
	l.now = l.scores(l.now, x)
	if !l.steps(l.now, x, c, l.read) {
		return false
	}
	for r, step := range l.now {
		if step == 0 {
			continue
		}
		l.updates[r]++
		l.add(r, x, step, l.origin)
		if l.columns > l.n {
			l.add(l.n+r, x, step*float64(l.read-1), l.origin)
		}
	}
	return true
}

func (l *stepper) biases() []float64 {
	mean := make([]float64, l.n)
	l.writeMean(mean, l.bias)
	return mean
}

func (l *stepper) model(dst []float64, terms []uint32) {
	for i, w := range terms {
		l.writeMean(dst[i*l.n:][:l.n], l.weights[int(w)*l.columns:][:l.columns])
	}
}

// writeMean writes the mean of the weights of a term, or the weights without the mean.
func (l *stepper) writeMean(dst, columns []float64) {
	copy(dst, columns)
	for r := 0; l.columns > l.n && l.read > 0 && r < l.n; r++ {
		dst[r] += -1 / float64(l.read) * columns[l.n+r]
	}
}

func (l *stepper) globals(c *codec) {
	c.list(&l.read)
	l.params.globals(c)
}
