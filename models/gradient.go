package models

import (
	"context"
	"fmt"
	"slices"

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

// train trains the named model, which has the settings of m. The order of a batch, by which its sums round, is independent of all chance.
func (s Descent) train(ctx context.Context, m settings, name string, d *features.Dataset, o EpochOptions) (*Linear, Report, error) {
	p := s.Passes
	if s.Method == MethodBatch {
		p.Order = orderByContent
	}
	return trainPasses(ctx, m, p, d, o, fmt.Sprintf("models.%s.learning_rate=%v", name, s.LearningRate))
}

// rowLoss is the loss of one score z with the target t, and its derivative by z.
type rowLoss interface {
	value(t, z float64) float64
	derivative(t, z float64) float64
}

// follow returns a learner that minimises a loss, which is a sum over documents and rows, by steps of
//
//	stochastic   w <- w - eta_n dL/dz f                     after each document
//	batch        w <- w - eta_n 1/N sum over i of dL/dz f   after each pass
//
// Source: cs446 lecture 4, "Gradient descent (batch)", "Stochastic Gradient descent (online)". The lecture has the sum of
// the batch without 1/N, which makes a good learning rate independent of the number of documents.
func (s Descent) follow(loss rowLoss, d *features.Dataset) passLearner {
	rule := gradientDescent{loss, s.Steps}
	l := newStepper(rule, s.Passes, s.Steps, rowCount(len(d.Classes)), d.Terms, s.Method == MethodBatch)
	if s.Method == MethodBatch {
		return &batch{params: l.params, gradientDescent: rule, origin: s.ThroughOrigin}
	}
	return l
}

// gradientDescent is the rule of stochastic gradient descent.
type gradientDescent struct {
	rowLoss
	Steps
}

func (g gradientDescent) steps(z []float64, _ features.Vector, c, n int) bool {
	for r := range z {
		z[r] = -g.rate(n) * g.derivative(target(len(z), r, c), z[r])
	}
	return true
}

func (g gradientDescent) loss(z []float64, c int) float64 { return sumOver(z, c, g.value) }

// batch is the learner that makes a step for each pass. Behind the weights of the rows it has the sum of the gradients so far.
type batch struct {
	*params
	gradientDescent
	origin bool
	read   int // the documents in the sum
	taken  int // steps
	now    []float64
}

func (l *batch) learn(_ int, x features.Vector, c int) bool {
	l.now = l.scores(l.now, x)
	for r, z := range l.now {
		l.add(l.n+r, x, l.derivative(target(l.n, r, c), z), l.origin)
	}
	l.read++
	return false
}

func (l *batch) pass() (updates int, atRest bool) {
	l.taken++
	step := -l.rate(l.taken) / float64(l.read)
	for _, all := range [][]float64{l.bias, l.weights} {
		for columns := range slices.Chunk(all, l.columns) {
			for r := range l.n {
				columns[r] += step * columns[l.n+r]
				columns[l.n+r] = 0
			}
		}
	}
	l.read = 0
	return 1, false
}
