package models

import (
	"context"
	"errors"

	"chaff/features"
)

// AROW is adaptive regularisation of weights: it knows of each weight how sure it is, and changes the weights of terms that
// it has seen often by less.
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
// Vectors (NIPS 2009), figure 1, with the covariance kept diagonal. A document that counts more by its class weight has a
// smaller r by as much.
//
// It has any number of classes: of more than two, each has weights of its own against all others. It takes any kind of
// feature.
type AROW struct {
	Passes
	// Regularisation is r: the larger, the shorter the steps. Above 0, at most 1e6; default 0.1, which is best on development
	// mail with one to three epochs, and by far when the model learns from one message after the other.
	Regularisation float64 `json:"regularisation"`
}

var _ EpochTrainer = AROW{}

// DefaultAROW returns the settings used when nothing else is said.
func DefaultAROW() AROW {
	return AROW{
		Passes:         Passes{Epochs: 3, Order: OrderRandom, ClassWeights: WeightsNone, Features: features.NormalisedBits.String()},
		Regularisation: 0.1,
	}
}

// Validate returns everything that is wrong with m.
func (m AROW) Validate() error { return m.validate("") }

func (m AROW) validate(prefix string) error {
	return errors.Join(m.Passes.validate(prefix), checkPositive(prefix+"regularisation", m.Regularisation))
}

// Train implements [Trainer].
func (m AROW) Train(ctx context.Context, d *features.Dataset) (*Linear, Report, error) {
	return m.TrainEpochs(ctx, d, Watch{})
}

// TrainEpochs implements [EpochTrainer].
func (m AROW) TrainEpochs(ctx context.Context, d *features.Dataset, w Watch) (*Linear, Report, error) {
	if err := m.Validate(); err != nil {
		return nil, Report{}, err
	}
	start := newRows(rowsOf(len(d.Classes)), d.Terms)
	out, err := (&course{Passes: m.Passes, watch: w, learner: newArow(m, start.n, d.Terms), start: start}).run(ctx, d)
	if err != nil {
		return nil, Report{}, err
	}
	return out.result(d)
}

func (m AROW) online(classes []string) (Online, error) {
	return m.Passes.online(classes, nil, newArow(m, rowsOf(len(classes)), 0))
}

// arow learns R rows of weights, each with a variance for every weight.
type arow struct {
	*rows
	sigma   *rows
	r       float64
	origin  bool
	scratch []float64 // R
}

func newArow(m AROW, n, terms int) *arow {
	l := &arow{rows: newRows(n, terms), sigma: newRows(n, terms), r: m.Regularisation, origin: m.ThroughOrigin}
	for i := range l.sigma.weights {
		l.sigma.weights[i] = 1
	}
	for r := range l.sigma.bias {
		l.sigma.bias[r] = 1
	}
	return l
}

func (l *arow) learn(x features.Vector, c int, weight float64) bool {
	l.scratch = l.scores(room(l.scratch, l.n), x)
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

// variance is v, how unsure the score of x is.
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

// update moves the weights by alpha t sigma f, and makes them surer.
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

// grow implements growing.
func (l *arow) grow(terms int) {
	l.rows.grow(terms, 0)
	l.sigma.grow(terms, 1)
}

// scoresNow implements growing.
func (l *arow) scoresNow(dst []float64, x features.Vector) []float64 {
	return l.scores(room(dst, l.n), x)
}

func (l *arow) pass() int { return 0 }

func (l *arow) model(dst *rows) { dst.set(l.rows) }

// loss is the squared hinge loss, which the paper's objective contains.
func (l *arow) loss(scores []float64, c int) float64 {
	return sumOver(scores, c, func(t, z float64) float64 { return hinge(t, z) * hinge(t, z) })
}
