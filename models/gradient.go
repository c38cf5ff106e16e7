package models

import (
	"context"
	"fmt"

	"chaff/features"
)

// How the gradient of a loss is followed.
const (
	MethodStochastic = "stochastic" // a step for each document
	MethodBatch      = "batch"      // a step for each pass, over the sum of all documents
)

// Descent is the settings of classifiers that are trained by gradient descent.
type Descent struct {
	Passes
	Steps
	// Method is when a step is made: "stochastic", after each message, or "batch", after each pass, which needs many
	// more epochs. Default "stochastic".
	Method string `json:"method" range:"stochastic or batch"`
}

// rowLoss is the loss of one score z with the target t, and its derivative by z.
type rowLoss struct {
	value, derivative func(t, z float64) float64
}

// gradientDescent minimises a loss that is a sum over documents and rows, by steps of
//
//	stochastic   w <- w - eta_n dL/dz f                     after each document
//	batch        w <- w - eta_n 1/N sum over i of dL/dz f   after each pass
//
// Source: cs446 lecture 4, "Gradient descent (batch)", "Stochastic Gradient descent (online)". The lecture has the sum of
// the batch without 1/N, which makes a good learning rate independent of the number of documents.
type gradientDescent struct {
	*params
	lossOf   rowLoss
	steps    Steps
	origin   bool
	gradient *params // batch: the sum so far; nil for stochastic
	read     int     // batch: the documents in the sum
	taken    int     // steps
	now      []float64
}

// train trains the named model, which has the settings of s. The order of a batch, by which its sums round, is independent of all chance.
func (s Descent) train(ctx context.Context, m settings, name string, d *features.Dataset, o EpochOptions) (*Linear, Report, error) {
	p := s.Passes
	if s.Method == MethodBatch {
		p.Order = orderByContent
	}
	l := m.newLearner(d).(*gradientDescent)
	return epochs(ctx, m, p, newSorted(d), l, o, fmt.Sprintf("models.%s.learning_rate=%v", name, s.LearningRate))
}

// follow returns a learner that follows the gradient of a loss.
func (s Descent) follow(loss rowLoss, d *features.Dataset) *gradientDescent {
	l := &gradientDescent{params: newParams(rowCount(len(d.Classes)), d.Terms), lossOf: loss, steps: s.Steps, origin: s.ThroughOrigin}
	if s.Start == StartRandom {
		l.randomise(s.Seed, s.ThroughOrigin)
	}
	if s.Method == MethodBatch {
		l.gradient = newParams(l.n, d.Terms)
	}
	return l
}

func (l *gradientDescent) learn(_ int, x features.Vector, c int) bool {
	l.now = l.scores(l.now, x)
	if l.gradient != nil {
		for r, z := range l.now {
			l.gradient.add(r, x, l.lossOf.derivative(target(l.n, r, c), z), l.origin)
		}
		l.read++
		return false
	}
	l.taken++
	for r, z := range l.now {
		l.add(r, x, -l.steps.rate(l.taken)*l.lossOf.derivative(target(l.n, r, c), z), l.origin)
	}
	return true
}

// pass makes the step of a batch.
func (l *gradientDescent) pass() (updates int, atRest bool) {
	if l.gradient == nil {
		return 0, false
	}
	l.taken++
	l.addScaled(l.gradient, -l.steps.rate(l.taken)/float64(l.read))
	l.gradient.clear()
	l.read = 0
	return 1, false
}

func (l *gradientDescent) loss(scores []float64, c int) float64 {
	return sumOver(scores, c, l.lossOf.value)
}

func (l *gradientDescent) globals(c *codec) {
	c.list(&l.taken)
	l.params.globals(c)
}
