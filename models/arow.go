package models

import (
	"context"
	"errors"

	"chaff/features"
)

// AROW is adaptive regularisation of weights. It keeps a variance for each weight and changes the weights of frequent terms
// less.
//
//	m = t (w . f + b)
//	v = sum over w of sigma_w f_w^2              with 1 for the feature of the bias
//	if m < 1:
//	    beta    = 1 / (v + r)
//	    alpha   = (1 - m) beta
//	    w_w     <- w_w + alpha t sigma_w f_w
//	    sigma_w <- sigma_w - beta (sigma_w f_w)^2
//
// with w = 0 and sigma = 1 at the start. Source: K. Crammer, A. Kulesza, M. Dredze: Adaptive Regularization of Weight
// Vectors (NIPS 2009), figure 1, with a diagonal covariance. The class weight of a document divides r.
type AROW struct {
	Passes
	// Regularisation is r: the larger, the shorter the steps. Above 0, at most 1e6. Default 0.1.
	Regularisation float64 `json:"regularisation"`
}

var _ Trainer = AROW{}

// Validate returns everything that is wrong with m.
func (m AROW) Validate() error {
	return errors.Join(m.Passes.validate(), checkPositive("regularisation", m.Regularisation))
}

// Train implements [Trainer].
func (m AROW) Train(ctx context.Context, d *features.Dataset, o EpochOptions) (*Linear, Report, error) {
	start := newParams(rowCount(len(d.Classes)), d.Terms)
	return (&fit{Passes: m.Passes, settings: m, options: o, learner: newArow(m, start.n, d.Terms), start: start}).run(ctx, newSorted(d))
}

func (m AROW) online(classes []string) (Online, error) {
	return m.Passes.online(classes, nil, newArow(m, rowCount(len(classes)), 0))
}

// arow learns R rows of weights, each with a variance for every weight.
type arow struct {
	*params
	perDocument
	sigma   *params
	r       float64
	origin  bool
	scratch []float64 // R
}

func newArow(m AROW, n, terms int) *arow {
	l := &arow{params: newParams(n, terms), sigma: newParams(n, 0), r: m.Regularisation, origin: m.ThroughOrigin}
	l.resize(terms)
	for r := range l.sigma.bias {
		l.sigma.bias[r] = 1
	}
	return l
}

func (l *arow) learn(x features.Vector, c int, weight float64) bool {
	l.scratch = l.scoresNow(l.scratch, x)
	changed := false
	for row, z := range l.scratch {
		t := target(l.n, row, c)
		v := l.variance(row, x)
		if t*z >= 1 || v == 0 {
			continue
		}
		beta := 1 / (v + l.r/weight)
		l.update(row, x, (1-t*z)*beta*t, beta)
		changed = true
	}
	return changed
}

// variance returns v, the variance of the score of x.
func (l *arow) variance(row int, x features.Vector) float64 {
	var v float64
	if !l.origin {
		v = l.sigma.bias[row]
	}
	for i, w := range x.IDs {
		f := float64(x.Values[i])
		v += l.sigma.weights[int(w)*l.n+row] * f * f
	}
	return v
}

// update moves the weights by alpha t sigma f and reduces their variances.
func (l *arow) update(row int, x features.Vector, alphaT, beta float64) {
	if !l.origin {
		sigma := l.sigma.bias[row]
		l.bias[row] += alphaT * sigma
		l.sigma.bias[row] -= beta * sigma * sigma
	}
	for i, w := range x.IDs {
		at := int(w)*l.n + row
		sf := l.sigma.weights[at] * float64(x.Values[i])
		l.weights[at] += alphaT * sf
		l.sigma.weights[at] -= beta * sf * sf
	}
}

func (l *arow) resize(terms int) {
	l.params.resize(terms)
	l.sigma.weights = resized(l.sigma.weights, terms*l.n, 1)
}

func (l *arow) termSize() int { return 2 * l.params.termSize() }

func (l *arow) globals(c *codec) {
	l.params.globals(c)
	l.sigma.globals(c)
}

func (l *arow) term(c *codec, w int) {
	l.params.term(c, w)
	l.sigma.term(c, w)
}

// loss is the squared hinge loss, which the paper's objective contains.
func (l *arow) loss(scores []float64, c int) float64 {
	return sumOver(scores, c, func(t, z float64) float64 { return hinge(t, z) * hinge(t, z) })
}
