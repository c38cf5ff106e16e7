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
	// Separations are the margins of converged weights, and empty otherwise: one for two classes and for a multi-class
	// perceptron, one for each class where every class has a perceptron against all others.
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
	// constant learning rate, and documents of equal weight.
	UpdateBound *float64 `json:"update_bound,omitempty"`
}

// convergence reports on a perceptron from its epochs, and returns nil if none was watched. separations measures converged weights.
func convergence(epochs []Epoch, separations func(updates int) []Separation) *Convergence {
	if len(epochs) == 0 {
		return nil
	}
	c := &Convergence{Epochs: len(epochs)}
	for _, e := range epochs {
		c.Updates += e.Updates
		c.Converged = e.Updates == 0
	}
	if c.Converged {
		c.Separations = separations(c.Updates)
	}
	return c
}

// separation measures weights whose length has the given square, on documents whose features are longer by the given factor. marginOf returns
// the margin of a document.
func (p Passes) separation(d *features.Dataset, v *params, s Steps, longer, squares float64, marginOf func(scores []float64, c int) float64) Separation {
	all := Separation{Margin: math.Inf(1)}
	var scores []float64
	rows := d.Rows()
	for i, label := range d.Labels {
		x := rows.Row(i)
		scores = v.scores(scores, x)
		all.Radius = max(all.Radius, longer*math.Sqrt(squaredNorm(x, p.ThroughOrigin)))
		all.Margin = min(all.Margin, marginOf(scores, int(label)))
	}
	all.GeometricMargin = all.Margin / math.Sqrt(squares)
	isTheorem := s.Start != StartRandom && (s.Decay == "" || s.Decay == RateConstant) && (p.ClassWeights == "" || p.ClassWeights == WeightsNone)
	if bound := math.Pow(all.Radius/all.GeometricMargin, 2); isTheorem && !math.IsInf(bound, 0) {
		all.UpdateBound = &bound
	}
	return all
}
