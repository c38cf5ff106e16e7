package models

import (
	"context"
	"errors"
	"math"

	"chaff/features"
)

// Complement is complement naive Bayes: each class is estimated from the documents of all others, of which there are more
// and more evenly many. It has any number of classes and takes any kind of feature.
//
//	lambda_cw = (a + sum over k != c of n_kw) / (aV + sum over k != c of n_k)     K x V: that a token of another class is w
//	alpha_cw  = -log lambda_cw, with normalise divided by sum over v of |log lambda_cv|
//	beta_c    = log pi_c, with normalise 0
//
// Source: J. D. M. Rennie, L. Shih, J. Teevan, D. R. Karger: Tackling the Poor Assumptions of Naive Bayes Text Classifiers
// (ICML 2003), sections 3.1 and 3.2. Of two classes the complement of one is the other, so without normalise it is
// multinomial naive Bayes.
type Complement struct {
	// Smoothing is added to the number of tokens of each term, so that no term is impossible. 0, or from 1e-10 to 1e6
	// tokens, of which a message of length 1 has fractions, as for models.multinomial. Default 0.001. With 0 the estimates
	// are the plain shares of the tokens, held between 1e-10 and 1 - 1e-10.
	Smoothing float64 `json:"smoothing"`
	// Prior is how probable each class is before a message is read, as for models.multinomial. It does not count with
	// normalise, which takes the scores out of the scale of probabilities. Default "uniform"; an empty text means "learned".
	Prior string `json:"prior"`
	// Features is what the model is trained on: "bits", every term of a message once; "counts", every token; or "normalised bits"
	// and "normalised counts", where a message is scaled to length 1, so that long ones weigh as much as short ones. Default
	// "normalised bits"; an empty text means "bits".
	Features string `json:"features"`
	// Normalise divides the weights of each class by the sum of their absolute values, so that no class wins by having
	// larger weights. Default false.
	Normalise bool `json:"normalise"`
}

var _ Trainer = Complement{}

// DefaultComplement returns the settings used when nothing else is said.
func DefaultComplement() Complement {
	return Complement{Smoothing: 0.001, Prior: PriorUniform, Features: features.NormalisedBits.String()}
}

// Validate returns everything that is wrong with m.
func (m Complement) Validate() error { return m.validate("") }

func (m Complement) validate(prefix string) error {
	return errors.Join(validateBayes(prefix, m.Smoothing, m.Prior), checkFeatures(prefix, m.Features))
}

// kind is the kind of feature that m is trained on.
func (m Complement) kind() (features.Kind, error) { return parseFeatures(m.Features) }

// Train implements [Trainer].
func (m Complement) Train(ctx context.Context, d *features.Dataset) (*Linear, Report, error) {
	e, err := m.Estimate(ctx, d)
	if err != nil {
		return nil, Report{}, err
	}
	alpha, beta := newTable(len(d.Classes), d.Terms), e.LogPrior
	for c, row := range e.LogLikelihood {
		scale := 1.0
		if m.Normalise && d.Terms > 0 {
			beta[c], scale = 0, 0
			for _, log := range row {
				scale += math.Abs(log)
			}
		}
		for w, log := range row {
			alpha[c][w] = -log / scale
		}
	}
	l, err := NewLinear(beta, alpha)
	return l, Report{Warnings: warnings(d)}, err
}

// Estimate returns the parameters that Train folds into a Linear: LogLikelihood is that of the other classes. Its errors
// are those of [Trainer].
func (m Complement) Estimate(ctx context.Context, d *features.Dataset) (*Estimates, error) {
	if err := m.Validate(); err != nil {
		return nil, err
	}
	n, err := count(ctx, d)
	if err != nil {
		return nil, err
	}
	logPi, err := logPrior(m.Prior, d.Classes, n.documents)
	if err != nil {
		return nil, err
	}
	e := &Estimates{LogPrior: logPi, LogLikelihood: newTable(len(d.Classes), d.Terms)}
	for c := range d.Classes {
		others := make([]float64, d.Terms)
		var total float64
		for k, row := range n.terms {
			if k == c {
				continue
			}
			for w, nkw := range row {
				others[w] += nkw
			}
			total += n.totals[k]
		}
		logShares(e.LogLikelihood[c], others, total, m.Smoothing)
	}
	return e, nil
}
