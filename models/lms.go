package models

import (
	"context"
	"errors"

	"chaff/features"
)

// LMS is least mean squares, the rule of Widrow and Hoff: gradient descent on the square loss of the score itself.
//
//	Err = 1/2 sum over i of (t_i - z_i)^2        z = w . f + b
//	dErr/dz_i = -(t_i - z_i)
//
// Source: cs446 lecture 4, "Least Mean Square Error", "Gradient descent (batch)", "Stochastic Gradient descent (online)".
//
// It has any number of classes: of more than two, each has weights of its own against all others. It takes any kind of
// feature.
type LMS struct {
	Passes
	Steps
	// Method is "stochastic" for a step after each message, or "batch" for one after each pass over all of them. Default
	// "stochastic"; an empty text means the same. A batch needs many more epochs.
	Method string `json:"method"`
}

var _ EpochTrainer = LMS{}

// DefaultLMS returns the settings used when nothing else is said.
func DefaultLMS() LMS {
	return LMS{
		Passes: Passes{Epochs: 20, Order: OrderRandom, ClassWeights: WeightsNone, Features: features.UnitBits.String()},
		Steps:  Steps{LearningRate: 0.2, Decay: RateConstant, Start: StartZeros},
		Method: MethodStochastic,
	}
}

// Validate returns everything that is wrong with m.
func (m LMS) Validate() error { return m.validate("") }

func (m LMS) validate(prefix string) error {
	return errors.Join(m.Passes.validate(prefix), m.Steps.validate(prefix), checkMethod(prefix, m.Method))
}

// Train implements [Trainer].
func (m LMS) Train(ctx context.Context, d *features.Dataset) (*Linear, Report, error) {
	return m.TrainEpochs(ctx, d, Watch{})
}

// TrainEpochs implements [EpochTrainer].
func (m LMS) TrainEpochs(ctx context.Context, d *features.Dataset, w Watch) (*Linear, Report, error) {
	if err := m.Validate(); err != nil {
		return nil, Report{}, err
	}
	return descend(ctx, d, m.Passes, m.Steps, m.Method, halfSquare(), "lms", w)
}

// halfSquare is 1/2 (t - z)^2.
func halfSquare() slopedLoss {
	return slopedLoss{
		value: func(t, z float64) float64 { return (t - z) * (t - z) / 2 },
		slope: func(t, z float64) float64 { return -(t - z) },
	}
}

func (m LMS) online(classes []string) (Online, error) {
	return onlineDescent(classes, m.Passes, m.Steps, m.Method, halfSquare())
}
