package models

import (
	"context"

	"chaff/features"
)

// PassiveAggressive makes the smallest change of its weights that classifies a document with a margin of 1, limited by the
// aggressiveness C.
//
//	loss = max(0, 1 - t z)                       z = w . f + b
//	tau  = min(C, loss / (||f||^2 + 1))          the 1 is the feature of the bias
//	w <- w + tau t f,  b <- b + tau t
//
// Source: K. Crammer, O. Dekel, J. Keshet, S. Shalev-Shwartz, Y. Singer: Online Passive-Aggressive Algorithms (JMLR 7,
// 2006), section 3, PA-I.
type PassiveAggressive struct {
	Passes
	// Aggressiveness is C, the longest step. Above 0, at most 1e6. Default 0.2.
	Aggressiveness float64 `json:"aggressiveness" range:"above 0 and at most 1e6"`
	// Averaged uses the mean of the weights after each message instead of the last ones. Default false.
	Averaged bool `json:"averaged"`
}

// Train implements [Trainer].
func (m PassiveAggressive) Train(ctx context.Context, d *features.Dataset, o EpochOptions) (*Linear, Report, error) {
	return trainPasses(ctx, &m, m.Passes, d, o, "")
}

func (m PassiveAggressive) newLearner(d *features.Dataset) learner {
	return newStepper(m, m.Passes, Steps{}, rowCount(len(d.Classes)), d.Terms, m.Averaged)
}

func (m PassiveAggressive) steps(z []float64, x features.Vector, c, _ int) (changed bool) {
	squares := squaredNorm(x, m.ThroughOrigin)
	for r := range z {
		t := target(len(z), r, c)
		loss := hinge(t, z[r])
		if z[r] = 0; loss > 0 && squares > 0 {
			z[r], changed = min(m.Aggressiveness, loss/squares)*t, true
		}
	}
	return changed
}

func (PassiveAggressive) loss(z []float64, c int) float64 { return sumOver(z, c, hinge) }

// hinge returns the loss of a document that is not classified with a margin of 1.
func hinge(t, z float64) float64 { return max(0, 1-t*z) }
