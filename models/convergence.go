package models

import (
	"math"

	"chaff/features"
)

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
