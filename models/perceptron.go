package models

import (
	"context"

	"chaff/features"
)

// Perceptron changes its weights whenever it misclassifies a document, and stops when a pass makes no mistake.
//
//	z = w . f + b
//	if t z <= 0:  w <- w + eta_n t f,  b <- b + eta_n t
//
// Source: cs440 lecture 16, "Perceptron"; collins, "The Perceptron Algorithm"; mlcourse, "Perceptron", "Update rule". A
// document on the boundary is a mistake (grosse lecture 3, section 4), where collins has sign(0) = +1.
type Perceptron struct {
	Passes
	Steps
	// Averaged selects the mean of the weights after each document instead of the last ones. The weights of a perceptron
	// that does not converge oscillate, and their mean is more accurate than any of them.
	Averaged bool `json:"-"`
}

var _ Trainer = Perceptron{}

// Train implements [Trainer].
func (m Perceptron) Train(ctx context.Context, d *features.Dataset, o EpochOptions) (*Linear, Report, error) {
	l := m.newLearner(d).(*perceptron)
	linear, report, err := epochs(ctx, &m, m.Passes, newSorted(d), l, o, "")
	if report.Convergence = convergence(report.Epochs); report.Convergence != nil && report.Convergence.Converged {
		report.Convergence.Separations = l.separations(d, m)
	}
	return linear, report, err
}

func (m Perceptron) newLearner(d *features.Dataset) learner {
	R := rowCount(len(d.Classes))
	return &perceptron{newAveraged(m.Passes, m.Steps, R, d.Terms, m.Averaged), m.Steps, make([]int, R)}
}

// perceptron learns one row for each of R problems of two classes.
type perceptron struct {
	averaged
	steps   Steps
	updates []int // R: how many updates of each row there were
}

func (l *perceptron) learn(_ int, x features.Vector, c int) bool {
	changed := false
	for r, z := range l.next(x) {
		t := target(l.n, r, c)
		if t*z > 0 {
			continue
		}
		l.step(r, x, l.steps.rate(l.read)*t)
		l.updates[r]++
		changed = true
	}
	return changed
}

// loss is the 0-1 loss, whose minimum collins' "The Perceptron Algorithm" looks for: 1 for a mistake of any row.
func (l *perceptron) loss(scores []float64, c int) float64 {
	for r, z := range scores {
		if target(len(scores), r, c)*z <= 0 {
			return 1
		}
	}
	return 0
}
