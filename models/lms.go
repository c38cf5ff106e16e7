package models

import (
	"context"

	"chaff/features"
)

// LMS is least mean squares, the rule of Widrow and Hoff: gradient descent on the square loss of the score itself.
//
//	Err = 1/2 sum over i of (t_i - z_i)^2        z = w . f + b
//	dErr/dz_i = -(t_i - z_i)
//
// Source: cs446 lecture 4, "Least Mean Square Error", "Gradient descent (batch)", "Stochastic Gradient descent (online)".
type LMS struct{ Descent }

// Train implements [Trainer].
func (m LMS) Train(ctx context.Context, d *features.Dataset, o EpochOptions) (*Linear, Report, error) {
	return m.train(ctx, &m, "lms", d, o)
}

func (m LMS) newLearner(d *features.Dataset) learner { return m.follow(m, d) }

func (LMS) value(t, z float64) float64 { return (t - z) * (t - z) / 2 }

func (LMS) derivative(t, z float64) float64 { return -(t - z) }
