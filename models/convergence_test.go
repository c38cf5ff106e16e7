package models

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"chaff/features"
)

// separable is a data set made from weights that separate it.
type separable struct {
	*features.Dataset
	margin float64 // of weights of length 1
}

// newSeparable returns random documents that random weights of length 1 separate with at least the given margin. apart is the
// margin of scores for a class: that of the perceptrons of each class, or that of a multi-class perceptron.
func newSeparable(random *rand.Rand, classes, n int, origin bool, apart func(scores []float64, c int) float64) separable {
	terms := 2 + random.IntN(6)
	truth := newParams(n, terms)
	var squares float64
	for i := range truth.weights {
		truth.weights[i] = random.NormFloat64()
		squares += truth.weights[i] * truth.weights[i]
	}
	if !origin {
		for r := range truth.bias {
			truth.bias[r] = random.NormFloat64()
			squares += truth.bias[r] * truth.bias[r]
		}
	}
	least := 0.02 + 0.2*random.Float64()
	s := separable{margin: math.Inf(1)}
	var labels []int32
	var documents [][]float32
	for wanted := 3*classes + random.IntN(40); len(labels) < wanted; {
		document := make([]float32, terms)
		for w := range document {
			document[w] = float32(2 * random.NormFloat64())
		}
		c := len(labels) % classes // each class needs documents
		margin := apart(truth.scores(make([]float64, n), vectorOf(document)), c) / math.Sqrt(squares)
		if margin < least {
			if random.IntN(500) == 0 { // these weights may leave a class no room
				return newSeparable(random, classes, n, origin, apart)
			}
			continue
		}
		s.margin = min(s.margin, margin)
		labels, documents = append(labels, int32(c)), append(documents, document)
	}
	s.Dataset = matrix(classes, labels, documents)
	return s
}

// rowsApart is the least margin of all rows.
func rowsApart(scores []float64, c int) float64 {
	margin := math.Inf(1)
	for r, z := range scores {
		margin = min(margin, target(len(scores), r, c)*z)
	}
	return margin
}

// classesApart is by how much the score of c is above all others.
func classesApart(scores []float64, c int) float64 {
	margin := math.Inf(1)
	for k, z := range scores {
		if k != c {
			margin = min(margin, scores[c]-z)
		}
	}
	return margin
}

// radius is the largest length of a document, with 1 for the bias.
func radius(d *features.Dataset, origin bool) float64 {
	var most float64
	for i := range d.Len() {
		squares := 1.0
		if origin {
			squares = 0
		}
		for _, f := range d.Row(i).Values {
			squares += float64(f) * float64(f)
		}
		most = max(most, math.Sqrt(squares))
	}
	return most
}

// wantWithinBounds wants the updates to be within the bound that is reported, and that of the weights the data was made from.
func wantWithinBounds(t *testing.T, s Separation, radius, margin float64) {
	t.Helper()
	wantNear(t, "radius", s.Radius, radius, 1e-9*radius)
	if s.UpdateBound == nil {
		t.Fatal("got no bound")
	}
	if float64(s.Updates) > *s.UpdateBound {
		t.Errorf("got %d updates, more than the reported bound %v", s.Updates, *s.UpdateBound)
	}
	if bound := math.Pow(radius/margin, 2); float64(s.Updates) > bound {
		t.Errorf("got %d updates, more than the bound %v of the weights that the data is made from", s.Updates, bound)
	}
	bound := math.Pow(s.Radius/s.GeometricMargin, 2)
	wantNear(t, "bound", *s.UpdateBound, bound, 1e-9*bound)
}

// wantMargins wants the margins to be those of a row of weights that scores documents of the class by apart.
func wantMargins(t *testing.T, s Separation, margin, norm float64) {
	t.Helper()
	// The weights of a model are float32, the margin may be the small difference of large numbers.
	wantNear(t, "margin", s.Margin, margin, 1e-5*norm)
	wantNear(t, "geometric margin", s.GeometricMargin, margin/norm, 1e-5)
}

// lengthOf is the length of row r of l, its bias included.
func lengthOf(l *Linear, r int) float64 {
	squares := l.Bias[r] * l.Bias[r]
	for w := range l.Terms {
		weight := float64(l.Weights[w*l.Rows()+r])
		squares += weight * weight
	}
	return math.Sqrt(squares)
}

func wantConverged(t *testing.T, report Report, separations int) *Convergence {
	t.Helper()
	c := report.Convergence
	if c == nil || !c.Converged {
		t.Fatalf("got %+v, want a convergence", c)
	}
	last := report.Epochs[len(report.Epochs)-1]
	if c.Epochs != len(report.Epochs) || last.Updates != 0 || last.Train.Loss != 0 {
		t.Errorf("got %d epochs, the last one %+v, want no update in the last of %d", c.Epochs, last, len(report.Epochs))
	}
	updates := 0
	for _, e := range report.Epochs {
		updates += e.Updates
	}
	if c.Updates != updates {
		t.Errorf("got %d updates, want the sum over all epochs, %d", c.Updates, updates)
	}
	if len(c.Separations) != separations {
		t.Fatalf("got %d separations, want %d", len(c.Separations), separations)
	}
	return c
}

// chance returns settings that the theorem is about.
func chance(random *rand.Rand) (Passes, Steps) {
	p := Passes{Epochs: 100_000, Seed: random.Uint64(), Order: OrderRandom, ThroughOrigin: random.IntN(2) == 0}
	if random.IntN(2) == 0 {
		p.Order = OrderFixed
	}
	return p, Steps{LearningRate: math.Exp(random.NormFloat64()), Decay: RateConstant, Start: StartZeros}
}

const separableSets = 150

func TestPerceptronConvergesWithinTheBound(t *testing.T) {
	for seed := range uint64(separableSets) {
		for _, classes := range []int{2, 3} {
			t.Run(fmt.Sprintf("%d classes, seed %d", classes, seed), func(t *testing.T) {
				random := rand.New(rand.NewPCG(seed, uint64(classes)))
				p, steps := chance(random)
				n := rowCount(classes)
				d := newSeparable(random, classes, n, p.ThroughOrigin, rowsApart)
				l, report, err := Perceptron{Passes: p, Steps: steps}.Train(t.Context(), d.Dataset, EpochOptions{})
				if err != nil {
					t.Fatal(err)
				}
				c := wantConverged(t, report, n)
				weights := rowsOfLinear(l)
				for r, s := range c.Separations {
					if want := d.Classes[r]; n > 1 && s.Class != want || n == 1 && s.Class != "" {
						t.Errorf("got a separation of %q, want %q", s.Class, want)
					}
					margin := math.Inf(1)
					for i, label := range d.Labels {
						z := weights.scores(make([]float64, n), d.Row(i))[r]
						margin = min(margin, target(n, r, int(label))*z)
					}
					wantMargins(t, s, margin, lengthOf(l, r))
					// A row of the true weights is no longer than all of them, so its margin is at least theirs.
					wantWithinBounds(t, s, radius(d.Dataset, p.ThroughOrigin), d.margin)
				}
			})
		}
	}
}

func TestMulticlassPerceptronConverges(t *testing.T) {
	for seed := range uint64(separableSets) {
		for _, classes := range []int{2, 3, 5} {
			random := rand.New(rand.NewPCG(seed, uint64(classes)))
			p, steps := chance(random)
			d := newSeparable(random, classes, classes, p.ThroughOrigin, classesApart)
			l, report, err := MulticlassPerceptron{Passes: p, Steps: steps}.Train(t.Context(), d.Dataset, EpochOptions{})
			if err != nil {
				t.Fatal(err)
			}
			wantConverged(t, report, 0)
			if got := accuracyOf(l, d.Dataset); got != 100 {
				t.Errorf("%d classes, seed %d: %v%% are right, want all", classes, seed, got)
			}
		}
	}
}

// rowsOfLinear returns the weights of a model as rows.
func rowsOfLinear(l *Linear) *params {
	v := newParams(l.Rows(), l.Terms)
	copy(v.bias, l.Bias)
	for i, w := range l.Weights {
		v.weights[i] = float64(w)
	}
	return v
}

// The rows are (b; w).
//
//	epoch 1   f = (2), t = +1: z = 0, a tie        (1; 2)
//	          f = (0), t = -1: z = 1, a mistake    (0; 2)
//	epoch 2   f = (2), t = +1: z = 4, right
//	          f = (0), t = -1: z = 0, a tie        (-1; 2)
//	epoch 3   z = 3 and z = -1, both right
//
// R = sqrt(1 + 4), gamma = min(3, 1) = 1, ||(b, w)|| = sqrt(1 + 4), and the bound is (sqrt(5) sqrt(5) / 1)^2 = 25.
func TestConvergenceByHand(t *testing.T) {
	d := matrix(2, []int32{1, 0}, [][]float32{{2}, {0}})
	_, report := mustTrain(t, Perceptron{Passes: Passes{Epochs: 9, Listed: true}, Steps: Steps{LearningRate: 1}}, d, EpochOptions{})
	c := wantConverged(t, report, 1)
	got := c.Separations[0]
	if c.Epochs != 3 || c.Updates != 3 || got.Updates != 3 {
		t.Errorf("got %+v, want 3 epochs and 3 updates", c)
	}
	wantNear(t, "radius", got.Radius, math.Sqrt(5), 1e-12)
	wantNear(t, "margin", got.Margin, 1, 1e-12)
	wantNear(t, "geometric margin", got.GeometricMargin, 1/math.Sqrt(5), 1e-12)
	wantNear(t, "bound", *got.UpdateBound, 25, 1e-9)
}

func TestNoBoundWhereTheTheoremSaysNothing(t *testing.T) {
	base := Passes{Epochs: 1000, Order: OrderRandom, Seed: 1}
	tests := []struct {
		name  string
		steps Steps
		bound bool
	}{
		{"the names of what the theorem wants", Steps{LearningRate: 3, Decay: RateConstant, Start: StartZeros}, true},
		{"what empty settings mean", Steps{LearningRate: 1}, true},
		{"a random start", Steps{LearningRate: 1, Start: StartRandom}, false},
		{"the rate 1/n", Steps{LearningRate: 1, Decay: RateInverse}, false},
		{"the rate 1/sqrt(n)", Steps{LearningRate: 1, Decay: RateInverseRoot}, false},
	}
	d := matrix(2, []int32{0, 1, 1, 0}, [][]float32{{1, 0, 1}, {0, 1, 1}, {0, 1, 0}, {1, 0, 0}})
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, report := mustTrain(t, Perceptron{Passes: base, Steps: test.steps}, d, EpochOptions{})
			s := wantConverged(t, report, 1).Separations[0]
			if got := s.UpdateBound != nil; got != test.bound {
				t.Errorf("got a bound: %v, want %v", got, test.bound)
			}
			if !(s.Margin > 0 && s.GeometricMargin > 0 && s.Radius > 0) {
				t.Errorf("got %+v, want a margin and a radius", s)
			}
		})
	}
}

func TestOnlyPerceptronsReportConvergence(t *testing.T) {
	d := randomMatrix(1, 20, 5, 2)
	for _, name := range Names() {
		trainer, kind, err := DefaultOptions().New(name, 1)
		if err != nil {
			t.Fatal(err)
		}
		d.Kind = kind
		_, report, err := trainer.Train(t.Context(), d, EpochOptions{})
		if err != nil {
			continue // the steps may be too long for counts
		}
		want := slices.Contains([]string{"perceptron", "averaged-perceptron", "multiclass-perceptron"}, name)
		if got := report.Convergence != nil; got != want {
			t.Errorf("%s: got a convergence: %v, want %v", name, got, want)
		}
	}
}
