package models

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"chaff/features"
	"chaff/internal/parallel"
)

// Votes is a committee of two in which every kind of evidence has one bounded vote. The first member knows the terms of a
// message in six groups: words and pairs of the text, the subject, links, structure, and the words of other header fields. The
// second one knows the runs of four bytes of the header and of the head of the text, as one group without a bound of its own. Each
// learns by itself, and their bounded scores are added; see [Form]. What anyone can paste into a mail (words, pairs, links and
// bytes of the text) may say less for ham than for spam: an attacker gains nothing by pasting spam words.
//
// A member is logistic regression with the log odds of naive Bayes as an offset, all of it within the bound of each group:
//
//	s_g = n_g^-1/2 * sum over the terms w of group g of (a_w + c nb_w)              n_g: the terms of the group in the document
//	z   = b + sum over g of K tanh(s_g / K)
//
//	nb_w = log((a + n1_w) / (a + n0_w)) + log((a V_g + n0_g) / (a V_g + n1_g))
//
// n1_w is the sum of n_g^-1/2 over the documents of the class that have w, n0_w over all others; n1_g and n0_g are their sums
// over the terms of the group, and V_g is the number of its terms that a document has. While a document is learned it is left
// out of its own counts: naive Bayes knows the documents that it has counted better than those to come.
//
// The loss allows for wrong labels. With t the label, +1 or -1, m = t z and s the logistic function,
//
//	L    = -log(eps + (1 - 2 eps) s(m))
//	dL/dz = -t (1 - 2 eps) s(m) s(-m) / (eps + (1 - 2 eps) s(m))
//
// eps is the probability that a label is wrong. It is learned, as the mean of what each document says of its own label, with two
// wrong labels in a hundred documents to begin with:
//
//	rho = e s(-m) / (e s(-m) + (1 - e) s(m)),  e = min(0.3, Q/N),  Q <- Q + rho,  N <- N + 1,  from Q = 2, N = 100
//	eps = e (1 - u)^3
//
// u is the share of the document's terms that no other document has: a document of unfamiliar terms has the full gradient, and one
// that contradicts a well-known letter a small one. Steps are those of AdaGrad, through the bounds:
//
//	g_w  = dL/dz n_g^-1/2 (1 - tanh^2(s_g / K))
//	G_w <- G_w + g_w^2
//	a_w <- a_w - eta g_w / sqrt(G_w)                                              for w in the document; for b with g = dL/dz
//
// In the result all documents are counted, and the weight of a term is a_w + c nb_w.
//
// Sources: as for [Hybrid]; V. Mnih, G. E. Hinton: Learning to Label Aerial Images from Noisy Data (ICML 2012), for a loss that
// allows for wrong labels, with their share estimated as in expectation maximisation; G. V. Cormack (TREC 2007), for runs of four
// bytes.
//
// It has any number of classes: of more than two, each has a committee of its own against all others. It takes features of the
// kind evidence.
type Votes struct {
	// Epochs is the number of passes over the training part. From 0 to 100000; default 0, which is for two over fewer than 2,000
	// messages and else for one: little mail needs more than one pass, and with more mail further passes overfit wrong labels.
	Epochs int `json:"epochs"`
	// ClassWeights is how much a message of each class counts, as for the other models: "none", "balanced", or weights as
	// "ham:10,spam:1". Default "none".
	ClassWeights string `json:"class_weights"`
	// Smoothing is a, which is added to the sum of each term on both sides. From 1e-10 to 1e6; default 0.001.
	Smoothing float64 `json:"smoothing"`
	// BayesShare is c, how much of the log odds of naive Bayes there is in a weight. From 0 to 1000; default 0.3.
	BayesShare float64 `json:"bayes_share"`
	// LearningRate is eta. Above 0, at most 1e6; default 0.7.
	LearningRate float64 `json:"learning_rate"`
	// GroupBound is K, how much the vote of a group of terms is at most. Above 0, at most 1e6; default 3.
	GroupBound float64 `json:"group_bound"`
	// PastedBound is how much a vote for ham is at most where anyone can paste: that of the words, of the pairs and of the links,
	// and that of the runs of bytes. It is for a spam filter only. Above 0, at most 1e6; default 1.5.
	PastedBound float64 `json:"pasted_bound"`
	// Bound is how much the vote of a member is at most. Above 0, at most 1e6; default 4.
	Bound float64 `json:"bound"`
	// Seed is where the order of the messages comes from.
	Seed uint64 `json:"-"`
}

var _ EpochTrainer = Votes{}

// DefaultVotes returns the settings used when nothing else is said.
func DefaultVotes() Votes {
	return Votes{
		ClassWeights: WeightsNone,
		Smoothing:    0.001, BayesShare: 0.3, LearningRate: 0.7, GroupBound: 3, PastedBound: 1.5, Bound: 4,
	}
}

// Validate returns everything that is wrong with m.
func (m Votes) Validate() error { return m.validate("") }

func (m Votes) validate(prefix string) error {
	errs := []error{m.passes(0).validate(prefix)}
	if m.Epochs < 0 {
		errs = append(errs, fmt.Errorf("%sepochs is %d: must be from 0 to %d", prefix, m.Epochs, maxEpochs))
	}
	if !(m.Smoothing >= minSmoothing && m.Smoothing <= maxSmoothing) { // also refuses NaN
		errs = append(errs, fmt.Errorf("%ssmoothing is %v: must be from %v to %v", prefix, m.Smoothing, minSmoothing, maxSmoothing))
	}
	if !(m.BayesShare >= 0 && m.BayesShare <= maxBayesShare) {
		errs = append(errs, fmt.Errorf("%sbayes_share is %v: must be from 0 to %v", prefix, m.BayesShare, maxBayesShare))
	}
	return errors.Join(append(errs,
		checkLearningRate(prefix, m.LearningRate),
		checkPositive(prefix+"group_bound", m.GroupBound),
		checkPositive(prefix+"pasted_bound", m.PastedBound),
		checkPositive(prefix+"bound", m.Bound),
	)...)
}

// fewDocuments is below how many documents there are two passes over them instead of one.
const fewDocuments = 2000

// passes are the settings of the passes over so many documents.
func (m Votes) passes(documents int) Passes {
	p := Passes{Epochs: m.Epochs, Order: OrderRandom, ClassWeights: m.ClassWeights, Seed: m.Seed}
	switch {
	case p.Epochs > 0:
	case documents < fewDocuments:
		p.Epochs = 2
	default:
		p.Epochs = 1
	}
	return p
}

// form is how the votes are added. Of a spam filter, whose class 0 is ham, what anyone can paste has a bound of its own below 0.
func (m Votes) form(classes []string) Form {
	anyGroup := Bounds{m.GroupBound, m.GroupBound}
	pasted, runs := anyGroup, Bounds{m.Bound, m.Bound}
	if slices.Equal(classes, []string{"ham", "spam"}) {
		pasted.Below, runs.Below = m.PastedBound, m.PastedBound
	}
	terms := make([]Bounds, features.Grams)
	for g := range terms {
		terms[g] = anyGroup
	}
	for _, g := range []features.Group{features.Words, features.Pairs, features.Links} {
		terms[g] = pasted
	}
	return Form{
		{First: features.Words, Groups: terms, Bounds: Bounds{m.Bound, m.Bound}},
		{First: features.Grams, Groups: []Bounds{{}}, Bounds: runs},
	}
}

// Train implements [Trainer]. Its report has no epochs; TrainEpochs reports them.
func (m Votes) Train(ctx context.Context, d *features.Dataset) (*Linear, Report, error) {
	return m.train(ctx, d, Watch{}, false)
}

// TrainEpochs implements [EpochTrainer].
func (m Votes) TrainEpochs(ctx context.Context, d *features.Dataset, w Watch) (*Linear, Report, error) {
	return m.train(ctx, d, w, true)
}

func (m Votes) train(ctx context.Context, d *features.Dataset, w Watch, measured bool) (*Linear, Report, error) {
	if err := errors.Join(m.Validate(), wantKind("votes", d, features.Evidence)); err != nil {
		return nil, Report{}, err
	}
	l := newVotes(m, d.Classes, d.Terms)
	l.workers = d.Workers
	if err := countInto(ctx, d, l.count); err != nil {
		return nil, Report{}, err
	}
	start := newFormRows(l.form, l.R, d.Terms)
	out, err := (&course{Passes: m.passes(d.Len()), watch: w, learner: l, start: start, unmeasured: !measured}).run(ctx, d)
	if err != nil {
		return nil, Report{}, err
	}
	return out.result(d)
}

func (m Votes) online(classes []string) (Online, error) {
	return m.passes(0).online(classes, nil, &onlineVotes{newVotes(m, classes, 0)})
}

// votes learns R rows of committees.
type votes struct {
	form      Form
	R         int
	states    []voteState      // R x members
	cells     []voteCell       // V x R
	groups    []features.Group // V
	known     [features.Groups]float64
	totals    []groupTotals // R: n0_g and n1_g
	smoothing float64       // as the sums of cells are: times unit
	share     float64       // c
	rate      float64       // eta
	workers   int
	read      evidenceRead
}

// voteState is what a member of a row knows beside its weights.
type voteState struct {
	bias, squares float64 // b, and G of it
	wrong, seen   float64 // Q and N
}

// voteCell is what is known of a term in a row: 16 bytes, because each access is a cache miss. The sums are whole numbers of units,
// so that they do not depend on the order of the documents, and leaving one out leaves nothing of it.
type voteCell struct {
	weight  float32   // a_w
	squares float32   // G_w
	sums    [2]uint32 // n0_w and n1_w
}

type groupTotals [features.Groups][2]uint64

const (
	// unit is how many units 1 is. A sum stops growing at 2^32 units: those of a million documents in which a term is the only
	// one of its group.
	unit = 1 << 12
	// The prior of the share of wrong labels is noiseWrong in noiseSeen documents. The estimate is never above mostNoise.
	noiseWrong, noiseSeen, mostNoise = 2, 100, 0.3
)

func newVotes(m Votes, classes []string, terms int) *votes {
	R := rowsOf(len(classes))
	l := &votes{
		form: m.form(classes), R: R, totals: make([]groupTotals, R),
		smoothing: m.Smoothing * unit, share: m.BayesShare, rate: m.LearningRate,
	}
	l.states = make([]voteState, R*len(l.form))
	for i := range l.states {
		l.states[i] = voteState{squares: firstSquares, wrong: noiseWrong, seen: noiseSeen}
	}
	l.cells, l.groups = make([]voteCell, 0, R*terms), make([]features.Group, 0, terms)
	l.grow(terms)
	return l
}

// units returns a feature as a whole number of units.
func units(f float32) uint32 { return uint32(f*unit + 0.5) }

// runs calls do with each stretch of terms of x that are of one group, from the first up to but without the last. The cells of
// grams are one stretch.
func runs(x features.Vector, do func(g features.Group, from, to int)) {
	for from := 0; from < len(x.IDs); {
		g, to := groupAt(x, from), from+1
		for to < len(x.IDs) && groupAt(x, to) == g {
			to++
		}
		do(g, from, to)
		from = to
	}
}

// count counts a document of class c for naive Bayes.
func (l *votes) count(x features.Vector, c int) {
	for r := range l.R {
		side := sideOf(l.R, r, c)
		runs(x, func(g features.Group, from, to int) {
			f, fresh := units(x.Values[from]), 0
			for _, w := range x.IDs[from:to] {
				cell := &l.cells[int(w)*l.R+r]
				if cell.sums == [2]uint32{} {
					fresh++
					l.groups[w] = g
				}
				cell.sums[side] = max(cell.sums[side], cell.sums[side]+f) // no more than there is room for
			}
			if r == 0 {
				l.known[g] += float64(fresh)
			}
			l.totals[r][g][side] += uint64(f) * uint64(to-from)
		})
	}
}

// groupAt returns the group of a term of a vector; without groups all terms are in the first one.
func groupAt(x features.Vector, i int) features.Group {
	if x.Groups == nil {
		return 0
	}
	return x.Groups[i]
}

// evidenceRead is what a row makes of a document.
type evidenceRead struct {
	groups [features.Groups]groupRead
	z      [features.Groups]float64 // of each member
	fresh  [features.Groups]float64 // u of each member
}

// groupRead is what a row makes of the terms of one group.
type groupRead struct {
	value   float64 // n_g^-1/2
	weights float64 // sum of a_w
	odds    float64 // sum of the logarithms so far
	// A logarithm costs more than all else, so it is taken of products: those of a + n1_w and of a + n0_w since the last one.
	above, below float64
	terms        float64
	known        float64 // of them, those that another document has
	slope        float64 // dz / da_w
}

// look reads a document of class c for row r. If it is counted it is left out of the counts.
func (l *votes) look(r int, x features.Vector, counted bool, c int) {
	read := &l.read
	for g := range read.groups {
		read.groups[g] = groupRead{above: 1, below: 1}
	}
	var own [2]uint64 // 1 on the side of the document
	if counted {
		own[sideOf(l.R, r, c)] = 1
	}
	runs(x, func(at features.Group, from, to int) {
		g := &read.groups[at]
		f := units(x.Values[from])
		own0, own1 := uint32(own[0])*f, uint32(own[1])*f
		var weights float64
		var known uint32
		above, below, a := g.above, g.below, l.smoothing
		for ids := x.IDs[from:to]; len(ids) > 0; {
			some := ids[:min(len(ids), multiplied)]
			ids = ids[len(some):]
			for _, w := range some {
				cell := &l.cells[int(w)*l.R+r]
				weights += float64(cell.weight)
				n0, n1 := cell.sums[0]-own0, cell.sums[1]-own1
				known += ((n0 | n1) | -(n0 | n1)) >> 31 // 1 if another document has the term
				above *= a + float64(n1)                // of a term that none has both grow by the same
				below *= a + float64(n0)
			}
			if tooFar(above) || tooFar(below) {
				g.odds += math.Log(above) - math.Log(below)
				above, below = 1, 1
			}
		}
		g.value, g.above, g.below = float64(x.Values[from]), above, below
		g.terms += float64(to - from)
		g.known += float64(known)
		g.weights += weights
	})
	for m, member := range l.form {
		z := l.states[r*len(l.form)+m].bias
		var terms, known float64
		for i, bounds := range member.Groups {
			at := member.First + features.Group(i)
			g := &read.groups[at]
			terms += g.terms
			known += g.known
			z += l.vote(r, at, g, own, bounds)
		}
		read.z[m], read.fresh[m] = z, 0
		if terms > 0 {
			read.fresh[m] = 1 - known/terms
		}
	}
}

// multiplied is how many factors may come between two looks at a product. None is above 2^33 units or below 1e-10 of 1, so that
// as many of them leave a product that is not [tooFar] a finite number that is not 0.
const multiplied = 8

// tooFar reports whether a product has to be replaced by its logarithm.
func tooFar(product float64) bool { return product > 1e150 || product < 1e-150 }

// vote returns the bounded vote of a group, and takes down its slope.
func (l *votes) vote(r int, at features.Group, g *groupRead, own [2]uint64, bounds Bounds) float64 {
	if g.terms == 0 {
		return 0
	}
	sum := g.weights
	if l.share > 0 && g.known > 0 {
		totals, document := l.totals[r][at], uint64(units(float32(g.value)))*uint64(g.terms)
		n := [2]uint64{totals[0] - own[0]*document, totals[1] - own[1]*document}
		sum += l.share * (g.odds + math.Log(g.above) - math.Log(g.below) + g.known*l.logOddsOfTotals(at, n))
	}
	s := g.value * sum
	v := bounds.within(s)
	g.slope = g.value * bounds.slope(s, v)
	return v
}

// logOddsOfTotals is log((a V_g + n0_g) / (a V_g + n1_g)), the same for all terms of a group.
func (l *votes) logOddsOfTotals(g features.Group, n [2]uint64) float64 {
	aV := l.smoothing * l.known[g]
	return math.Log((aV + float64(n[0])) / (aV + float64(n[1])))
}

// learn implements learner: it learns from a document that is counted, as if it was not.
func (l *votes) learn(x features.Vector, c int, weight float64) bool {
	return l.learnFrom(x, c, weight, true)
}

func (l *votes) learnFrom(x features.Vector, c int, weight float64, counted bool) bool {
	changed := false
	for r := range l.R {
		l.look(r, x, counted, c)
		if l.step(r, x, target(l.R, r, c), weight) {
			changed = true
		}
	}
	return changed
}

// step moves the weights of a row by what is wrong with what was read.
func (l *votes) step(r int, x features.Vector, t, weight float64) bool {
	var slopes [features.Groups]float32
	changed := false
	for m, member := range l.form {
		state := &l.states[r*len(l.form)+m]
		e := weight * state.slope(t, l.read.z[m], l.read.fresh[m])
		if math.Abs(e) < rightEnough {
			continue
		}
		changed = true
		state.squares += e * e
		state.bias -= l.rate * e / math.Sqrt(state.squares)
		for i := range member.Groups {
			g := int(member.First) + i
			slopes[g] = float32(e * l.read.groups[g].slope)
		}
	}
	if !changed {
		return false
	}
	rate := float32(l.rate)
	runs(x, func(at features.Group, from, to int) {
		g := slopes[at]
		if g == 0 {
			return
		}
		for _, w := range x.IDs[from:to] {
			cell := &l.cells[int(w)*l.R+r]
			cell.squares += g * g
			cell.weight -= rate * g / float32(math.Sqrt(float64(cell.squares)))
		}
	})
	return true
}

// slope returns dL/dz, and learns from the document how often labels are wrong.
func (s *voteState) slope(t, z, fresh float64) float64 {
	right := logistic(t * z) // s(m)
	wrong := 1 - right
	noise := min(mostNoise, s.wrong/s.seen)
	s.wrong += noise * wrong / (noise*wrong + (1-noise)*right)
	s.seen++
	eps := noise * (1 - fresh) * (1 - fresh) * (1 - fresh)
	if eps == 0 {
		return -t * wrong // the limit, which the quotient is not where right is 0
	}
	return -t * (1 - 2*eps) * right * wrong / (eps + (1-2*eps)*right)
}

func (l *votes) pass() int { return 0 }

func (l *votes) model(dst *rows) {
	for i, s := range l.states {
		dst.bias[i] = s.bias
	}
	totals := make([][features.Groups]float64, l.R)
	for r := range totals {
		for g := range totals[r] {
			if l.known[g] > 0 {
				totals[r][g] = l.logOddsOfTotals(features.Group(g), l.totals[r][g])
			}
		}
	}
	parallel.Ranges(l.workers, len(l.cells), 1<<14, func(_, from, to int) {
		for i := from; i < to; i++ {
			cell := &l.cells[i]
			dst.weights[i] = float64(cell.weight)
			if cell.sums != [2]uint32{} {
				odds := (l.smoothing + float64(cell.sums[1])) / (l.smoothing + float64(cell.sums[0]))
				dst.weights[i] += l.share * (math.Log(odds) + totals[i%l.R][l.groups[i/l.R]])
			}
		}
	})
}

func (l *votes) loss(scores []float64, c int) float64 {
	return sumOver(scores, c, logLossOfRow().value)
}

// grow implements growing.
func (l *votes) grow(terms int) {
	for len(l.cells) < terms*l.R {
		l.cells = append(l.cells, voteCell{squares: firstSquares})
	}
	for len(l.groups) < terms {
		l.groups = append(l.groups, 0)
	}
}

// scoresNow implements growing.
func (l *votes) scoresNow(dst []float64, x features.Vector) []float64 {
	dst = room(dst, l.R)
	for r := range dst {
		l.look(r, x, false, 0)
		dst[r] = 0
		for m, member := range l.form {
			dst[r] += member.Bounds.within(l.read.z[m])
		}
	}
	return dst
}

// onlineVotes counts each document after it has learned from it.
type onlineVotes struct{ *votes }

func (l *onlineVotes) learn(x features.Vector, c int, weight float64) bool {
	changed := l.learnFrom(x, c, weight, false)
	l.count(x, c)
	return changed
}
