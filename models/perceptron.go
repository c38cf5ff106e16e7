package models

import (
	"context"
	"math"

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

// Convergence reports whether a perceptron converged: a pass without an update proves that the training part is linearly
// separable. Source: collins, "The Perceptron Algorithm"; mlcourse, "Convergence".
type Convergence struct {
	Converged bool `json:"converged"`
	Epochs    int  `json:"epochs"`
	// Updates is how many documents changed the weights, over all epochs.
	Updates int `json:"updates"`
	// Separations are the margins of converged weights: one for two classes, else one for each class, which has a perceptron against all others.
	// They are empty for a multi-class perceptron.
	Separations []Separation `json:"separations,omitempty"`
}

// Separation is the margin by which converged weights separate the training part, and the bound of the convergence theorem.
//
//	R            = max over i of ||f_i||, with 1 for the feature of the bias
//	gamma        = min over i of t_i (w . f_i + b)
//	gamma_geom   = gamma / ||(w, b)||
//	updates     <= (R / gamma_geom)^2
//
// Source: collins, "The Perceptron Convergence Theorem"; mlcourse, "Geometric Analysis". The theorem holds with any
// weights that separate, hence with those that were found.
type Separation struct {
	// Class is the class that was separated from all others; empty where all were separated together.
	Class string `json:"class,omitempty"`
	// Updates is how many updates were made.
	Updates         int     `json:"updates"`
	Radius          float64 `json:"radius"`
	Margin          float64 `json:"margin"`
	GeometricMargin float64 `json:"geometric_margin"`
	// UpdateBound is (R / gamma_geom)^2, or nil where the theorem does not apply: it assumes weights that start at 0, a
	// constant learning rate.
	UpdateBound *float64 `json:"update_bound,omitempty"`
}

// convergence reports on a perceptron from its epochs, and returns nil if none was watched.
func convergence(epochs []Epoch) *Convergence {
	if len(epochs) == 0 {
		return nil
	}
	c := &Convergence{Epochs: len(epochs)}
	for _, e := range epochs {
		c.Updates += e.Updates
		c.Converged = e.Updates == 0
	}
	return c
}

// separations measures the converged weights of each row.
func (m Perceptron) separations(l *stepper, d *features.Dataset) []Separation {
	isTheorem := m.Start != StartRandom && (m.Decay == "" || m.Decay == RateConstant)
	all := make([]Separation, l.n)
	var scores []float64
	for r := range all {
		s := Separation{Updates: l.updates[r], Margin: math.Inf(1)}
		if l.n > 1 {
			s.Class = d.Classes[r]
		}
		rows := d.Rows()
		for i, label := range d.Labels {
			x := rows.Row(i)
			scores = l.scores(scores, x)
			s.Radius = max(s.Radius, math.Sqrt(squaredNorm(x, m.ThroughOrigin)))
			s.Margin = min(s.Margin, target(l.n, r, int(label))*scores[r])
		}
		s.GeometricMargin = s.Margin / math.Sqrt(l.squaredNorm(r))
		if bound := math.Pow(s.Radius/s.GeometricMargin, 2); isTheorem && !math.IsInf(bound, 0) {
			s.UpdateBound = &bound
		}
		all[r] = s
	}
	return all
}
