package models

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"chaff/features"
	"chaff/internal/evidence"
)

// evidenceOf returns documents of the kind evidence: rows of terms, each with the group that groups has for it.
func evidenceOf(classes int, groups []evidence.Group, labels []int32, rows ...[]uint32) *features.Dataset {
	d := &features.Dataset{Kind: features.Evidence, Classes: classNames(classes), Terms: len(groups)}
	for i, ids := range rows {
		var sizes [evidence.Groups]float64
		for _, w := range ids {
			sizes[groups[w]]++
		}
		var x features.Vector
		for _, w := range ids {
			x.IDs = append(x.IDs, w)
			x.Values = append(x.Values, float32(1/math.Sqrt(sizes[groups[w]])))
			x.Groups = append(x.Groups, groups[w])
		}
		d.Append(x, labels[i])
	}
	return d
}

// classNames are those of a spam filter, or others.
func classNames(classes int) []string {
	if classes == 2 {
		return []string{"ham", "spam"}
	}
	return []string{"a", "b", "c"}
}

// randomEvidence returns documents over terms in all groups.
func randomEvidence(seed uint64, classes, documents, terms int) *features.Dataset {
	random := rand.New(rand.NewPCG(seed, 0))
	groups := make([]evidence.Group, terms)
	for w := range groups {
		groups[w] = evidence.Group(w % evidence.Groups)
	}
	labels, rows := make([]int32, documents), make([][]uint32, documents)
	for i := range rows {
		labels[i] = int32(i % classes)
		for w := range terms {
			if p := 0.1 + 0.2*float64((w+i)%classes); random.Float64() < p {
				rows[i] = append(rows[i], uint32(w))
			}
		}
	}
	return evidenceOf(classes, groups, labels, rows...)
}

// plainVotes is a second, literal implementation of the formula of Votes, for one row.
type plainVotes struct {
	m                     Votes
	isSpamFilter          bool
	weights, squares      map[uint32]float64
	counts                map[uint32][2]float64
	totals                [evidence.Groups][2]float64
	bias, biasSquares, qs [2]float64
	ns                    [2]float64
}

func newPlainVotes(m Votes) *plainVotes {
	return &plainVotes{
		m: m, weights: make(map[uint32]float64), squares: make(map[uint32]float64), counts: make(map[uint32][2]float64),
		biasSquares: [2]float64{0.001, 0.001}, qs: [2]float64{2, 2}, ns: [2]float64{100, 100},
	}
}

// add counts a document, or takes it back for a sign of -1.
func (p *plainVotes) add(x features.Vector, side int, sign float64) {
	for i, w := range x.IDs {
		f := sign * math.Floor(float64(x.Values[i])*unit+0.5) / unit
		n := p.counts[w]
		n[side] += f
		p.counts[w] = n
		p.totals[x.Groups[i]][side] += f
	}
}

// score is that of both members together.
func (p *plainVotes) score(z [2]float64) float64 {
	K := p.m.Bound
	if p.isSpamFilter && z[1] < 0 {
		K = p.m.PastedBound
	}
	return p.m.Bound*math.Tanh(z[0]/p.m.Bound) + K*math.Tanh(z[1]/K)
}

// known is V_g: the terms of a group that some document has.
func (p *plainVotes) known(x *features.Dataset, seen int) (v [evidence.Groups]float64) {
	terms := make(map[uint32]evidence.Group)
	for i := range seen {
		row := x.Row(i)
		for j, w := range row.IDs {
			terms[w] = row.Groups[j]
		}
	}
	for _, g := range terms {
		v[g]++
	}
	return v
}

// scores returns z of both members, the slope of each group, and u of both members.
func (p *plainVotes) scores(x features.Vector, V [evidence.Groups]float64) (z [2]float64, slope [evidence.Groups]float64, fresh [2]float64) {
	var sums, n [evidence.Groups]float64
	var terms, unseen [2]float64
	for i, w := range x.IDs {
		g := x.Groups[i]
		n[g] = float64(x.Values[i])
		sums[g] += p.weights[w]
		m := 0
		if g == evidence.Grams {
			m = 1
		}
		terms[m]++
		c := p.counts[w]
		if c[0] < 1e-9 && c[1] < 1e-9 {
			unseen[m]++
			continue
		}
		a := p.m.Smoothing
		sums[g] += p.m.BayesShare * (math.Log((a+c[1])/(a+c[0])) + math.Log((a*V[g]+p.totals[g][0])/(a*V[g]+p.totals[g][1])))
	}
	z = p.bias
	for g := range sums {
		s := n[g] * sums[g]
		if evidence.Group(g) == evidence.Grams {
			z[1] += s
			slope[g] = n[g]
			continue
		}
		K := p.m.GroupBound
		switch g := evidence.Group(g); {
		case p.isSpamFilter && s < 0 && (g == evidence.Words || g == evidence.Pairs || g == evidence.Links):
			K = p.m.PastedBound
		}
		t := math.Tanh(s / K)
		z[0] += K * t
		slope[g] = n[g] * (1 - t*t)
	}
	for m := range fresh {
		if terms[m] > 0 {
			fresh[m] = unseen[m] / terms[m]
		}
	}
	return z, slope, fresh
}

func (p *plainVotes) step(x features.Vector, t float64, V [evidence.Groups]float64) {
	z, slope, fresh := p.scores(x, V)
	var e [2]float64
	for m := range e {
		e[m] = p.gradientOfLoss(m, t, z[m], fresh[m])
		p.biasSquares[m] += e[m] * e[m]
		p.bias[m] -= p.m.LearningRate * e[m] / math.Sqrt(p.biasSquares[m])
	}
	for i, w := range x.IDs {
		g := x.Groups[i]
		d := e[0] * slope[g]
		if g == evidence.Grams {
			d = e[1] * slope[g]
		}
		if p.squares[w] == 0 {
			p.squares[w] = 0.001
		}
		p.squares[w] += d * d
		p.weights[w] -= p.m.LearningRate * d / math.Sqrt(p.squares[w])
	}
}

func (p *plainVotes) gradientOfLoss(m int, t, z, fresh float64) float64 {
	s := func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
	e := min(0.3, p.qs[m]/p.ns[m])
	rho := e * s(-t*z) / (e*s(-t*z) + (1-e)*s(t*z))
	p.qs[m] += rho
	p.ns[m]++
	eps := e * math.Pow(1-fresh, 3)
	// The derivative of -log(eps + (1 - 2 eps) s(t z)), by a central difference.
	loss := func(z float64) float64 { return -math.Log(eps + (1-2*eps)*s(t*z)) }
	const h = 1e-5
	return (loss(z+h) - loss(z-h)) / (2 * h)
}

func TestVotesFollowTheirFormula(t *testing.T) {
	m := DefaultOptions().Votes
	for _, classes := range []int{2, 3} {
		d := randomEvidence(3, classes, 40, 60)
		l := m.newLearner(d).(*votes)
		for i, c := range d.Labels {
			for member := range l.form {
				l.count(member, d.Row(i), int(c), 1)
			}
		}
		for i, c := range d.Labels {
			for member := range l.form {
				l.learn(member, d.Row(i), int(c))
			}
		}
		got := snapshot(nil, l, 1)
		for r := range l.R {
			p := newPlainVotes(m)
			p.isSpamFilter = classes == 2
			for i, c := range d.Labels {
				p.add(d.Row(i), sideOf(l.R, r, int(c)), 1)
			}
			V := p.known(d, d.Len())
			for i, c := range d.Labels {
				side := sideOf(l.R, r, int(c))
				p.add(d.Row(i), side, -1)
				p.step(d.Row(i), target(l.R, r, int(c)), V)
				p.add(d.Row(i), side, 1)
			}
			wantAllNear(t, "biases", got.bias[2*r:2*r+2], p.bias[:], 1e-5)
			for i := range d.Len() {
				z, _, _ := p.scores(d.Row(i), V)
				want := p.score(z)
				scores := got.scores(make([]float64, l.R), d.Row(i))
				wantNear(t, "score", scores[r], want, 1e-4)
			}
		}
	}
}

func TestVotesLearnOneDocumentAfterTheOtherByTheirFormula(t *testing.T) {
	m := DefaultOptions().Votes
	d := randomEvidence(4, 2, 40, 60)
	online, _, err := DefaultOptions().NewOnline("votes", d.Classes)
	if err != nil {
		t.Fatal(err)
	}
	p := newPlainVotes(m)
	p.isSpamFilter = true
	for i, c := range d.Labels {
		V := p.known(d, i)
		z, _, _ := p.scores(d.Row(i), V)
		wantNear(t, "score before the document is learned", online.Scores(nil, d.Row(i))[1], p.score(z), 1e-4)
		p.step(d.Row(i), target(1, 0, int(c)), V)
		p.add(d.Row(i), int(c), 1)
		online.Learn(d.Row(i), int(c))
	}
}

// With two workers the members learn side by side, which the race detector watches.
func TestVotesAreTheSameWithAnyNumberOfWorkers(t *testing.T) {
	m := DefaultOptions().Votes
	m.Epochs = 3
	train := func(workers int) (*Linear, Report) {
		d := randomEvidence(5, 3, 300, 60)
		d.Workers = workers
		l, report := mustTrain(t, m, d, EpochOptions{OnEpoch: func(Epoch) {}})
		return l, unlearned(report)
	}
	want, wantReport := train(0)
	for _, e := range wantReport.Epochs {
		if e.Updates != 300 {
			t.Errorf("epoch %d has %d updates, want one for each of 300 documents", e.Epoch, e.Updates)
		}
	}
	for _, workers := range []int{1, 2, 5} {
		if got, report := train(workers); !reflect.DeepEqual(got, want) || !reflect.DeepEqual(report.Epochs, wantReport.Epochs) {
			t.Errorf("%d workers give another model or report", workers)
		}
	}
}

// A single document with one term, in one group, all by hand: nothing is known of the term but by its own document, so z is 0,
// u is 1 and eps is 0. Then e = -1/2 for the class of the term's document. The weight and both biases make one step of
// 0.7 (1/2) / sqrt(0.001 + 1/4) = 0.698605, and naive Bayes adds 0.3 (log((0.001 + 1) / 0.001) + log(0.001 / (0.001 + 1))) = 0.
func TestVotesByHand(t *testing.T) {
	x := features.Vector{IDs: []uint32{0}, Values: []float32{1}, Groups: []evidence.Group{evidence.Subject}}
	d := &features.Dataset{Kind: features.Evidence, Classes: []string{"ham", "spam"}, Terms: 1}
	d.Append(x, 1)
	l := DefaultOptions().Votes.newLearner(d).(*votes)
	for member := range l.form {
		l.count(member, x, 1, 1)
	}
	for member := range l.form {
		if !l.learn(member, x, 1) {
			t.Errorf("member %d has learned nothing", member)
		}
	}
	got := snapshot(nil, l, 1)
	const step = 0.698605
	wantNear(t, "weight", got.weights[0], step, 1e-6)
	// The member of grams has no term here, but a bias, and of a document without terms u is 0: eps is 2/100, and
	// e = -(1 - 0.04) / 4 / (0.02 + 0.96 / 2) = -0.48.
	wantAllNear(t, "biases", got.bias, []float64{step, 0.7 * 0.48 / math.Sqrt(0.001+0.48*0.48)}, 1e-6)
}

func TestNoGroupOutvotesItsBound(t *testing.T) {
	l := &Linear{
		Classes: 2, Terms: 3, Form: DefaultOptions().Votes.form([]string{"ham", "spam"}), Bias: []float64{0.5, 0}, Weights: []float32{-1000, 2, 1000},
	}
	x := features.Vector{IDs: []uint32{0, 1, 2}, Values: []float32{1, 1, 1}, Groups: []evidence.Group{evidence.Words, evidence.Links, evidence.Grams}}
	// Words may say 3/2 for ham: z_1 = 1/2 - 3/2 + 3 tanh(2/3) = 0.7493, z_2 = 1000, and the score is 4 tanh(z_1/4) + 4.
	want := 4*math.Tanh((0.5-1.5+3*math.Tanh(2./3))/4) + 4
	wantNear(t, "score", l.Score(x), want, 1e-12)
	terms, bias := l.Contributions(x, 1, 0)
	wantNear(t, "sum of the contributions", terms[0]+terms[1]+terms[2]+bias, want, 1e-12)
	if terms[0] >= 0 || terms[1] <= 0 || terms[2] <= 0 || terms[2] > 4 {
		t.Errorf("contributions %v", terms)
	}
}

func TestAModelThatKnowsNothingContributesNothing(t *testing.T) {
	l := &Linear{Classes: 2, Terms: 1, Form: DefaultOptions().Votes.form([]string{"ham", "spam"}), Bias: make([]float64, 2), Weights: make([]float32, 1)}
	if terms, bias := l.Contributions(features.Vector{IDs: []uint32{0}, Values: []float32{1}}, 1, 0); terms[0] != 0 || bias != 0 {
		t.Errorf("got %v and %v", terms, bias)
	}
}

func TestContributionsAddUpToTheScore(t *testing.T) {
	o := DefaultOptions()
	for _, trainer := range []Trainer{o.Votes, o.AveragedPerceptron} {
		for _, classes := range []int{2, 3} {
			d := randomEvidence(5, classes, 30, 50)
			l, _, err := trainer.Train(t.Context(), d, EpochOptions{})
			if err != nil {
				t.Fatal(err)
			}
			for i := range d.Len() {
				scores := l.Scores(nil, d.Row(i))
				for c := range scores {
					k := Rival(scores, c)
					terms, sum := l.Contributions(d.Row(i), c, k)
					for _, of := range terms {
						sum += of
					}
					wantNear(t, "sum of the contributions", sum, scores[c]-scores[k], 1e-9)
				}
			}
		}
	}
}

func TestWrongLabelsTeachVotesLittle(t *testing.T) {
	d := randomEvidence(6, 2, 2400, 80)
	clean, _, err := DefaultOptions().Votes.Train(t.Context(), d, EpochOptions{})
	if err != nil {
		t.Fatal(err)
	}
	labels := slices.Clone(d.Labels)
	for i := 0; i < len(labels); i += 10 {
		d.Labels[i] = 1 - d.Labels[i]
	}
	noisy, _, err := DefaultOptions().Votes.Train(t.Context(), d, EpochOptions{})
	if err != nil {
		t.Fatal(err)
	}
	wrong := func(l *Linear) (n int) {
		for i, c := range labels {
			if l.Predict(d.Row(i)) != int(c) {
				n++
			}
		}
		return n
	}
	if before, after := wrong(clean), wrong(noisy); after > before+len(labels)/20 { // 283 without the allowance for noise
		t.Errorf("with a tenth of the labels wrong %d of %d documents are classified wrongly, %d without", after, len(labels), before)
	}
}

func TestAConfirmedLabelTeachesVotesFully(t *testing.T) {
	d := randomEvidence(6, 2, 600, 80)
	clean, _, err := DefaultOptions().Votes.Train(t.Context(), d, EpochOptions{})
	if err != nil {
		t.Fatal(err)
	}
	surest := 0 // of class 1
	for i, label := range d.Labels {
		if label == 1 && clean.Score(d.Row(i)) > clean.Score(d.Row(surest)) {
			surest = i
		}
	}
	d.Labels[surest] = 0
	score := func() float64 {
		l, _, err := DefaultOptions().Votes.Train(t.Context(), d, EpochOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return l.Score(d.Row(surest))
	}
	doubted := score()
	d.Confirmed = make([]bool, d.Len())
	if none := score(); none != doubted {
		t.Errorf("without a confirmed label the score is %v, want %v", none, doubted)
	}
	d.Confirmed[surest] = true
	if confirmed := score(); confirmed > doubted-0.05 {
		t.Errorf("a wrong label changes the score to %v, a confirmed one to %v", doubted, confirmed)
	}
	if of := d.Subset([]int{0, surest}).Confirmed; of[0] != (surest == 0) || !of[1] {
		t.Errorf("a subset has the confirmed labels %v", of)
	}
}

func TestFewDocumentsHaveTwoPasses(t *testing.T) {
	for _, tt := range []struct{ documents, epochs, want int }{
		{0, 0, 2}, {50, 0, 2}, {1999, 0, 2}, {2000, 0, 1}, {1_000_000, 0, 1}, {50, 7, 7}, {3000, 2, 2},
	} {
		m := DefaultOptions().Votes
		m.Epochs = tt.epochs
		if got := m.passes(tt.documents).Epochs; got != tt.want {
			t.Errorf("%d documents, epochs %d: got %d passes, want %d", tt.documents, tt.epochs, got, tt.want)
		}
	}
}

func TestTheGradientOfTheLossIsFinite(t *testing.T) {
	for _, z := range []float64{-1e308, -1000, -1, 0, 1, 1000, 1e308} {
		for _, fresh := range []float64{0, 0.5, 1} {
			for _, sign := range []float64{-1, 1} {
				s := memberState{wrong: noiseWrong, seen: noiseSeen}
				e := s.gradient(sign, z, fresh, false)
				if math.IsNaN(e) || math.Abs(e) > 1 || e*sign > 0 || math.IsNaN(s.wrong) {
					t.Errorf("label %v, score %v, fresh %v: gradient %v, wrong labels %v", sign, z, fresh, e, s.wrong)
				}
			}
		}
	}
}

// Each of many terms is in one class only, and the smoothing is the least there is: the products of the odds would overflow.
func TestOneSidedTermsHaveFiniteOdds(t *testing.T) {
	m := DefaultOptions().Votes
	m.Smoothing = floor
	const terms = 2000
	groups := make([]evidence.Group, 2*terms)
	var rows [2][]uint32
	for w := range groups {
		groups[w] = evidence.Grams
		rows[w%2] = append(rows[w%2], uint32(w))
	}
	d := evidenceOf(2, groups, []int32{0, 1, 0, 1}, rows[0], rows[1], rows[0], rows[1])
	l, _, err := m.Train(t.Context(), d, EpochOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i, label := range d.Labels {
		if z := l.Score(d.Row(i)); math.IsNaN(z) || math.IsInf(z, 0) || (z > 0) != (label == 1) {
			t.Errorf("document %d has the score %v", i, z)
		}
	}
}
