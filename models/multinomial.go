package models

import (
	"context"
	"errors"

	"chaff/features"
)

// Multinomial is naive Bayes with one bit per token: a document is a sequence of tokens, each drawn from the terms of
// its class, and a term counts as often as it occurs. It has any number of classes and takes features.Counts; or
// features.Bits, and then a document is the sequence of its different terms, each once; or a normalised kind, and then each token
// is the same fraction of one, so that the document has the length 1: a long one does not outvote many short ones when terms
// are counted, and its score does not grow with every word that says what others have said.
//
//	lambda_cw = (a + n_cw) / (aV + n_c)       K x V; n_cw: tokens of class c that are w, n_c: tokens of class c
//	alpha_cw  = log lambda_cw
//	beta_c    = log pi_c
//
// Source: cs440 lecture 16, "Feature = One Bit Per Word Token". The lecture has a = 1. With a = 0 an estimate of 0 would
// give an infinite weight, so estimates are held between 1e-10 and 1 - 1e-10, and a class without a token has 1/V for
// every term, which is what any a > 0 gives it.
type Multinomial struct {
	// Smoothing is added to the number of tokens of each term, so that a term never seen in a class is unlikely there and
	// not impossible. 0, or from 1e-10 to 1e6 tokens, of which a message of length 1 has fractions: with n different terms
	// each counts 1/sqrt(n). Default 0.001, which is best on development mail. With 0 the estimates are the plain shares of
	// the tokens, held between 1e-10 and 1 - 1e-10.
	Smoothing float64 `json:"smoothing"`
	// Prior is how probable each class is before a message is read: "learned" for its share of the training messages,
	// "uniform" for the same for all, or the probabilities themselves, as "ham:0.7,spam:0.3": of every class, each above 0,
	// adding up to 1. Default "uniform": in a message of length 1 with n different terms the evidence is sqrt(n) times
	// smaller than it is with bits, so beside it a learned prior would weigh sqrt(n) times as much. An empty text means
	// "learned".
	Prior string `json:"prior"`
	// Features is what the model is trained on: "counts", every token of a message, as in the lectures; "bits", every term
	// once however often it occurs, since a word that is repeated in a message says little more than the first time and the
	// model would take each for new evidence; or "normalised bits" and "normalised counts", where a message is scaled to length 1, so
	// that long ones weigh as much as short ones. Default "normalised bits"; an empty text means "counts".
	Features string `json:"features"`
}

var _ Trainer = Multinomial{}

// DefaultMultinomial returns the settings used when nothing else is said.
func DefaultMultinomial() Multinomial {
	return Multinomial{Smoothing: 0.001, Prior: PriorUniform, Features: features.NormalisedBits.String()}
}

// Validate returns everything that is wrong with m.
func (m Multinomial) Validate() error { return m.validate("") }

func (m Multinomial) validate(prefix string) error {
	return errors.Join(validateBayes(prefix, m.Smoothing, m.Prior), checkFeatures(prefix, m.Features))
}

// kind is the kind of feature that m is trained on.
func (m Multinomial) kind() (features.Kind, error) {
	if m.Features == "" {
		return features.Counts, nil
	}
	return parseFeatures(m.Features)
}

// Train implements [Trainer].
func (m Multinomial) Train(ctx context.Context, d *features.Dataset) (*Linear, Report, error) {
	e, err := m.Estimate(ctx, d)
	if err != nil {
		return nil, Report{}, err
	}
	alpha, beta := e.LogLikelihood, e.LogPrior
	l, err := NewLinear(beta, alpha)
	return l, Report{Warnings: warnings(d)}, err
}

// Estimate returns the parameters that Train folds into a Linear. Its errors are those of [Trainer].
func (m Multinomial) Estimate(ctx context.Context, d *features.Dataset) (*Estimates, error) {
	if err := m.Validate(); err != nil {
		return nil, err
	}
	kind, err := m.kind()
	if err != nil {
		return nil, err
	}
	n, prior, err := countFor(ctx, d, "multinomial", kind, m.Prior)
	if err != nil {
		return nil, err
	}
	e := &Estimates{LogPrior: prior, LogLikelihood: newTable(len(d.Classes), d.Terms)}
	for c := range d.Classes {
		logShares(e.LogLikelihood[c], n.terms[c], n.totals[c], m.Smoothing)
	}
	return e, nil
}

// logShares writes log lambda_w of tokens to dst, with n_w tokens of each term and n in all:
//
//	lambda_w = (a + n_w) / (aV + n)
func logShares(dst, terms []float64, n, a float64) {
	V := float64(len(terms))
	for w, nw := range terms {
		dst[w] = logShare(nw, n, V, a)
	}
}

// logShare is log lambda_w.
func logShare(nw, n, V, a float64) float64 {
	lambda := 1 / V
	if a > 0 || n > 0 {
		lambda = (a + nw) / (a*V + n)
	}
	return logHeld(lambda, a)
}
