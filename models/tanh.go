package models

import (
	"context"
	"math"

	"chaff/features"
)

// Tanh is the differentiable perceptron: the hyperbolic tangent of the score replaces its sign, and gradient descent
// minimises the squared error.
//
//	y  = tanh(z)                                 z = w . f + b
//	L  = sum over i of (t_i - y_i)^2
//	dL/dz_i = -2 (t_i - y_i) (1 - y_i^2)
//
// Source: cs440 lecture 16, "Differentiable Perceptron". The loss is not convex: weights that start where y is near -t
// stay there, since the gradient vanishes.
type Tanh struct{ Descent }

// Train implements [Trainer].
func (m Tanh) Train(ctx context.Context, d *features.Dataset, o EpochOptions) (*Linear, Report, error) {
	return m.train(ctx, &m, "tanh", d, o)
}

func (m Tanh) newLearner(d *features.Dataset) learner { return m.follow(m, d) }

func (Tanh) value(t, z float64) float64 { return math.Pow(t-math.Tanh(z), 2) }

func (Tanh) derivative(t, z float64) float64 {
	y := math.Tanh(z)
	return -2 * (t - y) * (1 - y*y)
}
