package models

import (
	"math"
	"slices"

	"chaff/features"
)

// ftrl is the stochastic method of [Softmax], FTRL-proximal. After each document the weights minimise, term by term, a linear
// approximation of all losses so far, the penalties so far, and the distance to the weights so far:
//
//	g        = dL/dz f_w                                       at document t, for the terms w of the document
//	sigma    = (sqrt(n_w + g^2) - sqrt(n_w)) / alpha
//	u_w     <- u_w + g - sigma w_w,    n_w <- n_w + g^2
//	w_w      = 0                                               if |u_w| <= L1 t/N
//	           -(u_w - sign(u_w) L1 t/N) / (sqrt(n_w)/alpha + 1/alpha + L2 t/N)   else
//
// N is the number of documents of a pass. Each document adds its share of the penalties, so that over many passes, too, the
// weights approach the minimum of the loss of [Softmax]. The weight of a term is computed when a document needs it, so that
// penalties do not touch the other terms. Source: H. B. McMahan et al.: Ad Click Prediction: a View from the Trenches
// (KDD 2013), algorithm 1 with beta = 1, and H. B. McMahan: Follow-the-Regularized-Leader and Mirror Descent (AISTATS
// 2011), section 2, for penalties that add up.
type ftrl struct {
	n         int    // R
	bias      []slot // R
	slots     []slot // V x R
	alpha     float64
	l1, l2    float64
	documents float64 // N; 0 if they have no end, which applies the full penalties from the start
	t         float64 // documents read
	origin    bool
	start     float64 // the loss of equal probabilities
	tolerance float64 // a share of it
	// The losses of the documents of the pass so far, and their weights, and the mean loss of the pass before.
	lossSum, weightSum, before float64
	scratch                    []float64 // R
	current                    []float64 // the biases and the weights of the terms of the document that is read
	read                       []slot    // the slots of these terms
}

// slot is the state of a weight, u and the square root of n, side by side since both are needed.
type slot struct{ u, rootN float64 }

// newFTRL returns a learner of K classes for so many documents; 0 stands for documents without end.
func newFTRL(m Softmax, K, terms, documents int) *ftrl {
	n := rowCount(K)
	return &ftrl{
		n: n, bias: make([]slot, n), slots: make([]slot, n*terms),
		alpha: m.LearningRate, l1: m.L1, l2: m.L2, documents: float64(documents), origin: m.ThroughOrigin,
		start: math.Log(float64(K)), tolerance: m.Tolerance, before: math.Inf(1),
	}
}

// pass is at rest when the pass lowered the mean loss by less than a share of the loss at the start. As long as the loss is higher than
// that, training has not begun to fit. The losses are those of each document before its step, so that they need no pass of their own.
func (l *ftrl) pass() (updates int, atRest bool) {
	loss, before := l.lossSum/l.weightSum, l.before
	l.lossSum, l.weightSum, l.before = 0, 0, loss
	return 0, l.tolerance > 0 && loss < l.start && before-loss < l.tolerance*l.start
}

func (l *ftrl) penalties() (l1, l2 float64) {
	if l.documents == 0 {
		return l.l1, l.l2
	}
	share := l.t / l.documents
	return l.l1 * share, l.l2 * share
}

func (l *ftrl) terms() int { return len(l.slots) / l.n }

func (l *ftrl) resize(terms int) { l.slots = resized(l.slots, terms*l.n, slot{}) }

func (l *ftrl) sameShape(terms int) *params { return newParams(l.n, terms) }

func (l *ftrl) termSize() int { return 16 * l.n }

// globals lists N too: who goes on after training goes on with its share of the penalties.
func (l *ftrl) globals(c *codec) {
	c.float(&l.documents)
	c.float(&l.t)
	for r := range l.bias {
		l.bias[r].list(c)
	}
}

func (l *ftrl) term(c *codec, w int) {
	for r := range l.n {
		l.slots[w*l.n+r].list(c)
	}
}

func (s *slot) list(c *codec) {
	c.float(&s.u)
	c.float(&s.rootN)
}

// weight returns w of a slot after t documents.
func (l *ftrl) weight(c slot, l1, l2 float64) float64 {
	if math.Abs(c.u) <= l1 {
		return 0
	}
	return -(c.u - math.Copysign(l1, c.u)) / ((c.rootN+1)/l.alpha + l2)
}

// step changes a slot, whose weight is w, by the gradient g.
func (l *ftrl) step(c *slot, w, g float64) {
	root := math.Sqrt(c.rootN*c.rootN + g*g)
	c.u += g - (root-c.rootN)/l.alpha*w
	c.rootN = root
}

func (l *ftrl) learn(x features.Vector, class int, weight float64) bool {
	l.scratch = l.scores(l.scratch, x)
	l.lossSum += weight * logLoss(l.scratch, class)
	l.weightSum += weight
	logLossGradient(l.scratch, class)
	current := l.current[l.n:]
	for i, w := range x.IDs {
		f := weight * float64(x.Values[i])
		slots := l.slots[int(w)*l.n:][:l.n]
		for r := range slots {
			l.step(&slots[r], current[i*l.n+r], l.scratch[r]*f)
		}
	}
	if !l.origin {
		for r := range l.bias {
			l.step(&l.bias[r], l.current[r], weight*l.scratch[r])
		}
	}
	l.t++
	return true
}

// scores leaves the computed weights in current.
func (l *ftrl) scores(dst []float64, x features.Vector) []float64 {
	l1, l2 := l.penalties()
	dst = resize(dst, l.n)
	for r, c := range l.bias {
		dst[r] = l.weight(c, 0, 0)
	}
	l.current = append(l.current[:0], dst...)
	l.readSlots(x)
	for i := range x.IDs {
		f := float64(x.Values[i])
		for r, c := range l.read[i*l.n:][:l.n] {
			weight := l.weight(c, l1, l2)
			l.current = append(l.current, weight)
			dst[r] += f * weight
		}
	}
	return dst
}

// readSlots copies the slots of a document's terms. It does nothing else, so that the cache misses overlap.
func (l *ftrl) readSlots(x features.Vector) {
	l.read = slices.Grow(l.read[:0], len(x.IDs)*l.n)[:len(x.IDs)*l.n]
	if l.n == 1 {
		for i, w := range x.IDs {
			l.read[i] = l.slots[w]
		}
		return
	}
	for i, w := range x.IDs {
		copy(l.read[i*l.n:][:l.n], l.slots[int(w)*l.n:])
	}
}

func (l *ftrl) model(dst *params, from int) {
	for r, c := range l.bias {
		dst.bias[r] = l.weight(c, 0, 0)
	}
	l1, l2 := l.penalties()
	for i, c := range l.slots[from:][:len(dst.weights)] {
		dst.weights[i] = l.weight(c, l1, l2)
	}
}

func (l *ftrl) loss(scores []float64, c int) float64 { return logLoss(scores, c) }
