package models

import (
	"math"

	"chaff/features"
)

// ftrl is the stochastic method of [Softmax], FTRL-proximal: after each document the weights are those that minimise a
// linear approximation of all losses so far, the penalties so far, and the distance to the weights so far, term by term:
//
//	g        = dL/dz f_w                                       at document t, for the terms w of the document
//	sigma    = (sqrt(n_w + g^2) - sqrt(n_w)) / alpha
//	u_w     <- u_w + g - sigma w_w,    n_w <- n_w + g^2
//	w_w      = 0                                               if |u_w| <= L1 t/N
//	           -(u_w - sign(u_w) L1 t/N) / (sqrt(n_w)/alpha + 1/alpha + L2 t/N)   else
//
// N being the number of documents of a pass: each document brings its share of the penalties, so that the weights go to
// the minimum of the loss of [Softmax] over many passes, too. Penalties need no visit to the other terms, since the weight
// is worked out when a document needs it. Source: H. B. McMahan et al.: Ad Click Prediction: a View from the Trenches
// (KDD 2013), algorithm 1 with beta = 1, and H. B. McMahan: Follow-the-Regularized-Leader and Mirror Descent (AISTATS
// 2011), section 2, for penalties that add up.
type ftrl struct {
	n       int    // R
	bias    []cell // R
	cells   []cell // V x R
	alpha   float64
	l1, l2  float64 // per document
	t       float64 // documents read, weighted by nothing
	origin  bool
	scores  []float64 // R
	current []float64 // the weights of the terms of the document that is read
}

// cell is what is known of a weight: u and the square root of n, side by side since both are needed.
type cell struct{ u, rootN float64 }

func newFTRL(m Softmax, d *features.Dataset) *ftrl {
	n := rowsOf(len(d.Classes))
	share := 1 / float64(max(d.Len(), 1))
	return &ftrl{
		n: n, bias: make([]cell, n), cells: make([]cell, n*d.Terms), scores: make([]float64, n),
		alpha: m.LearningRate, l1: m.L1 * share, l2: m.L2 * share, origin: m.ThroughOrigin,
	}
}

// weight is w of a cell after t documents.
func (l *ftrl) weight(c cell, l1, l2 float64) float64 {
	if math.Abs(c.u) <= l1 {
		return 0
	}
	return -(c.u - math.Copysign(l1, c.u)) / ((c.rootN+1)/l.alpha + l2)
}

// push changes a cell, whose weight is w, by the slope g.
func (l *ftrl) push(c *cell, w, g float64) {
	root := math.Sqrt(c.rootN*c.rootN + g*g)
	c.u += g - (root-c.rootN)/l.alpha*w
	c.rootN = root
}

func (l *ftrl) learn(x features.Vector, class int, weight float64) bool {
	l1, l2 := l.l1*l.t, l.l2*l.t
	for r, c := range l.bias {
		l.scores[r] = l.weight(c, 0, 0)
	}
	biases := append(l.current[:0], l.scores...)
	l.current = biases
	for i, w := range x.IDs {
		f := float64(x.Values[i])
		for r, c := range l.cells[int(w)*l.n:][:l.n] {
			weight := l.weight(c, l1, l2)
			l.current = append(l.current, weight)
			l.scores[r] += f * weight
		}
	}
	slopes(l.scores, class)
	current := l.current[l.n:]
	for i, w := range x.IDs {
		f := weight * float64(x.Values[i])
		cells := l.cells[int(w)*l.n:][:l.n]
		for r := range cells {
			l.push(&cells[r], current[i*l.n+r], l.scores[r]*f)
		}
	}
	if !l.origin {
		for r := range l.bias {
			l.push(&l.bias[r], l.current[r], weight*l.scores[r])
		}
	}
	l.t++
	return true
}

func (l *ftrl) pass() int { return 0 }

func (l *ftrl) model(dst *rows) {
	for r, c := range l.bias {
		dst.bias[r] = l.weight(c, 0, 0)
	}
	for i, c := range l.cells {
		dst.weights[i] = l.weight(c, l.l1*l.t, l.l2*l.t)
	}
}

func (l *ftrl) loss(scores []float64, c int) float64 { return logLoss(scores, c) }
