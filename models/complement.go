package models

import (
	"context"
	"errors"
	"math"

	"chaff/features"
)

// Complement is complement naive Bayes: each class is estimated from the documents of all others, which are more numerous
// and more evenly distributed. It has any number of classes and takes any kind of feature.
//
//	lambda_cw = (a + sum over k != c of n_kw) / (aV + sum over k != c of n_k)     K x V: that a token of another class is w
//	alpha_cw  = -log lambda_cw, with normalise divided by sum over v of |log lambda_cv|
//	beta_c    = log pi_c, with normalise 0
//
// Source: J. D. M. Rennie, L. Shih, J. Teevan, D. R. Karger: Tackling the Poor Assumptions of Naive Bayes Text Classifiers
// (ICML 2003), sections 3.1 and 3.2. Of two classes the complement of one is the other, so without normalise it is
// multinomial naive Bayes.
type Complement struct {
	// Smoothing is added to the number of tokens of each term, so that no term is impossible. The lectures' 1 is for
	// counts, and too much for normalised features. 0, or from 1e-10 to 1e6. Default 0.001.
	Smoothing float64 `json:"smoothing"`
	// Prior is the probability of each class before a message is read: "learned" from the training messages,
	// "uniform", or values such as "ham:0.7,spam:0.3" that add up to 1. An empty text means "learned". It does not
	// count with normalise. Default "uniform".
	Prior string `json:"prior"`
	// Features is the kind of feature: "bits", "counts", or "normalised bits" and "normalised counts", which are
	// L2-normalised. An empty text means "bits". Default "normalised bits".
	Features string `json:"features"`
	// Normalise divides the weights of each class by the sum of their absolute values. Default false.
	Normalise bool `json:"normalise"`
}

var _ countTrainer = Complement{}

// Validate returns everything that is wrong with m.
func (m Complement) Validate() error {
	_, err := m.kind()
	return errors.Join(validateBayes(m.Smoothing, m.Prior), err)
}

func (m Complement) kind() (features.Kind, error) { return parseFeatures(m.Features) }

// Train implements [Trainer].
func (m Complement) Train(ctx context.Context, d *features.Dataset, _ EpochOptions) (*Linear, Report, error) {
	return trainShares(ctx, m, d, "", m.Smoothing)
}

// Linear returns the model of the documents in n.
func (m Complement) Linear(n *Counts) (*Linear, error) { return linearOf(m, n) }

func (m Complement) biases(n *Counts) ([]float64, error) {
	beta, err := logPrior(m.Prior, n.Classes, n.Documents)
	if m.Normalise && n.Len() > 0 {
		clear(beta)
	}
	return beta, err
}

func (m Complement) weights(n *Counts, s totals) func(dst, ncw []float64) {
	rest := make([]float64, len(s.n)) // the sums of all other classes
	others(rest, s.n)
	weights := func(dst, ncw []float64) {
		others(dst, ncw)
		for c, nw := range dst {
			dst[c] = -logShare(nw, rest[c], s.V, m.Smoothing)
		}
	}
	if !m.Normalise {
		return weights
	}
	scale, log := make([]float64, len(rest)), make([]float64, len(rest))
	for w := range n.Len() {
		weights(log, n.of(w))
		for c := range scale {
			scale[c] += math.Abs(log[c])
		}
	}
	return func(dst, ncw []float64) {
		weights(dst, ncw)
		for c := range dst {
			dst[c] /= scale[c]
		}
	}
}

// others writes to dst, for each class, the sum over all other classes.
func others(dst, numbers []float64) {
	for c := range dst {
		dst[c] = 0
		for k, n := range numbers {
			if k != c {
				dst[c] += n
			}
		}
	}
}

func (m Complement) online(classes []string) (Online, error) {
	if m.Normalise {
		return nil, errors.New("normalise is true: each message would need the sum of all weights")
	}
	return newOnlineCounts(m, classes, nil)
}
