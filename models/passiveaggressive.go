package models

import (
	"context"
	"errors"
	"fmt"

	"chaff/features"
)

// PassiveAggressive changes its weights by as little as it takes to classify a document with a margin of 1, but by no
// more than the aggressiveness C allows.
//
//	loss = max(0, 1 - t z)                       z = w . f + b
//	tau  = min(C, loss / (||f||^2 + 1))          the 1 is the feature of the bias
//	w <- w + tau t f,  b <- b + tau t
//
// Source: K. Crammer, O. Dekel, J. Keshet, S. Shalev-Shwartz, Y. Singer: Online Passive-Aggressive Algorithms (JMLR 7,
// 2006), section 3, PA-I. A document that counts more by its class weight has as much more of C.
//
// It has any number of classes: of more than two, each has weights of its own against all others. It takes any kind of
// feature.
type PassiveAggressive struct {
	Passes
	// Aggressiveness is C, the longest step. Above 0, at most 1e6; default 0.2, which is best on development mail. Small ones
	// pay less heed to mail that is labelled wrongly.
	Aggressiveness float64 `json:"aggressiveness"`
	// Averaged is for the mean of the weights after each message instead of the last ones. Default false, which is better on development mail.
	Averaged bool `json:"averaged"`
}

var _ EpochTrainer = PassiveAggressive{}

// DefaultPassiveAggressive returns the settings used when nothing else is said.
func DefaultPassiveAggressive() PassiveAggressive {
	return PassiveAggressive{
		Passes:         Passes{Epochs: 20, Order: OrderRandom, ClassWeights: WeightsNone, Features: features.NormalisedBits.String()},
		Aggressiveness: 0.2,
	}
}

// Validate returns everything that is wrong with m.
func (m PassiveAggressive) Validate() error { return m.validate("") }

func (m PassiveAggressive) validate(prefix string) error {
	return errors.Join(m.Passes.validate(prefix), checkPositive(prefix+"aggressiveness", m.Aggressiveness))
}

// maxPositive bounds the settings that only need to be above 0.
const maxPositive = 1e6

func checkPositive(key string, value float64) error {
	if !(value > 0 && value <= maxPositive) { // also refuses NaN
		return fmt.Errorf("%s is %v: must be above 0 and at most %v", key, value, maxPositive)
	}
	return nil
}

// Train implements [Trainer].
func (m PassiveAggressive) Train(ctx context.Context, d *features.Dataset) (*Linear, Report, error) {
	return m.TrainEpochs(ctx, d, Watch{})
}

// TrainEpochs implements [EpochTrainer].
func (m PassiveAggressive) TrainEpochs(ctx context.Context, d *features.Dataset, w Watch) (*Linear, Report, error) {
	if err := m.Validate(); err != nil {
		return nil, Report{}, err
	}
	start := newRows(rowsOf(len(d.Classes)), d.Terms)
	out, err := (&course{Passes: m.Passes, watch: w, learner: m.learner(start), start: start}).run(ctx, d)
	if err != nil {
		return nil, Report{}, err
	}
	return out.result(d)
}

func (m PassiveAggressive) learner(start *rows) *passiveAggressive {
	return &passiveAggressive{averaged: newAveraged(start, m.Averaged, m.ThroughOrigin), C: m.Aggressiveness}
}

func (m PassiveAggressive) online(classes []string) (Online, error) {
	return m.Passes.online(classes, nil, m.learner(newRows(rowsOf(len(classes)), 0)))
}

type passiveAggressive struct {
	averaged
	C       float64
	scratch []float64 // R
}

func (l *passiveAggressive) learn(x features.Vector, c int, weight float64) bool {
	l.read++
	l.scratch = l.scores(room(l.scratch, l.n), x)
	changed := false
	for r, z := range l.scratch {
		t := target(l.n, r, c)
		loss := hinge(t, z)
		squares := squaredNorm(x, l.origin)
		if loss == 0 || squares == 0 {
			continue
		}
		tau := min(l.C*weight, loss/squares)
		l.step(r, x, tau*t)
		changed = true
	}
	return changed
}

func (l *passiveAggressive) pass() int { return 0 }

func (l *passiveAggressive) loss(scores []float64, c int) float64 { return sumOver(scores, c, hinge) }

// hinge is the loss of a document that is not classified with a margin of 1.
func hinge(t, z float64) float64 { return max(0, 1-t*z) }

// sumOver adds up the losses of the rows for a document of class c.
func sumOver(scores []float64, c int, loss func(t, z float64) float64) float64 {
	var sum float64
	for r, z := range scores {
		sum += loss(target(len(scores), r, c), z)
	}
	return sum
}
