package models

import (
	"context"
	"errors"
	"fmt"

	"chaff/features"
)

// How the slope of a loss is followed.
const (
	MethodStochastic = "stochastic" // a step for each document
	MethodBatch      = "batch"      // a step for each pass, over the sum of all documents
)

func checkMethod(prefix, method string) error {
	switch method {
	case "", MethodStochastic, MethodBatch:
		return nil
	}
	return fmt.Errorf("%smethod is %q: must be stochastic or batch", prefix, method)
}

// Descent is the settings of classifiers that are trained by gradient descent.
type Descent struct {
	Passes
	Steps
	// Method is "stochastic" for a step after each message, or "batch" for one after each pass over all of them. Default
	// "stochastic"; an empty text means the same. A batch needs many more epochs.
	Method string `json:"method"`
}

// defaultDescent returns settings for messages of length 1.
func defaultDescent() Descent {
	return Descent{
		Passes: Passes{Epochs: 20, Order: OrderRandom, ClassWeights: WeightsNone, Features: features.NormalisedBits.String()},
		Steps:  Steps{LearningRate: 0.2, Decay: RateConstant, Start: StartZeros},
		Method: MethodStochastic,
	}
}

// Validate returns everything that is wrong with s.
func (s Descent) Validate() error { return s.validate("") }

func (s Descent) validate(prefix string) error {
	return errors.Join(s.Passes.validate(prefix), s.Steps.validate(prefix), checkMethod(prefix, s.Method))
}

// slopedLoss is a loss of one score z with the target t, and its derivative by z.
type slopedLoss struct {
	value, slope func(t, z float64) float64
}

// gradientDescent goes down the slope of a loss that is a sum over documents and rows, by steps of
//
//	stochastic   w <- w - eta_n dL/dz f                     after each document
//	batch        w <- w - eta_n 1/N sum over i of dL/dz f   after each pass
//
// Source: cs446 lecture 4, "Gradient descent (batch)", "Stochastic Gradient descent (online)". The lecture has the sum of
// the batch without 1/N; with it a learning rate is as good for many documents as for few.
type gradientDescent struct {
	*rows
	lossOf  slopedLoss
	steps   Steps
	origin  bool
	slopes  *rows   // batch: the sum so far; nil for stochastic
	read    float64 // batch: the documents in the sum, weighted by class
	taken   int     // steps
	scratch []float64
}

// train trains by gradient descent on a loss. The name is that of the section of settings.
func (s Descent) train(ctx context.Context, d *features.Dataset, loss slopedLoss, name string, w Watch) (*Linear, Report, error) {
	if err := s.Validate(); err != nil {
		return nil, Report{}, err
	}
	start := s.startRows(rowsOf(len(d.Classes)), d.Terms, s.Seed, s.ThroughOrigin)
	l := s.learner(start, loss)
	down := &downhill{batch: s.Method == MethodBatch, brake: fmt.Sprintf("models.%s.learning_rate, which is %v", name, s.LearningRate)}
	if down.batch {
		l.slopes = newRows(start.n, d.Terms)
	}
	out, err := (&course{Passes: s.Passes, watch: w, learner: l, start: start, descent: down}).run(ctx, d)
	if err != nil {
		return nil, Report{}, err
	}
	return out.result(d)
}

func (s Descent) learner(start *rows, loss slopedLoss) *gradientDescent {
	l := &gradientDescent{rows: newRows(start.n, len(start.weights)/start.n), lossOf: loss, steps: s.Steps, origin: s.ThroughOrigin}
	l.set(start)
	return l
}

// endless is gradient descent without end.
func (s Descent) endless(classes []string, loss slopedLoss) (Online, error) {
	l := s.learner(newRows(rowsOf(len(classes)), 0), loss)
	return s.Passes.online(classes, firstOf(s.checkOnline(), checkStochastic(s.Method)), l)
}

// checkStochastic returns an error for a method that needs all documents for a step.
func checkStochastic(method string) error {
	if method == MethodBatch {
		return fmt.Errorf("method is %q: must be stochastic", method)
	}
	return nil
}

// grow implements growing.
func (l *gradientDescent) grow(terms int) { l.rows.grow(terms, 0) }

// scoresNow implements growing.
func (l *gradientDescent) scoresNow(dst []float64, x features.Vector) []float64 {
	return l.scores(room(dst, l.n), x)
}

func (l *gradientDescent) learn(x features.Vector, c int, weight float64) bool {
	l.scratch = l.scores(room(l.scratch, l.n), x)
	if l.slopes != nil {
		for r, z := range l.scratch {
			l.slopes.add(r, x, weight*l.lossOf.slope(target(l.n, r, c), z), l.origin)
		}
		l.read += weight
		return false
	}
	l.taken++
	for r, z := range l.scratch {
		l.add(r, x, -l.steps.rate(l.taken)*weight*l.lossOf.slope(target(l.n, r, c), z), l.origin)
	}
	return true
}

func (l *gradientDescent) pass() int {
	if l.slopes == nil {
		return 0
	}
	l.taken++
	l.addAll(l.slopes, -l.steps.rate(l.taken)/l.read)
	l.slopes.clear()
	l.read = 0
	return 1
}

func (l *gradientDescent) model(dst *rows) { dst.set(l.rows) }

func (l *gradientDescent) loss(scores []float64, c int) float64 {
	return sumOver(scores, c, l.lossOf.value)
}
