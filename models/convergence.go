package models

import (
	"math"

	"chaff/features"
)

// Convergence is whether a perceptron converged: a whole pass without an update, which shows that the training part is
// linearly separable. Source: collins, "The Perceptron Algorithm"; mlcourse, "Convergence".
type Convergence struct {
	Converged bool `json:"converged"`
	Epochs    int  `json:"epochs"`
	// Updates is how many documents changed the weights, over all epochs.
	Updates int `json:"updates"`
	// Separations is what the converged weights achieve, and nothing if they did not converge: one for two classes and for a
	// multi-class perceptron, one for each class where every class has a perceptron against all others.
	Separations []Separation `json:"separations,omitempty"`
}

// Separation is by how much converged weights separate the training part, and what the convergence theorem says of it.
//
//	R            = max over i of ||f_i||, with 1 for the feature of the bias
//	gamma        = min over i of t_i (w . f_i + b)
//	gamma_geom   = gamma / ||(w, b)||
//	updates     <= (R / gamma_geom)^2
//
// Source: collins, "The Perceptron Convergence Theorem"; mlcourse, "Geometric Analysis". The theorem holds with any
// weights that separate, so it holds with those that were found.
type Separation struct {
	// Class is the class that was separated from all others; empty where all were separated together.
	Class string `json:"class,omitempty"`
	// Updates is how many updates were made.
	Updates         int     `json:"updates"`
	Radius          float64 `json:"radius"`
	Margin          float64 `json:"margin"`
	GeometricMargin float64 `json:"geometric_margin"`
	// UpdateBound is (R / gamma_geom)^2. nil where the theorem says nothing: it wants weights that start at 0, a constant
	// learning rate, and documents that all count the same.
	UpdateBound *float64 `json:"update_bound,omitempty"`
}

// convergence tells whether a course converged.
func (out *outcome) convergence() *Convergence {
	c := &Convergence{Converged: out.settled, Epochs: len(out.epochs)}
	for _, e := range out.epochs {
		c.Updates += e.Updates
	}
	return c
}

// separations measures the converged weights, row by row.
func (l *perceptron) separations(d *features.Dataset, m Perceptron) []Separation {
	all := make([]Separation, l.n)
	for r := range all {
		s := &all[r]
		s.Updates = l.updates[r]
		if l.n > 1 {
			s.Class = d.Classes[r]
		}
		s.Margin = math.Inf(1)
	}
	scores := make([]float64, l.n)
	rows := d.Rows()
	for i, label := range d.Labels {
		x := rows.Row(i)
		length := math.Sqrt(squaredNorm(x, m.ThroughOrigin))
		for r, z := range l.scores(scores, x) {
			all[r].Radius = max(all[r].Radius, length)
			all[r].Margin = min(all[r].Margin, target(l.n, r, int(label))*z)
		}
	}
	for r := range all {
		all[r].finish(l.norm(r), theoremHolds(m.Passes, m.Steps))
	}
	return all
}

// finish computes what follows from the margin and the length of the weights.
func (s *Separation) finish(norm float64, theorem bool) {
	s.GeometricMargin = s.Margin / norm
	if bound := math.Pow(s.Radius/s.GeometricMargin, 2); theorem && !math.IsInf(bound, 0) {
		s.UpdateBound = &bound
	}
}

// theoremHolds says whether the convergence theorem is about training with these settings.
func theoremHolds(p Passes, s Steps) bool {
	return s.Start != StartRandom && (s.Decay == "" || s.Decay == RateConstant) &&
		(p.ClassWeights == "" || p.ClassWeights == WeightsNone)
}
