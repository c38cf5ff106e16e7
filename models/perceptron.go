package models

import (
	"context"
	"errors"

	"chaff/features"
)

// Perceptron changes its weights whenever it misclassifies a document, and stops when it does not any more.
//
//	z = w . f + b
//	if t z <= 0:  w <- w + eta_n t f,  b <- b + eta_n t
//
// Source: cs440 lecture 16, "Perceptron"; collins, "The Perceptron Algorithm"; mlcourse, "Perceptron", "Update rule". A
// document on the boundary is a mistake (grosse lecture 3, section 4), where collins takes sign(0) = +1.
//
// It has any number of classes: of more than two, each has a perceptron of its own against all others. It takes any kind
// of feature.
type Perceptron struct {
	Passes
	Steps
	// Averaged is for the mean of the weights after each document instead of the last ones. A perceptron that does not
	// converge goes to and fro, and the mean is more accurate than any of the weights it is of.
	Averaged bool `json:"-"`
}

var _ EpochTrainer = Perceptron{}

// DefaultPerceptron returns the settings of a plain perceptron used when nothing else is said.
func DefaultPerceptron() Perceptron {
	return Perceptron{
		Passes: Passes{Epochs: 50, Order: OrderRandom, ClassWeights: WeightsNone, Features: features.Bits.String()},
		Steps:  Steps{LearningRate: 1, Decay: RateConstant, Start: StartZeros},
	}
}

// DefaultAveragedPerceptron returns the settings of an averaged perceptron used when nothing else is said.
func DefaultAveragedPerceptron() Perceptron {
	m := DefaultPerceptron()
	m.Averaged = true
	return m
}

// Validate returns everything that is wrong with m.
func (m Perceptron) Validate() error { return m.validate("") }

func (m Perceptron) validate(prefix string) error {
	return errors.Join(m.Passes.validate(prefix), m.Steps.validate(prefix))
}

// Train implements [Trainer].
func (m Perceptron) Train(ctx context.Context, d *features.Dataset) (*Linear, Report, error) {
	return m.TrainEpochs(ctx, d, Watch{})
}

// TrainEpochs implements [EpochTrainer].
func (m Perceptron) TrainEpochs(ctx context.Context, d *features.Dataset, w Watch) (*Linear, Report, error) {
	if err := m.Validate(); err != nil {
		return nil, Report{}, err
	}
	start := m.startRows(rowsOf(len(d.Classes)), d.Terms, m.Seed, m.ThroughOrigin)
	l := m.learner(start)
	out, err := (&course{Passes: m.Passes, watch: w, learner: l, start: start}).run(ctx, d)
	if err != nil {
		return nil, Report{}, err
	}
	linear, report, err := out.result(d)
	report.Convergence = out.convergence()
	if out.settled {
		report.Convergence.Separations = l.separations(d, m)
	}
	return linear, report, err
}

func (m Perceptron) learner(start *rows) *perceptron {
	return &perceptron{averaged: newAveraged(start, m.Averaged, m.ThroughOrigin), steps: m.Steps, updates: make([]int, start.n)}
}

func (m Perceptron) online(classes []string) (Online, error) {
	return m.Passes.online(classes, m.Steps.checkOnline(), m.learner(newRows(rowsOf(len(classes)), 0)))
}

// perceptron learns one row for each of R problems of two classes.
type perceptron struct {
	averaged
	steps   Steps
	updates []int     // R: of each row, how many there were
	scratch []float64 // R
}

func (l *perceptron) learn(x features.Vector, c int, weight float64) bool {
	l.read++
	l.scratch = l.scores(room(l.scratch, l.n), x)
	changed := false
	for r, z := range l.scratch {
		t := target(l.n, r, c)
		if t*z > 0 {
			continue
		}
		l.step(r, x, l.steps.rate(l.read)*weight*t)
		l.updates[r]++
		changed = true
	}
	return changed
}

func (l *perceptron) pass() int { return 0 }

// loss is the 0-1 loss, of which collins' "The Perceptron Algorithm" searches the minimum: 1 for a mistake of any row.
func (l *perceptron) loss(scores []float64, c int) float64 {
	for r, z := range scores {
		if target(len(scores), r, c)*z <= 0 {
			return 1
		}
	}
	return 0
}

// room returns memory for n scores, that of dst if it suffices.
func room(dst []float64, n int) []float64 {
	if cap(dst) < n {
		return make([]float64, n)
	}
	return dst[:n]
}
