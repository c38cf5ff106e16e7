package models

import (
	"context"

	"chaff/features"
)

// Memoriser remembers the class of every training document and predicts class 0 for any other. It is always right on the
// training part and has learned nothing: the baseline that shows why a classifier is tested on other mail. It has no
// settings and takes features.Whole, where the only term of a document is the document itself.
//
//	alpha_cw = 2 if w is of class c and c != 0, else 0
//	beta_c   = 1 if c = 0, else 0
//
// so that of two classes the score is +1 for a document remembered as class 1, and -1 for any other. Source: collins,
// "What Kind of Solution would Suffice?". A document with several labels gets the most frequent one, of equally frequent
// ones the first.
type Memoriser struct{}

// Train implements [Trainer].
func (m Memoriser) Train(ctx context.Context, d *features.Dataset, _ EpochOptions) (*Linear, Report, error) {
	return trainCounts(ctx, &m, d, features.Whole)
}

func (m Memoriser) newLearner(d *features.Dataset) learner { return newCounts(&m, d) }

func (Memoriser) biases(n *counts) []float64 {
	beta := make([]float64, len(n.classes))
	beta[0] = 1
	return beta
}

func (Memoriser) weigh(dst, labels []float64, _ *counts, _ float64) {
	clear(dst)
	if c := Argmax(labels); c != 0 {
		dst[c] = 2
	}
}
