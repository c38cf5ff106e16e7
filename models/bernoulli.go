package models

import (
	"context"
	"maps"
	"slices"

	"chaff/features"
)

// Bernoulli is naive Bayes with one bit per document and term: whether a term occurs, not how often. Terms that are
// absent from a document count too. It has any number of classes and takes features.Bits or features.HeadBits.
//
//	lambda_cw = (a + n_cw) / (2a + N_c)       K x V; n_cw: documents of class c that contain w
//	alpha_cw  = log(lambda_cw / (1 - lambda_cw))
//	beta_c    = log pi_c + sum over w of log(1 - lambda_cw)
//
// Source: cs440 lecture 16, "Feature = One Bit Per Document". The lecture has a = 1. With a = 0 an estimate of 0 or 1
// would give an infinite weight, so estimates are clipped to 1e-10 and 1 - 1e-10.
//
// A term of no training document has the weight 0, and its absence adds nothing. With head bits, the vocabulary has such
// terms: those that occur only after the head of the text.
type Bernoulli struct {
	// Smoothing is added to the number of documents with a term and to the number without it, so that no term is
	// impossible. 0, or from 1e-10 to 1e6. Default 0.001.
	Smoothing float64 `json:"smoothing" range:"0, or from 1e-10 to 1e6"`
	// Prior is the probability of each class before a message is read: "learned" from the training messages,
	// or "uniform". Default "learned".
	Prior string `json:"prior" range:"learned or uniform"`
	// Features is the kind of feature: "bits" for all terms, or "head bits" for the terms of the head of the text. An
	// empty text means "bits". Default "head bits".
	Features string `json:"features" range:"bits or head bits"`
}

// Train implements [Trainer].
func (m Bernoulli) Train(ctx context.Context, d *features.Dataset, _ EpochOptions) (*Linear, Report, error) {
	return trainCounts(ctx, &m, d, features.Bits, features.HeadBits)
}

// biases has a summand for each known term. It is the same for all terms with the same n_cw, and n_cw has few values, so that a learner of
// a growing vocabulary tallies them:
//
//	beta_c = log pi_c + sum over n of m_cn log((a + N_c - n) / (2a + N_c))        m_cn: terms with n_cw = n
func (m Bernoulli) biases(n *counts) []float64 {
	beta := logPrior(m.Prior, n.documents)
	for c, tally := range n.tallies {
		var sum float64
		for _, ncw := range slices.Sorted(maps.Keys(tally)) {
			sum += float64(tally[ncw]) * m.logAbsent(float64(ncw), n.documents[c])
		}
		beta[c] += sum
	}
	return beta
}

func (m Bernoulli) weigh(dst, ncw []float64, n *counts, _ float64) {
	for c := range dst {
		dst[c] = m.logPresent(ncw[c], n.documents[c]) - m.logAbsent(ncw[c], n.documents[c])
	}
}

// logPresent returns log lambda_cw.
func (m Bernoulli) logPresent(ncw float64, Nc int) float64 {
	a := m.Smoothing
	return logEstimate((a+ncw)/(2*a+float64(Nc)), a)
}

// logAbsent returns log(1 - lambda_cw). It counts the documents without w: a subtraction would lose digits where lambda is
// near 1.
func (m Bernoulli) logAbsent(ncw float64, Nc int) float64 { return m.logPresent(float64(Nc)-ncw, Nc) }

func (m Bernoulli) newLearner(d *features.Dataset) learner {
	n := newCounts(&m, d)
	for range d.Classes {
		n.tallies = append(n.tallies, map[int]int{})
	}
	return n
}
