package models

import (
	"context"
	"errors"
	"math"
	"slices"

	"chaff/features"
	"chaff/internal/evidence"
	"chaff/internal/indices"
)

// Votes is a committee of two members in which every kind of evidence has one bounded vote. The first member has the terms of
// a message in six groups: words and pairs of the text, the subject, links, structure, and the words of other header fields.
// The second has the runs of four bytes of the header and of the head of the text, as one group without a bound. Each learns by
// itself, and their bounded scores are added; see [Form]. Evidence for ham that anyone can paste into a mail (words, pairs,
// links and bytes of the text) has a lower bound than evidence for spam, so that pasting ham words gains little.
//
// A member is logistic regression with the log odds of naive Bayes as an offset, inside the bound of each group:
//
//	s_g = n_g^-1/2 * sum over the terms w of group g of (a_w + c nb_w)              n_g: the terms of the group in the document
//	z   = b + sum over g of K tanh(s_g / K)
//
//	nb_w = log((a + n1_w) / (a + n0_w)) + log((a V_g + n0_g) / (a V_g + n1_g))
//
// n1_w is the sum of n_g^-1/2 over the documents of the class that have w, n0_w over all others; n1_g and n0_g are their sums
// over the terms of the group, and V_g is the number of its terms with a document. A document is left out of its own counts
// while the weights learn from it: naive Bayes fits the documents that it has counted better than new ones.
//
// The loss allows for wrong labels. With t the label, +1 or -1, m = t z and s the logistic function,
//
//	L    = -log(eps + (1 - 2 eps) s(m))
//	dL/dz = -t (1 - 2 eps) s(m) s(-m) / (eps + (1 - 2 eps) s(m))
//
// eps is the probability that a label is wrong. It is estimated from all documents so far, starting from two wrong labels in a
// hundred documents:
//
//	rho = e s(-m) / (e s(-m) + (1 - e) s(m)),  e = min(0.3, Q/N),  Q <- Q + rho,  N <- N + 1,  from Q = 2, N = 100
//	eps = e (1 - u)^3
//
// u is the share of the document's terms that no other document has: a document of unfamiliar terms has the full gradient, and
// one that contradicts a familiar message has a small one. A label that a person has confirmed has eps = rho = 0. Steps are those of
// AdaGrad, through the bounds:
//
//	g_w  = dL/dz n_g^-1/2 (1 - tanh^2(s_g / K))
//	G_w <- G_w + g_w^2
//	a_w <- a_w - eta g_w / sqrt(G_w)                                              for w in the document; for b with g = dL/dz
//
// In the result all documents are counted, and the weight of a term is a_w + c nb_w.
//
// Sources: R. Raina, Y. Shen, A. Y. Ng, A. McCallum: Classification with Hybrid Generative/Discriminative Models (NIPS 2003), for the
// offset and the leave-one-out estimates; J. Duchi, E. Hazan, Y. Singer: Adaptive Subgradient Methods for Online Learning and Stochastic
// Optimization (JMLR 12, 2011), AdaGrad, for the steps; V. Mnih, G. E. Hinton: Learning to Label Aerial Images from Noisy Data (ICML 2012), for a loss that
// allows for wrong labels, with their share estimated as in expectation maximisation; G. V. Cormack (TREC 2007), for runs of four
// bytes.
//
// It has any number of classes: of more than two, each has a committee of its own against all others. It takes features of the
// kind evidence.
type Votes struct {
	// Epochs is the number of passes over the training part; 0 is two for fewer than 2,000 messages, else one. From 0
	// to 100000. Default 0.
	Epochs int `json:"epochs" range:"from 0 to 100000"`
	// Smoothing is a, which is added to the sum of each term on both sides. From 1e-10 to 1e6. Default 0.001.
	Smoothing float64 `json:"smoothing" range:"from 1e-10 to 1e6"`
	// BayesShare is c, the share of the naive Bayes log odds in a weight. From 0 to 1000. Default 0.3.
	BayesShare float64 `json:"bayes_share" range:"from 0 to 1000"`
	// LearningRate is eta, the length of a step. Above 0, at most 1e6. Default 0.7.
	LearningRate float64 `json:"learning_rate" range:"above 0 and at most 1e6"`
	// GroupBound is K, the bound of the vote of a group of terms. Above 0, at most 1e6. Default 3.
	GroupBound float64 `json:"group_bound" range:"above 0 and at most 1e6"`
	// PastedBound is the bound of a vote for ham of words, pairs, links and runs of bytes, which anyone can paste. It
	// is for spam filters only. Above 0, at most 1e6. Default 1.5.
	PastedBound float64 `json:"pasted_bound" range:"above 0 and at most 1e6"`
	// Bound is the bound of the vote of a member. Above 0, at most 1e6. Default 4.
	Bound float64 `json:"bound" range:"above 0 and at most 1e6"`
	// Seed determines the order of the messages.
	Seed uint64 `json:"-"`
}

const (
	// firstSquares is G before the first document. In a message of a thousand terms and length 1 the first gradient of a
	// term is 0.03 / 2, and its square a quarter of this. So the first step is less than half the learning rate, and a term
	// that occurs once weighs less than one that is confirmed.
	firstSquares = 0.001
	// minGradient is the |dL/dz| below which a document changes no weight.
	minGradient = 1e-6
)

// LogOdds returns what one unit of log likelihood ratio is worth in the score of spam, among the greatest scores of ham, and the bounds of the score.
// The unit is less than 1 because votes are bounded. It was measured for the default bounds (docs/inside/thresholds.md); for others it is 0, unknown.
func (m Votes) LogOdds() (unit float64, bounds [2]float64) {
	if m.GroupBound == groupBound && m.PastedBound == pastedBound && m.Bound == memberBound {
		unit = 0.72
	}
	for _, member := range m.form([]string{"ham", "spam"}) {
		bounds[0], bounds[1] = bounds[0]-member.Bounds.Below, bounds[1]+member.Bounds.Above
	}
	return unit, bounds
}

const groupBound, pastedBound, memberBound = 3, 1.5, 4

func (m Votes) passes(documents int) Passes {
	const fewDocuments = 2000 // from so many on there is one pass instead of two
	p := Passes{Epochs: m.Epochs, Order: OrderRandom, Seed: m.Seed}
	if p.Epochs == 0 {
		p.Epochs = 1
		if documents < fewDocuments {
			p.Epochs = 2
		}
	}
	return p
}

// form returns how the votes are added. In a spam filter, whose class 0 is ham, evidence that anyone can paste has a bound of
// its own below 0.
func (m Votes) form(classes []string) Form {
	anyGroup := Bounds{m.GroupBound, m.GroupBound}
	pasted, runs := anyGroup, Bounds{m.Bound, m.Bound}
	if slices.Equal(classes, []string{"ham", "spam"}) {
		pasted.Below, runs.Below = m.PastedBound, m.PastedBound
	}
	terms := make([]Bounds, evidence.Grams)
	for g := range terms {
		terms[g] = anyGroup
	}
	for _, g := range []evidence.Group{evidence.Words, evidence.Pairs, evidence.Links} {
		terms[g] = pasted
	}
	return Form{
		{First: evidence.Words, Groups: terms, Bounds: Bounds{m.Bound, m.Bound}},
		{First: evidence.Grams, Groups: []Bounds{{}}, Bounds: runs},
	}
}

// Train implements [Trainer].
func (m Votes) Train(ctx context.Context, d *features.Dataset, o EpochOptions) (*Linear, Report, error) {
	if _, err := check(&m, d, features.Evidence); err != nil {
		return nil, Report{}, err
	}
	l := m.newLearner(d).(*votes)
	all := newSorted(d)
	// Counts are whole numbers. Documents that are listed side by side have terms in common, which are still in the cache.
	count := func(m int, x features.Vector, c int) { l.count(m, x, c, 1) }
	if err := all.each(ctx, indices.Below[int32](d.Len()), l.form, count); err != nil {
		return nil, Report{}, err
	}
	if slices.ContainsFunc(l.slots, func(s voteSlot) bool { return max(s.sums[0], s.sums[1]) == math.MaxUint32 }) {
		return nil, Report{}, ErrFull
	}
	linear, report, err := epochs(ctx, &m, m.passes(d.Len()), all, l, o, "")
	if report.Learned != nil {
		l.settle(d.Len())
	}
	return linear, report, err
}

// votes learns R rows of committees.
type votes struct {
	form      Form
	R         int
	smoothing float64       // a, in units
	share     float64       // c
	rate      float64       // eta
	fitting   bool          // whether the documents are counted before they are learned
	states    []memberState // R x members
	slots     []voteSlot    // V x R
	// The naive Bayes counts beside those of the slots are of the documents learned before, and in training of all.
	groups []evidence.Group        // V: of the known terms
	known  [evidence.Groups]int    // V_g
	totals [][evidence.Groups]side // R: n0_g and n1_g, in units
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

// memberState is what a member of a row learns beside its weights.
type memberState struct {
	bias, squares float64 // b, and G of it
	wrong, seen   float64 // Q and N
}

// voteSlot is a weight with its sum of squared gradients, a_w and G_w, and the counts n0_w and n1_w in units, which end at 2^32:
// a million documents in which the term is the only one of its group. It has 16 bytes, so that reading a term is one cache miss.
type voteSlot struct {
	weight, squares float32
	sums            [2]uint32
}

// unit is how many units a feature of 1 has in counts. In whole numbers they are exact, in any order of the documents.
const unit = 1 << 12

// units returns a feature as a whole number of units.
func units(f float32) uint32 { return uint32(f*unit + 0.5) }

// The prior of the share of wrong labels is noiseWrong in noiseSeen documents. The estimate is at most maxNoise.
const noiseWrong, noiseSeen, maxNoise = 2, 100, 0.3

// newLearner returns a learner that counts documents after it has learned from them, unless it is told their number: training counts them before.
func (m Votes) newLearner(d *features.Dataset) learner {
	R := rowCount(len(d.Classes))
	l := &votes{
		form: m.form(d.Classes), R: R, totals: make([][evidence.Groups]side, R), fitting: d.Len() > 0,
		smoothing: m.Smoothing * unit, share: m.BayesShare, rate: m.LearningRate,
	}
	l.states = slices.Repeat([]memberState{{squares: firstSquares, wrong: noiseWrong, seen: noiseSeen}}, R*len(l.form))
	l.resize(d.Terms)
	return l
}

// count adds sign times a document of class c to the counts of a member.
func (l *votes) count(m int, x features.Vector, c, sign int) {
	l.form[m].eachGroup(x, func(g evidence.Group, from, to int) {
		ids, f := x.IDs[from:to], units(x.Values[from])
		for r := range l.R {
			at, known := sideOf(l.R, r, c), 0
			l.totals[r][g][at] += float64(sign) * float64(f) * float64(len(ids))
			for _, w := range ids { // without a branch on a sum, so that the processor does not wait for one term after the other
				sums := &l.slots[int(w)*l.R+r].sums
				known -= int(min(sums[0]|sums[1], 1))
				if sign > 0 {
					sums[at] += min(f, math.MaxUint32-sums[at])
				} else {
					sums[at] -= min(f, sums[at])
				}
				known += int(min(sums[0]|sums[1], 1))
			}
			if r == 0 { // a term that is known to one row is known to all
				l.known[g] += known
			}
		}
		for _, w := range ids {
			l.groups[w] = g
		}
	})
}

// forget takes a document out of the counts. The weights keep what they learned from it, but its terms are unfamiliar again, so that learning it as
// one of another class makes a full step.
func (l *votes) forget(x features.Vector, c int) {
	for m := range l.form {
		l.count(m, x, c, -1)
	}
}

// ErrFull is returned when there are too many documents of a term for its count, see voteSlot.
var ErrFull = errors.New("too many messages with one term: its count has no room for more")

// reading is what a member of a row computes of a document.
type reading struct {
	groups [evidence.Groups]groupReading
	z      float64
	fresh  float64 // u
}

// groupReading is what a row computes of the terms of one group.
type groupReading struct {
	value   float64 // n_g^-1/2
	weights float64 // sum of a_w
	odds    float64 // sum of the logarithms so far
	// Logarithms are the most expensive part, so they are taken of products: those of a + n1_w and of a + n0_w since the last
	// one.
	above, below float64
	terms        float64
	known        float64 // how many of them another document has
	slope        float64 // dz / da_w
}

// readDocument computes what member m of row r makes of a document of class c, which is left out of the counts.
func (l *votes) readDocument(read *reading, r, m int, x features.Vector, c int) {
	member := l.form[m]
	for g := range read.groups {
		read.groups[g] = groupReading{above: 1, below: 1}
	}
	var own side // 1 on the side of the document
	if l.fitting {
		own[sideOf(l.R, r, c)] = 1
	}
	member.eachGroup(x, func(at evidence.Group, from, to int) {
		g := &read.groups[at]
		f := float64(units(x.Values[from]))
		own0, own1 := uint32(own[0]*f), uint32(own[1]*f)
		var weights float64
		var known int
		above, below, a := g.above, g.below, l.smoothing
		for ids := x.IDs[from:to]; len(ids) > 0; {
			some := ids[:min(len(ids), factorsPerCheck)]
			ids = ids[len(some):]
			for _, w := range some {
				slot := &l.slots[int(w)*l.R+r]
				weights += float64(slot.weight)
				n0, n1 := slot.sums[0]-own0, slot.sums[1]-own1
				known += int(min(n0|n1, 1)) // if another document has the term
				above *= a + float64(n1)    // of an unknown term both grow by the same factor
				below *= a + float64(n0)
			}
			if above > 1e150 || above < 1e-150 || below > 1e150 || below < 1e-150 {
				g.odds += math.Log(above) - math.Log(below)
				above, below = 1, 1
			}
		}
		g.value, g.above, g.below = float64(x.Values[from]), above, below
		g.terms += float64(to - from)
		g.known += float64(known)
		g.weights += weights
	})
	z := l.states[r*len(l.form)+m].bias
	var terms, known float64
	for i, bounds := range member.Groups {
		at := member.First + evidence.Group(i)
		g := &read.groups[at]
		terms += g.terms
		known += g.known
		z += l.vote(r, at, g, own, bounds)
	}
	read.z, read.fresh = z, 0
	if terms > 0 {
		read.fresh = 1 - known/terms
	}
}

// factorsPerCheck is how many factors are multiplied before the product is checked. None is above 2^33 units or below 1e-10 of
// 1, so that a product from 1e-150 to 1e150 stays finite and above 0.
const factorsPerCheck = 8

// vote returns the bounded vote of a group, and sets its slope.
func (l *votes) vote(r int, at evidence.Group, g *groupReading, own side, bounds Bounds) float64 {
	if g.terms == 0 {
		return 0
	}
	sum := g.weights
	if l.share > 0 && g.known > 0 {
		totals, document := l.totals[r][at], float64(units(float32(g.value)))*g.terms
		n := side{totals[0] - own[0]*document, totals[1] - own[1]*document}
		aV := l.smoothing * float64(l.known[at])
		sum += l.share * (g.odds + math.Log(g.above) - math.Log(g.below) + g.known*math.Log((aV+n[0])/(aV+n[1])))
	}
	s := g.value * sum
	v, slope := bounds.within(s)
	g.slope = g.value * slope
	return v
}

// learn learns from a document as if it were not counted. Then it counts it, unless it is counted already.
func (l *votes) learn(m int, x features.Vector, c int) bool {
	var read reading
	changed := false
	for r := range l.R {
		l.readDocument(&read, r, m, x, c)
		if l.step(&read, r, m, x, target(l.R, r, c)) {
			changed = true
		}
	}
	if !l.fitting {
		l.count(m, x, c, 1)
	}
	return changed
}

// step moves the weights of a member of a row against the gradient of the document that was read.
func (l *votes) step(read *reading, r, m int, x features.Vector, t float64) bool {
	state := &l.states[r*len(l.form)+m]
	e := state.gradient(t, read.z, read.fresh, x.Confirmed)
	if math.Abs(e) < minGradient {
		return false
	}
	state.squares += e * e
	state.bias -= l.rate * e / math.Sqrt(state.squares)
	rate := float32(l.rate)
	l.form[m].eachGroup(x, func(at evidence.Group, from, to int) {
		g := float32(e * read.groups[at].slope)
		for _, w := range x.IDs[from:to] {
			slot := &l.slots[int(w)*l.R+r]
			slot.squares += g * g
			slot.weight -= rate * g / float32(math.Sqrt(float64(slot.squares)))
		}
	})
	return true
}

// gradient returns dL/dz, and updates the estimate of wrong labels. A label that a person has confirmed is not wrong.
func (s *memberState) gradient(t, z, fresh float64, confirmed bool) float64 {
	right := logistic(t * z) // s(m)
	wrong := 1 - right
	if confirmed {
		s.seen++
		return -t * wrong
	}
	noise := min(maxNoise, s.wrong/s.seen)
	s.wrong += noise * wrong / (noise*wrong + (1-noise)*right)
	s.seen++
	eps := noise * (1 - fresh) * (1 - fresh) * (1 - fresh)
	if eps == 0 {
		return -t * wrong // the limit; the quotient below is 0/0 where right is 0
	}
	return -t * (1 - 2*eps) * right * wrong / (eps + (1-2*eps)*right)
}

func (l *votes) shape() shape { return shape{l.R, len(l.groups), 1 + 16*l.R, l.form} }

func (l *votes) biases() (all []float64) {
	for _, s := range l.states {
		all = append(all, s.bias)
	}
	return all
}

func (l *votes) model(dst []float64, terms []uint32) {
	odds, a := make([][evidence.Groups]float64, l.R), l.smoothing
	for r := range odds {
		for g, known := range l.known {
			if known > 0 {
				aV, n := a*float64(known), l.totals[r][g]
				odds[r][g] = math.Log((aV + n[0]) / (aV + n[1]))
			}
		}
	}
	for i, w := range terms {
		for r, slot := range l.slots[int(w)*l.R:][:l.R] {
			weight := float64(slot.weight)
			if slot.sums != ([2]uint32{}) {
				ratio := (a + float64(slot.sums[1])) / (a + float64(slot.sums[0]))
				weight += l.share * (math.Log(ratio) + odds[r][l.groups[w]])
			}
			dst[i*l.R+r] = weight
		}
	}
}

func (l *votes) loss(scores []float64, c int) float64 {
	return sumOver(scores, c, func(t, z float64) float64 { return log1pExp(-t * z) })
}

func (l *votes) resize(terms int) {
	l.slots = resized(l.slots, terms*l.R, voteSlot{squares: firstSquares})
	l.groups = resized(l.groups, terms, 0)
}

func (l *votes) globals(c *codec) {
	for i := range l.states {
		m := &l.states[i]
		c.list(&m.bias, &m.squares, &m.wrong, &m.seen)
	}
	listAll(c, l.known[:])
	for r := range l.totals {
		for g := range l.totals[r] {
			listAll(c, l.totals[r][g][:])
		}
	}
}

func (l *votes) term(c *codec, w int) {
	c.list(&l.groups[w])
	for r := range l.R {
		slot := &l.slots[w*l.R+r]
		c.list(&slot.weight, &slot.squares, &slot.sums[0], &slot.sums[1])
	}
}

// settle ends a fit to so many documents, after which l learns from one document after the other. A fit ends when the gradients are small, so
// that the sums of squares are too, and a few documents of one kind would move the weights that all mail has in common: after 50 mislabelled
// messages nearly all mail was spam. So each document of the fit counts as a gradient of 1, times its feature, at each of its terms and at
// the bias, as it would before the first step. Weights of rare terms, by which such documents differ from others, still take long steps.
// The squares of the features of a term are not known; their sum is, and the mean feature of its group.
func (l *votes) settle(documents int) {
	l.fitting = false
	for i := range l.states {
		l.states[i].squares += float64(documents)
	}
	for i := range l.slots {
		total := l.totals[i%l.R][l.groups[i/l.R]]
		if sum := total[0] + total[1]; sum > 0 {
			slot := &l.slots[i]
			mean := float64(documents) * unit / sum
			slot.squares += float32(mean * (float64(slot.sums[0]) + float64(slot.sums[1])) / unit)
		}
	}
}
