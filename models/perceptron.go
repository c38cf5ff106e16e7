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

// Train implements [Trainer].
func (m Perceptron) Train(ctx context.Context, d *features.Dataset, o EpochOptions) (*Linear, Report, error) {
	linear, report, err := trainPasses(ctx, &m, m.Passes, d, o, "")
	if report.Convergence = convergence(report.Epochs); report.Convergence != nil && report.Convergence.Converged {
		report.Convergence.Separations = m.separations(report.Learned.learner.(*stepper), d)
	}
	return linear, report, err
}

// newLearner returns a learner of one row for each of R problems of two classes.
func (m Perceptron) newLearner(d *features.Dataset) learner {
	return newStepper(m, m.Passes, m.Steps, rowCount(len(d.Classes)), d.Terms, m.Averaged)
}

func (m Perceptron) steps(z []float64, _ features.Vector, c, n int) (changed bool) {
	for r := range z {
		t := target(len(z), r, c)
		if t*z[r] > 0 {
			z[r] = 0
			continue
		}
		z[r], changed = m.rate(n)*t, true
	}
	return changed
}

// loss is the 0-1 loss, whose minimum collins' "The Perceptron Algorithm" looks for: 1 for a mistake of any row.
func (Perceptron) loss(z []float64, c int) float64 {
	for r := range z {
		if target(len(z), r, c)*z[r] <= 0 {
			return 1
		}
	}
	return 0
}
