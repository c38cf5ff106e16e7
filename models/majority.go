package models

import (
	"context"

	"chaff/features"
)

// Majority always predicts the class with the most training documents, of equal ones the first. It is the baseline that
// a classifier has to beat. It has no settings and takes any kind of feature.
//
//	alpha_cw = 0
//	beta_c   = log(N_c/N)
type Majority struct{}

// Train implements [Trainer].
func (m Majority) Train(ctx context.Context, d *features.Dataset, _ EpochOptions) (*Linear, Report, error) {
	return trainCounts(ctx, &m, d)
}

func (m Majority) newLearner(d *features.Dataset) learner { return newCounts(&m, d) }

func (Majority) biases(n *counts) []float64 { return logPrior(PriorLearned, n.documents) }

func (Majority) weigh(dst, _ []float64, _ *counts, _ float64) { clear(dst) }
