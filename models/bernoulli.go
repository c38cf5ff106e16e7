package models

import (
	"context"
	"errors"
	"fmt"

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
// would give an infinite weight, so estimates are held between 1e-10 and 1 - 1e-10.
//
// A term that no training document has, as one that only comes later in texts than a start goes, does not count: its weight
// is 0, and its absence says nothing.
type Bernoulli struct {
	// Smoothing is added to the number of documents with a term and to the number without it, so that a term never seen
	// in a class is unlikely there and not impossible. 0, or from 1e-10 to 1e6 documents; default 0.001, which is best on
	// development mail. With 0 the estimates are the plain shares of the documents, held between 1e-10 and 1 - 1e-10.
	Smoothing float64 `json:"smoothing"`
	// Prior is how probable each class is before a message is read: "learned" for its share of the training messages,
	// "uniform" for the same for all, or the probabilities themselves, as "ham:0.7,spam:0.3": of every class, each above 0,
	// adding up to 1. Default "learned"; an empty text means the same.
	Prior string `json:"prior"`
	// Features is what the model is trained on: "bits", every term of a message once; or "head bits", every term of the
	// first tokenize.start_bytes of its text once. Default "head bits": every absent term is evidence, so that of all terms
	// long messages look unlike short ones of their class. An empty text means "bits".
	Features string `json:"features"`
}

var _ Trainer = Bernoulli{}

// DefaultBernoulli returns the settings used when nothing else is said.
func DefaultBernoulli() Bernoulli {
	return Bernoulli{Smoothing: 0.001, Prior: PriorLearned, Features: features.HeadBits.String()}
}

// Validate returns everything that is wrong with m.
func (m Bernoulli) Validate() error { return m.validate("") }

func (m Bernoulli) validate(prefix string) error {
	return errors.Join(validateBayes(prefix, m.Smoothing, m.Prior), checkBernoulliFeatures(prefix, m.Features))
}

// kind is the kind of feature that m is trained on.
func (m Bernoulli) kind() (features.Kind, error) { return parseBernoulliFeatures(m.Features) }

func parseBernoulliFeatures(name string) (features.Kind, error) {
	switch name {
	case "", features.Bits.String():
		return features.Bits, nil
	case features.HeadBits.String():
		return features.HeadBits, nil
	}
	return 0, fmt.Errorf("features is %q: must be bits or head bits", name)
}

func checkBernoulliFeatures(prefix, name string) error {
	if _, err := parseBernoulliFeatures(name); err != nil {
		return fmt.Errorf("%s%w", prefix, err)
	}
	return nil
}

// Train implements [Trainer].
func (m Bernoulli) Train(ctx context.Context, d *features.Dataset) (*Linear, Report, error) {
	e, n, err := m.estimate(ctx, d)
	if err != nil {
		return nil, Report{}, err
	}
	known := make([]bool, d.Terms)
	for _, row := range n.terms {
		for w, ncw := range row {
			known[w] = known[w] || ncw > 0
		}
	}
	alpha, beta := newTable(len(d.Classes), d.Terms), make([]float64, len(d.Classes))
	for c := range d.Classes {
		beta[c] = e.LogPrior[c]
		for w := range d.Terms {
			if !known[w] {
				continue
			}
			alpha[c][w] = e.LogLikelihood[c][w] - e.LogAbsent[c][w]
			beta[c] += e.LogAbsent[c][w]
		}
	}
	l, err := NewLinear(beta, alpha)
	return l, Report{Warnings: warnings(d)}, err
}

// Estimate returns the parameters that Train folds into a Linear. Its errors are those of [Trainer].
func (m Bernoulli) Estimate(ctx context.Context, d *features.Dataset) (*Estimates, error) {
	e, _, err := m.estimate(ctx, d)
	return e, err
}

// estimate is Estimate, and returns the counts, too.
func (m Bernoulli) estimate(ctx context.Context, d *features.Dataset) (*Estimates, *counts, error) {
	if err := m.Validate(); err != nil {
		return nil, nil, err
	}
	kind, err := m.kind()
	if err != nil {
		return nil, nil, err
	}
	n, prior, err := countFor(ctx, d, "bernoulli", kind, m.Prior)
	if err != nil {
		return nil, nil, err
	}
	e := &Estimates{
		LogPrior:      prior,
		LogLikelihood: newTable(len(d.Classes), d.Terms),
		LogAbsent:     newTable(len(d.Classes), d.Terms),
	}
	a := m.Smoothing
	for c := range d.Classes {
		Nc := float64(n.documents[c])
		for w, ncw := range n.terms[c] {
			e.LogLikelihood[c][w] = logHeld((a+ncw)/(2*a+Nc), a)
			// 1 - lambda, as documents without w: the subtraction would lose digits where lambda is near 1.
			e.LogAbsent[c][w] = logHeld((a+(Nc-ncw))/(2*a+Nc), a)
		}
	}
	return e, n, nil
}
