package models

import (
	"context"

	"chaff/features"
)

// MulticlassPerceptron has a vector of weights for each of K >= 2 classes. When it takes a document of class c for one of
// class c', it moves the one towards the document and the other away from it.
//
//	z_k = w_k . f + b_k
//	c'  = the k other than c with the highest z_k
//	if z_c <= z_c':  w_c <- w_c + eta_n f,  w_c' <- w_c' - eta_n f        and the biases by +eta_n, -eta_n
//
// Source: cs440 lecture 16, "Multi-class perceptrons". A tie is a mistake, as for [Perceptron]; of several highest c' is
// the first.
type MulticlassPerceptron struct {
	Passes
	Steps
	// Averaged uses the mean of the weights after each message instead of the last ones. Default true.
	Averaged bool `json:"averaged"`
}

// Train implements [Trainer].
func (m MulticlassPerceptron) Train(ctx context.Context, d *features.Dataset, o EpochOptions) (*Linear, Report, error) {
	linear, report, err := trainPasses(ctx, &m, m.Passes, d, o, "")
	report.Convergence = convergence(report.Epochs)
	return linear, report, err
}

func (m MulticlassPerceptron) newLearner(d *features.Dataset) learner {
	return newStepper(m, m.Passes, m.Steps, len(d.Classes), d.Terms, m.Averaged)
}

func (m MulticlassPerceptron) steps(z []float64, _ features.Vector, c, n int) bool {
	other := Rival(z, c)
	if z[c] > z[other] {
		return false
	}
	clear(z)
	z[c], z[other] = m.rate(n), -m.rate(n)
	return true
}

// loss is the 0-1 loss, where a tie is a mistake.
func (MulticlassPerceptron) loss(z []float64, c int) float64 {
	if z[c] > z[Rival(z, c)] {
		return 0
	}
	return 1
}
