package models

import (
	"math"
	"slices"

	"chaff/features"
)

// ftrl is the learner of [Softmax], FTRL-proximal. After each document the weights minimise, term by term, a linear
// approximation of all losses so far, the penalty so far, and the distance to the weights so far:
//
//	g        = dL/dz f_w                                       at document t, for the terms w of the document
//	sigma    = (sqrt(n_w + g^2) - sqrt(n_w)) / alpha
//	u_w     <- u_w + g - sigma w_w,    n_w <- n_w + g^2
//	w_w      = -u_w / (sqrt(n_w)/alpha + 1/alpha + L2 t/N)
//
// N is the number of documents of a pass. Each document adds its share of the penalty, so that over many passes, too, the
// weights approach the minimum of the loss of [Softmax]. The weight of a term is computed when a document needs it, so that
// the penalty does not touch the other terms. Source: H. B. McMahan et al.: Ad Click Prediction: a View from the Trenches
// (KDD 2013), algorithm 1 with beta = 1, and H. B. McMahan: Follow-the-Regularized-Leader and Mirror Descent (AISTATS
// 2011), section 2, for penalties that add up.
type ftrl struct {
	R         int
	bias      []slot // R
	slots     []slot // V x R
	alpha     float64
	l2        float64
	documents float64 // N; 0 if they have no end, which applies the full penalty from the start
	t         float64 // documents read
	origin    bool
	start     float64 // the loss of equal probabilities
	tolerance float64 // a share of it
	// The sum of the losses of the documents of the pass so far, their number, and the mean loss of the pass before.
	lossSum, passed, before float64
	now                     []float64 // R: the scores of the document that is read
	current                 []float64 // the weights of its terms
	read                    []slot    // those of these terms
}

func (m Softmax) newLearner(d *features.Dataset) learner {
	R := rowCount(len(d.Classes))
	return &ftrl{
		R: R, bias: make([]slot, R), slots: make([]slot, R*d.Terms),
		alpha: m.LearningRate, l2: m.L2, documents: float64(d.Len()), origin: m.ThroughOrigin,
		start: math.Log(float64(len(d.Classes))), tolerance: m.Tolerance, before: math.Inf(1),
	}
}

// pass is at rest when the pass lowered the mean loss by less than a share of the loss at the start. As long as the loss is higher than
// that, training has not begun to fit. The losses are those of each document before its step, so that they need no pass of their own.
func (l *ftrl) pass() (updates int, atRest bool) {
	loss, before := l.lossSum/l.passed, l.before
	l.lossSum, l.passed, l.before = 0, 0, loss
	return 0, l.tolerance > 0 && loss < l.start && before-loss < l.tolerance*l.start
}

// penalty returns the L2 so far.
func (l *ftrl) penalty() float64 {
	if l.documents == 0 {
		return l.l2
	}
	return l.l2 * (l.t / l.documents)
}

// globals lists N too: who goes on after training goes on with its share of the penalty.
func (l *ftrl) globals(c *codec) {
	c.list(&l.documents, &l.t)
	for r := range l.bias {
		c.list(&l.bias[r].u, &l.bias[r].rootN)
	}
}

func (l *ftrl) term(c *codec, w int) {
	for r := range l.R {
		slot := &l.slots[w*l.R+r]
		c.list(&slot.u, &slot.rootN)
	}
}

func (l *ftrl) shape() shape { return shape{rows: l.R, terms: len(l.slots) / l.R, bytes: 16 * l.R} }

func (l *ftrl) resize(terms int) { l.slots = resized(l.slots, terms*l.R, slot{}) }

// slot is what is kept of a weight, side by side since both are needed.
type slot struct{ u, rootN float64 }

// weight returns w of a slot.
func (l *ftrl) weight(s slot, l2 float64) float64 {
	return (0 - s.u) / ((s.rootN+1)/l.alpha + l2) // and not -s.u: the weight 0 has no sign
}

// step changes a slot, whose weight is w, by the gradient g.
func (l *ftrl) step(s *slot, w, g float64) {
	root := math.Sqrt(s.rootN*s.rootN + g*g)
	s.u += g - (root-s.rootN)/l.alpha*w
	s.rootN = root
}

func (l *ftrl) learn(_ int, x features.Vector, class int) bool {
	l.readDocument(x)
	l.lossSum += logLoss(l.now, class)
	l.passed++
	for r := 0; !l.origin && r < l.R; r++ {
		l.step(&l.bias[r], l.weight(l.bias[r], 0), l.now[r])
	}
	for i, w := range x.IDs {
		f := float64(x.Values[i])
		slots := l.slots[int(w)*l.R:][:l.R]
		for r := range slots {
			l.step(&slots[r], l.current[i*l.R+r], l.now[r]*f)
		}
	}
	l.t++
	return true
}

// readDocument computes the weights of the terms of x, and its scores. First it copies their slots and does nothing else, so that the cache
// misses overlap.
func (l *ftrl) readDocument(x features.Vector) {
	l.read = slices.Grow(l.read[:0], len(x.IDs)*l.R)[:len(x.IDs)*l.R]
	for i, w := range x.IDs {
		if l.R == 1 {
			l.read[i] = l.slots[w]
		} else {
			copy(l.read[i*l.R:][:l.R], l.slots[int(w)*l.R:])
		}
	}
	l2 := l.penalty()
	l.now, l.current = l.biases(), l.current[:0]
	for i, f := range x.Values {
		for r, s := range l.read[i*l.R:][:l.R] {
			weight := l.weight(s, l2)
			l.current = append(l.current, weight)
			l.now[r] += float64(f) * weight
		}
	}
}

func (l *ftrl) biases() []float64 {
	all := make([]float64, l.R)
	for r, s := range l.bias {
		all[r] = l.weight(s, 0)
	}
	return all
}

func (l *ftrl) model(dst []float64, terms []uint32) {
	l2 := l.penalty()
	for i, w := range terms {
		for r, s := range l.slots[int(w)*l.R:][:l.R] {
			dst[i*l.R+r] = l.weight(s, l2)
		}
	}
}

func (l *ftrl) loss(scores []float64, c int) float64 { return logLoss(scores, c) }
