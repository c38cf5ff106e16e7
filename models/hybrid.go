package models

import (
	"context"
	"errors"
	"fmt"
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
// the number of terms that a document has; other terms do not count. The prior is left to the bias. A document that counts
// more by its class weight has an e as much larger.
//
// Naive Bayes knows the documents that it has counted better than those to come. So while a document is learnt its own
// features are taken off the counts, and the weights learn what naive Bayes is like on new mail. In the result all documents
// are counted: the weight of a term is its share of naive Bayes and w_w.
//
// Sources: R. Raina, Y. Shen, A. Y. Ng, A. McCallum: Classification with Hybrid Generative/Discriminative Models (NIPS 2003),
// for the two models in one and the estimates that leave one document out; J. Duchi, E. Hazan, Y. Singer: Adaptive
// Subgradient Methods for Online Learning and Stochastic Optimization (JMLR 12, 2011), AdaGrad, for the steps.
//
// It has any number of classes: of more than two, each has weights of its own against all others. It takes any kind of
// feature.
type Hybrid struct {
	Passes
	// Smoothing is added to the sum of each term on both sides, so that a term never seen in a class is unlikely there and
	// not impossible. From 1e-10 to 1e6; default 0.001.
	Smoothing float64 `json:"smoothing"`
	// BayesShare is how much of the score of naive Bayes there is in the score, c. From 0, which is logistic regression
	// alone, to 1000; default 0.3, which is best on development mail.
	BayesShare float64 `json:"bayes_share"`
	// LearningRate is the length of a step, eta; each weight's own becomes shorter with all slopes that it has followed, by
	// AdaGrad. Above 0, at most 1e6; default 1.25, for messages of length 1.
	LearningRate float64 `json:"learning_rate"`
}

var _ EpochTrainer = Hybrid{}

const (
	maxBayesShare = 1000
	// firstSquares is G before the first document. In a message of a thousand terms and length 1 the first slope of a term
	// is 0.03 / 2, and its square a quarter of this: so the first step is less than half the learning rate, and a term that
	// occurs once does not weigh as much as one that has been confirmed.
	firstSquares = 0.001
	// rightEnough is the |e| below which a document is not learned from: the gradient is too small to matter.
	rightEnough = 1e-6
)

// DefaultHybrid returns the settings used when nothing else is said.
func DefaultHybrid() Hybrid {
	return Hybrid{
		Passes:    Passes{Epochs: 2, Order: OrderRandom, ClassWeights: WeightsNone, Features: features.NormalisedBits.String()},
		Smoothing: 0.001, BayesShare: 0.3, LearningRate: 1.25,
	}
}

// Validate returns everything that is wrong with m.
func (m Hybrid) Validate() error { return m.validate("") }

func (m Hybrid) validate(prefix string) error {
	errs := []error{m.Passes.validate(prefix)}
	if !(m.Smoothing >= minSmoothing && m.Smoothing <= maxSmoothing) { // also refuses NaN
		errs = append(errs, fmt.Errorf("%ssmoothing is %v: must be from %v to %v", prefix, m.Smoothing, minSmoothing, maxSmoothing))
	}
	if !(m.BayesShare >= 0 && m.BayesShare <= maxBayesShare) {
		errs = append(errs, fmt.Errorf("%sbayes_share is %v: must be from 0 to %v", prefix, m.BayesShare, maxBayesShare))
	}
	return errors.Join(append(errs, checkLearningRate(prefix, m.LearningRate))...)
}

// Train implements [Trainer].
func (m Hybrid) Train(ctx context.Context, d *features.Dataset) (*Linear, Report, error) {
	return m.TrainEpochs(ctx, d, Watch{})
}

// TrainEpochs implements [EpochTrainer].
func (m Hybrid) TrainEpochs(ctx context.Context, d *features.Dataset, w Watch) (*Linear, Report, error) {
	if err := m.Validate(); err != nil {
		return nil, Report{}, err
	}
	out, err := m.run(ctx, d, w)
	if err != nil {
		return nil, Report{}, err
	}
	return out.result(d)
}

// run counts all documents and then learns from each. No loss is too high to go on: steps become shorter by themselves, and
// naive Bayes, which has counted what the loss is measured on, has a lower one at the start than is right for new mail.
func (m Hybrid) run(ctx context.Context, d *features.Dataset, w Watch) (*outcome, error) {
	start := newRows(rowsOf(len(d.Classes)), d.Terms)
	l := newHybrid(m, start.n, d.Terms)
	l.workers = d.Workers
	if err := countInto(ctx, d, l.count); err != nil {
		return nil, err
	}
	return (&course{Passes: m.Passes, watch: w, learner: l, start: start}).run(ctx, d)
}

func (m Hybrid) online(classes []string) (Online, error) {
	return m.Passes.online(classes, nil, &onlineHybrid{newHybrid(m, rowsOf(len(classes)), 0)})
}

// hybrid learns R rows of weights beside naive Bayes, which has counted the documents before.
type hybrid struct {
	n         int          // R
	bias      []hybridCell // R: of sums, n0 and n1
	cells     []hybridCell // V x R: of sums, n0_w and n1_w
	known     int          // V of naive Bayes: the terms that a document has
	smoothing float64
	share     float64 // c
	rate      float64
	origin    bool
	workers   int       // that make a model of what was learnt
	scratch   []float64 // R
}

// hybridCell is what is known of a term in a row, side by side since all of it is needed at once.
type hybridCell struct {
	weight  float64
	squares float64 // G
	sums    side
}

// side is a number for the documents on each side of a row: [1] for those of its class, [0] for all others.
type side [2]float64

// sideOf is the side of row r, of n rows, that a document of class c is on.
func sideOf(n, r, c int) int {
	if target(n, r, c) > 0 {
		return 1
	}
	return 0
}

func newHybrid(m Hybrid, n, terms int) *hybrid {
	l := &hybrid{
		n: n, bias: make([]hybridCell, n), cells: make([]hybridCell, 0, n*terms),
		smoothing: m.Smoothing, share: m.BayesShare, rate: m.LearningRate, origin: m.ThroughOrigin,
	}
	for r := range l.bias {
		l.bias[r].squares = firstSquares
	}
	l.grow(terms)
	return l
}

// countInto counts all documents, in the order of their contents, since sums round by their order.
func countInto(ctx context.Context, d *features.Dataset, count func(x features.Vector, c int)) error {
	rows := d.Rows()
	for read, i := range canonical(d) {
		if read%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		count(rows.Row(int(i)), int(d.Labels[i]))
	}
	return nil
}

// count counts a document of class c for naive Bayes.
func (l *hybrid) count(x features.Vector, c int) {
	for r := range l.n {
		at := sideOf(l.n, r, c)
		var length float64
		for i, w := range x.IDs {
			f, cell := float64(x.Values[i]), &l.cells[int(w)*l.n+r]
			if r == 0 && cell.sums == (side{}) {
				l.known++
			}
			cell.sums[at] += f
			length += f
		}
		l.bias[r].sums[at] += length
	}
}

// learn learns from a document that is counted, as if it was not.
func (l *hybrid) learn(x features.Vector, c int, weight float64) bool {
	l.scratch = room(l.scratch, l.n)
	for r := range l.scratch {
		var own side
		own[sideOf(l.n, r, c)] = 1
		l.scratch[r] = l.score(r, x, own)
	}
	return l.step(x, c, weight)
}

// score is z of row r. own is how often the document itself is in the sums of each side, from which it is taken off.
func (l *hybrid) score(r int, x features.Vector, own side) float64 {
	z := l.bias[r].weight
	var length float64
	for i, w := range x.IDs {
		f := float64(x.Values[i])
		z += f * l.cells[int(w)*l.n+r].weight
		length += f
	}
	if l.share == 0 {
		return z
	}
	return z + l.share*l.bayes(r, x, side{own[0] * length, own[1] * length}, own)
}

// bayes is nb(f) of a document with the given sums of features of its own. A logarithm costs more than all else: terms in
// a row with the same f, as all have in bits, share that of their product, which is taken long before it overflows. No sum
// is negative without the document: it is not smaller than any of its parts, however it was rounded.
func (l *hybrid) bayes(r int, x features.Vector, sums, own side) float64 {
	var odds, length float64 // of the terms that count
	product, f := 1.0, 0.0   // of the terms since the last logarithm
	for i, w := range x.IDs {
		value, cell := float64(x.Values[i]), &l.cells[int(w)*l.n+r]
		n := side{cell.sums[0] - own[0]*value, cell.sums[1] - own[1]*value}
		if n == (side{}) {
			continue
		}
		if value != f || product < 1e-100 || product > 1e100 {
			odds += f * math.Log(product)
			product, f = 1, value
		}
		product *= l.odds(n)
		length += value
	}
	if length == 0 {
		return 0
	}
	totals := l.bias[r].sums
	return odds + f*math.Log(product) + length*l.logOddsOfTotals(side{totals[0] - sums[0], totals[1] - sums[1]})
}

// odds is (a + n1_w) / (a + n0_w).
func (l *hybrid) odds(n side) float64 { return (l.smoothing + n[1]) / (l.smoothing + n[0]) }

// logOddsOfTotals is log((aV + n0) / (aV + n1)), the same for all terms; V must not be 0.
func (l *hybrid) logOddsOfTotals(n side) float64 {
	aV := l.smoothing * float64(l.known)
	return math.Log((aV + n[0]) / (aV + n[1]))
}

// step moves the weights by what is wrong with the scores of a document, which are in scratch.
func (l *hybrid) step(x features.Vector, c int, weight float64) bool {
	changed := false
	for r, z := range l.scratch {
		e := weight * logLossOfRow().slope(target(l.n, r, c), z)
		if math.Abs(e) < rightEnough {
			continue
		}
		if !l.origin {
			l.bias[r].move(e, l.rate)
		}
		for i, w := range x.IDs {
			l.cells[int(w)*l.n+r].move(e*float64(x.Values[i]), l.rate)
		}
		changed = true
	}
	return changed
}

// move makes a step of AdaGrad against the slope g.
func (c *hybridCell) move(g, rate float64) {
	c.squares += g * g
	c.weight -= rate * g / math.Sqrt(c.squares)
}

func (l *hybrid) pass() int { return 0 }

func (l *hybrid) model(dst *rows) {
	totals := make([]float64, l.n)
	for r, cell := range l.bias {
		dst.bias[r] = cell.weight
		totals[r] = l.logOddsOfTotals(cell.sums)
	}
	parallel.Ranges(l.workers, len(l.cells), 1<<14, func(_, from, to int) {
		for i := from; i < to; i++ {
			cell := &l.cells[i]
			dst.weights[i] = cell.weight
			if cell.sums != (side{}) {
				dst.weights[i] += l.share * (math.Log(l.odds(cell.sums)) + totals[i%l.n])
			}
		}
	})
}

func (l *hybrid) loss(scores []float64, c int) float64 {
	return sumOver(scores, c, logLossOfRow().value)
}

// logLossOfRow is log(1 + exp(-t z)), whose derivative by z is p - y.
func logLossOfRow() slopedLoss {
	return slopedLoss{
		value: func(t, z float64) float64 { return log1pExp(-t * z) },
		slope: func(t, z float64) float64 { return -t * logistic(-t*z) },
	}
}

// grow implements growing.
func (l *hybrid) grow(terms int) {
	for len(l.cells) < terms*l.n {
		l.cells = append(l.cells, hybridCell{squares: firstSquares})
	}
}

// scoresNow implements growing.
func (l *hybrid) scoresNow(dst []float64, x features.Vector) []float64 {
	dst = room(dst, l.n)
	for r := range dst {
		dst[r] = l.score(r, x, side{})
	}
	return dst
}

// onlineHybrid counts each document after it has learnt from it.
type onlineHybrid struct{ *hybrid }

func (l *onlineHybrid) learn(x features.Vector, c int, weight float64) bool {
	l.scratch = l.scoresNow(l.scratch, x)
	changed := l.step(x, c, weight)
	l.count(x, c)
	return changed
}
