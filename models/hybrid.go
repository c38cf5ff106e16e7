package models

import (
	"context"
	"errors"
	"math"

	"chaff/features"
	"chaff/internal/parallel"
)

// Hybrid is logistic regression with the log odds of multinomial naive Bayes as an offset.
//
//	nb(f)  = sum over w of f_w (log((a + n1_w) / (a + n0_w)) + log((aV + n0) / (aV + n1)))
//	z      = c nb(f) + w . f + b
//	e      = 1 / (1 + exp(-z)) - y                       y: 1 for a document of the class, 0 for another
//	G_w   <- G_w + (e f_w)^2
//	w_w   <- w_w - eta e f_w / sqrt(G_w)                  for w in the document, and for the bias with f = 1
//
// n1_w is the sum of f_w over the documents of the class and n0_w over all others, n1 and n0 are their sums over w, and V is
// the number of terms with a document; other terms are ignored. The bias replaces the prior. The class weight of a document
// multiplies its e.
//
// Naive Bayes fits the documents that it has counted better than new ones. Hence the features of a document are subtracted
// from the counts while the weights learn from it, so that they learn from naive Bayes on unseen mail. In the result all
// documents are counted: the weight of a term is its share of naive Bayes and w_w.
//
// Sources: R. Raina, Y. Shen, A. Y. Ng, A. McCallum: Classification with Hybrid Generative/Discriminative Models (NIPS 2003),
// for the combination and the leave-one-out estimates; J. Duchi, E. Hazan, Y. Singer: Adaptive
// Subgradient Methods for Online Learning and Stochastic Optimization (JMLR 12, 2011), AdaGrad, for the steps.
type Hybrid struct {
	Passes
	// Smoothing is added to the sum of each term on both sides, so that no term is impossible. From 1e-10 to 1e6.
	// Default 0.001.
	Smoothing float64 `json:"smoothing"`
	// BayesShare is c, the share of the score of naive Bayes in the score; 0 is logistic regression alone. From 0 to
	// 1000. Default 0.3.
	BayesShare float64 `json:"bayes_share"`
	// LearningRate is eta, the length of a step, which AdaGrad shortens for each weight. Above 0, at most 1e6. Default
	// 1.25.
	LearningRate float64 `json:"learning_rate"`
}

var _ Trainer = Hybrid{}

const (
	maxBayesShare = 1000
	// firstSquares is G before the first document. In a message of a thousand terms and length 1 the first gradient of a
	// term is 0.03 / 2, and its square a quarter of this. So the first step is less than half the learning rate, and a term
	// that occurs once weighs less than one that is confirmed.
	firstSquares = 0.001
	// minGradient is the |e| below which a document changes no weight.
	minGradient = 1e-6
)

// Validate returns everything that is wrong with m.
func (m Hybrid) Validate() error {
	return errors.Join(m.Passes.validate(), validateOffset(m.Smoothing, m.BayesShare, m.LearningRate))
}

// validateOffset checks the settings of logistic regression with naive Bayes as an offset.
func validateOffset(smoothing, share, rate float64) error {
	return errors.Join(checkRange("smoothing", smoothing, minSmoothing, maxSmoothing),
		checkRange("bayes_share", share, 0, maxBayesShare), checkPositive("learning_rate", rate))
}

// Train implements [Trainer]. It counts all documents and then learns from each. It does not check the loss:
// AdaGrad shortens the steps, and the initial loss is too low, since naive Bayes has counted the documents that it is
// measured on.
func (m Hybrid) Train(ctx context.Context, d *features.Dataset, o EpochOptions) (*Linear, Report, error) {
	start := newParams(rowCount(len(d.Classes)), d.Terms)
	l := newHybrid(m, start.n, d.Terms)
	l.workers = d.Workers
	all := newSorted(d)
	if err := l.bayes.addAll(ctx, all); err != nil {
		return nil, Report{}, err
	}
	return (&fit{Passes: m.Passes, settings: m, options: o, learner: l, start: start}).run(ctx, all)
}

func (m Hybrid) online(classes []string) (Online, error) {
	return m.Passes.online(classes, nil, &onlineHybrid{newHybrid(m, rowCount(len(classes)), 0)})
}

// rowCounts are the naive Bayes counts of each row: those of its class as class 1, and those of all others as class 0.
type rowCounts []*Counts

func newRowCounts(kind features.Kind, R, terms int) rowCounts {
	all := make(rowCounts, R)
	for r := range all {
		all[r] = NewCounts(kind, []string{"others", "class"}, terms)
	}
	return all
}

// side is a number for the documents on each side of a row: [1] for those of its class, [0] for all others.
type side [2]float64

// sideOf returns the side of row r, of n rows, that a document of class c is on.
func sideOf(n, r, c int) int {
	if target(n, r, c) > 0 {
		return 1
	}
	return 0
}

// add adds a document of class c.
func (b rowCounts) add(x features.Vector, c int) {
	for r, n := range b {
		n.Add(x, sideOf(len(b), r, c))
	}
}

// addAll adds all documents, in the order of their contents.
func (b rowCounts) addAll(ctx context.Context, all sorted) error {
	err := all.each(ctx, all.order, func(x features.Vector, c int) {
		for r, n := range b {
			n.add(x, sideOf(len(b), r, c), 1)
		}
	})
	for _, n := range b {
		n.countKnown()
	}
	return err
}

// logOddsOfTotals returns log((aV + n0) / (aV + n1)), the same for all V known terms of a row.
func logOddsOfTotals(aV float64, n side) float64 { return math.Log((aV + n[0]) / (aV + n[1])) }

// addLogOdds adds the share c of nb_w to the weights of all known terms, for the smoothing a. The weights are some of V x R, from the one
// with the given index on.
func (b rowCounts) addLogOdds(weights []float64, first int, a, c float64, workers int) {
	R := len(b)
	totals := make([]float64, R)
	for r, n := range b {
		totals[r] = logOddsOfTotals(a*float64(n.Known), side(n.Totals))
	}
	parallel.Ranges(workers, len(weights), 1<<14, func(_, from, to int) {
		for i := from; i < to; i++ {
			r := (first + i) % R
			n := side(b[r].of((first + i) / R))
			if n != (side{}) {
				weights[i] += c * (math.Log((a+n[1])/(a+n[0])) + totals[r])
			}
		}
	})
}

// hybrid learns R rows of weights beside naive Bayes.
type hybrid struct {
	perDocument
	n         int          // R
	bias      []hybridCell // R
	cells     []hybridCell // V x R
	bayes     rowCounts    // of the documents learnt before, and in training of all
	smoothing float64
	share     float64 // c
	rate      float64
	origin    bool
	workers   int       // used by model
	scratch   []float64 // R
}

// hybridCell is a weight with its sum of squared gradients, G.
type hybridCell struct {
	weight, squares float64
}

func newHybrid(m Hybrid, n, terms int) *hybrid {
	kind, _ := m.kind() // Validate checked it
	return &hybrid{
		n: n, bias: grown([]hybridCell(nil), n, hybridCell{squares: firstSquares}),
		cells: grown(make([]hybridCell, 0, n*terms), n*terms, hybridCell{squares: firstSquares}), bayes: newRowCounts(kind, n, terms),
		smoothing: m.Smoothing, share: m.BayesShare, rate: m.LearningRate, origin: m.ThroughOrigin,
	}
}

// learn learns from a document that is counted, as if it was not.
func (l *hybrid) learn(x features.Vector, c int, weight float64) bool {
	l.scratch = resize(l.scratch, l.n)
	for r := range l.scratch {
		var own side
		own[sideOf(l.n, r, c)] = 1
		l.scratch[r] = l.score(r, x, own)
	}
	return l.step(x, c, weight)
}

// score returns z of row r. own is how often the document itself is counted on each side; it is subtracted.
func (l *hybrid) score(r int, x features.Vector, own side) float64 {
	z := l.bias[r].weight
	var length float64
	for i, w := range x.IDs {
		z += float64(x.Values[i]) * l.cells[int(w)*l.n+r].weight
		length += inSums(x.Values[i])
	}
	if l.share == 0 {
		return z
	}
	return z + l.share*l.logOdds(r, x, side{own[0] * length, own[1] * length}, own)
}

// logOdds returns nb(f) of a document with the given sums of features of its own. Logarithms are the most expensive part.
// Consecutive terms with the same f, as all have in bits, share that of their product, which is taken long before it
// overflows.
func (l *hybrid) logOdds(r int, x features.Vector, total, own side) float64 {
	var odds, length float64 // of the terms that count
	product, f := 1.0, 0.0   // of the terms since the last logarithm
	bayes := l.bayes[r]
	for i, w := range x.IDs {
		value, ncw := inSums(x.Values[i]), bayes.Sums[2*w:][:2]
		n := side{ncw[0] - own[0]*value, ncw[1] - own[1]*value}
		if n == (side{}) {
			continue
		}
		if value != f || product < 1e-100 || product > 1e100 {
			odds += f * math.Log(product)
			product, f = 1, value
		}
		product *= (l.smoothing + n[1]) / (l.smoothing + n[0])
		length += value
	}
	if length == 0 {
		return 0
	}
	n := side{bayes.Totals[0] - total[0], bayes.Totals[1] - total[1]}
	return odds + f*math.Log(product) + length*logOddsOfTotals(l.smoothing*float64(bayes.Known), n)
}

// step moves the weights against the errors of the scores of a document, which are in scratch.
func (l *hybrid) step(x features.Vector, c int, weight float64) bool {
	changed := false
	for r, z := range l.scratch {
		e := weight * logLossOfRow().derivative(target(l.n, r, c), z)
		if math.Abs(e) < minGradient {
			continue
		}
		if !l.origin {
			l.bias[r].step(e, l.rate)
		}
		for i, w := range x.IDs {
			l.cells[int(w)*l.n+r].step(e*float64(x.Values[i]), l.rate)
		}
		changed = true
	}
	return changed
}

// step makes a step of AdaGrad against the gradient g.
func (c *hybridCell) step(g, rate float64) {
	c.squares += g * g
	c.weight -= rate * g / math.Sqrt(c.squares)
}

func (l *hybrid) model(dst *params, from int) {
	for r, cell := range l.bias {
		dst.bias[r] = cell.weight
	}
	for i, cell := range l.cells[from:][:len(dst.weights)] {
		dst.weights[i] = cell.weight
	}
	l.bayes.addLogOdds(dst.weights, from, l.smoothing, l.share, l.workers)
}

func (l *hybrid) loss(scores []float64, c int) float64 {
	return sumOver(scores, c, logLossOfRow().value)
}

// logLossOfRow returns log(1 + exp(-t z)), whose derivative by z is p - y.
func logLossOfRow() rowLoss {
	return rowLoss{
		value:      func(t, z float64) float64 { return log1pExp(-t * z) },
		derivative: func(t, z float64) float64 { return -t * logistic(-t*z) },
	}
}

func (l *hybrid) terms() int { return len(l.cells) / l.n }

func (l *hybrid) resize(terms int) {
	l.cells = resized(l.cells, terms*l.n, hybridCell{squares: firstSquares})
	for _, n := range l.bayes {
		n.resize(terms)
	}
}

func (l *hybrid) sameShape(terms int) *params { return newParams(l.n, terms) }

func (l *hybrid) termSize() int { return l.n * (16 + l.bayes[0].termSize()) }

func (l *hybrid) globals(c *codec) {
	for r := range l.bias {
		l.bias[r].state(c)
		l.bayes[r].globals(c)
	}
}

func (l *hybrid) term(c *codec, w int) {
	for r, n := range l.bayes {
		l.cells[w*l.n+r].state(c)
		n.term(c, w)
	}
}

func (s *hybridCell) state(c *codec) {
	c.float(&s.weight)
	c.float(&s.squares)
}

func (l *hybrid) scoresNow(dst []float64, x features.Vector) []float64 {
	dst = resize(dst, l.n)
	for r := range dst {
		dst[r] = l.score(r, x, side{})
	}
	return dst
}

// onlineHybrid counts each document after it has learnt from it.
type onlineHybrid struct{ *hybrid }

// settle ends a fit to so many documents; see [votes].settle.
func (l *hybrid) settle(documents int, kind features.Kind) {
	for r := range l.bias {
		l.bias[r].squares += float64(documents)
	}
	for r, n := range l.bayes {
		mean := 1.
		if all := n.Totals; kind == features.NormalisedBits || kind == features.NormalisedCounts {
			mean = float64(documents) / max(all[0]+all[1], math.SmallestNonzeroFloat64)
		}
		for w := range n.Len() {
			sums := n.of(w)
			l.cells[w*l.n+r].squares += mean * (sums[0] + sums[1])
		}
	}
}

func (l *onlineHybrid) learn(x features.Vector, c int, weight float64) bool {
	l.scratch = l.scoresNow(l.scratch, x)
	changed := l.step(x, c, weight)
	l.bayes.add(x, c)
	return changed
}
