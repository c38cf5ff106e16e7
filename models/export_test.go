package models

import (
	"context"

	"chaff/features"
)

// Estimates are the parameters of a naive Bayes model in float64. Its [Linear] has them rounded and, of two classes, their
// differences.
type Estimates struct {
	LogPrior      []float64   // K
	LogLikelihood [][]float64 // K x V
	LogAbsent     [][]float64 // K x V, log(1 - lambda_cw), for Bernoulli; else nil
}

// newTable returns a K x V table of zeros.
func newTable(classes, terms int) [][]float64 {
	table := make([][]float64, classes)
	for c := range table {
		table[c] = make([]float64, terms)
	}
	return table
}

// Estimate returns the parameters of m.
func (m Bernoulli) Estimate(ctx context.Context, d *features.Dataset) (*Estimates, error) {
	_, r, err := trainCounts(ctx, &m, d)
	if err != nil {
		return nil, err
	}
	n := r.Learned.learner.(*counts)
	e := &Estimates{LogLikelihood: newTable(len(n.classes), n.terms()), LogAbsent: newTable(len(n.classes), n.terms())}
	for w := range n.terms() {
		for c, ncw := range n.of(w) {
			e.LogLikelihood[c][w], e.LogAbsent[c][w] = m.logPresent(ncw, n.documents[c]), m.logAbsent(ncw, n.documents[c])
		}
	}
	e.LogPrior = logPrior(m.Prior, n.documents)
	return e, nil
}

// Estimate returns the parameters of m.
func (m Multinomial) Estimate(ctx context.Context, d *features.Dataset) (*Estimates, error) {
	_, r, err := trainCounts(ctx, &m, d)
	if err != nil {
		return nil, err
	}
	n := r.Learned.learner.(*counts)
	e := &Estimates{LogLikelihood: newTable(len(n.classes), n.terms())}
	dst := make([]float64, len(n.classes))
	for w := range n.terms() {
		m.weigh(dst, n.of(w), n, float64(n.terms()))
		for c, log := range dst {
			e.LogLikelihood[c][w] = log
		}
	}
	e.LogPrior = m.biases(n)
	return e, nil
}
