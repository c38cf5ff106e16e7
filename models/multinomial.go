package models

import (
	"context"
	"fmt"
	"slices"

	"chaff/features"
)

// Multinomial is naive Bayes with one bit per token: a document is a sequence of tokens, each drawn from the terms of
// its class, and a term counts as often as it occurs. It has any number of classes and takes features.Counts. With
// features.Bits a document is the sequence of its different terms, each once. With a normalised kind each token is the same
// fraction of one, and the document is L2-normalised: a long one does not outweigh many short ones, and its score does not
// grow with every word that repeats the evidence of others.
//
//	lambda_cw = (a + n_cw) / (aV + n_c)       K x V; n_cw: tokens of class c that are w, n_c: tokens of class c
//	alpha_cw  = log lambda_cw
//	beta_c    = log pi_c
//
// V is the number of terms that a training document has. Other terms have the weight 0: smoothing alone would let them speak for the class with less mail.
//
// Source: cs440 lecture 16, "Feature = One Bit Per Word Token". The lecture has a = 1. With a = 0 an estimate of 0 would
// give an infinite weight, so estimates are clipped to 1e-10 and 1 - 1e-10, and a class without a token has 1/V for
// every term, as with any a > 0.
type Multinomial struct {
	// Smoothing is added to the number of tokens of each term, so that no term is impossible. Laplace's 1 suits
	// counts, and is too much for normalised features. 0, or from 1e-10 to 1e6. Default 0.001.
	Smoothing float64 `json:"smoothing" range:"0, or from 1e-10 to 1e6"`
	// Prior is the probability of each class before a message is read: "learned" from the training messages,
	// or "uniform". An empty text means "learned". Default "uniform".
	Prior string `json:"prior" range:"learned or uniform"`
	// Features is the kind of feature: "bits", "counts", or "normalised bits" and "normalised counts", which are
	// L2-normalised. An empty text means "counts". Default "normalised bits".
	Features string `json:"features" range:"counts, bits, normalised bits or normalised counts"`
}

// maxAdded is how many times the sum of all terms of a class smoothing may add to it without a warning. On the public corpora accuracy
// falls from about three times on.
const maxAdded = 2

// Train implements [Trainer]. It warns of a smoothing that drowns the features: the 1 of the lectures is for tokens, of which every one
// counts 1, and the terms of an L2-normalised document add up to the root of their number at most.
func (m Multinomial) Train(ctx context.Context, d *features.Dataset, _ EpochOptions) (*Linear, Report, error) {
	l, r, err := trainCounts(ctx, &m, d, features.Counts, features.Bits, features.NormalisedBits, features.NormalisedCounts)
	if err == nil && (d.Kind == features.NormalisedBits || d.Kind == features.NormalisedCounts) {
		n := r.Learned.learner.(*counts)
		if added, least := m.Smoothing*float64(n.terms()), slices.Min(n.totals); least > 0 && added > maxAdded*least {
			r.Warnings = append(r.Warnings, fmt.Sprintf(
				"smoothing=%v adds %.2g times as much as the messages of a class do, and hides them: use 0.001 with %v, or features=counts", m.Smoothing, added/least, d.Kind))
		}
	}
	return l, r, err
}

func (m Multinomial) newLearner(d *features.Dataset) learner { return newCounts(&m, d) }

func (m Multinomial) biases(n *counts) []float64 { return logPrior(m.Prior, n.documents) }

// weigh writes log lambda_cw.
func (m Multinomial) weigh(dst, ncw []float64, n *counts, V float64) {
	a := m.Smoothing
	for c, nc := range n.totals {
		lambda := 1 / V
		if a > 0 || nc > 0 {
			lambda = (a + ncw[c]) / (a*V + nc)
		}
		dst[c] = logEstimate(lambda, a)
	}
}
