package models

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"chaff/features"
)

func mustLinear(t testing.TB, bias []float64, weights [][]float64) *Linear {
	t.Helper()
	l, err := NewLinear(bias, weights)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestLinearScores(t *testing.T) {
	x := features.Vector{IDs: []uint32{0, 2}, Values: []float32{2, 1}}
	tests := []struct {
		name    string
		bias    []float64
		weights [][]float64
		want    []float64
		predict int
	}{
		// 0: 1 + 2*0.5 + 1*(-2) = 0;  1: -1 + 2*0 + 1*4 = 3;  2: 0 + 2*1 + 1*0 = 2
		{"each class has its affine score", []float64{1, -1, 0}, [][]float64{{0.5, 9, -2}, {0, 9, 4}, {1, 9, 0}}, []float64{0, 3, 2}, 1},
		// (-1 - 1) + 2*(0 - 0.5) + 1*(4 + 2) = 3
		{"two classes have the difference", []float64{1, -1}, [][]float64{{0.5, 9, -2}, {0, 9, 4}}, []float64{0, 3}, 1},
		// (0.5 - 1) + 2*(0 - 0) + 1*(0.5 - 0) = 0
		{"a tie of two goes to the first", []float64{1, 0.5}, [][]float64{{0, 9, 0}, {0, -9, 0.5}}, []float64{0, 0}, 0},
		// 0: 0;  1: 1 + 2*1 - 1*1 = 2;  2: 2
		{"a tie of the highest goes to the first of them", []float64{0, 1, 2}, [][]float64{{0, 9, 0}, {1, 9, -1}, {0, 9, 0}}, []float64{0, 2, 2}, 1},
		{"the first class can win", []float64{5, 1, 2}, [][]float64{{0, 9, 0}, {1, 9, -1}, {0, 9, 0}}, []float64{5, 2, 2}, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			l := mustLinear(t, test.bias, test.weights)
			if got := l.Scores(nil, x); !slices.Equal(got, test.want) {
				t.Errorf("got scores %v, want %v", got, test.want)
			}
			if got := l.Scores([]float64{7, 7, 7, 7}, x); !slices.Equal(got, test.want) {
				t.Errorf("got scores %v in memory used before, want %v", got, test.want)
			}
			if got := l.Predict(x); got != test.predict {
				t.Errorf("got class %d, want %d", got, test.predict)
			}
			if got := Argmax(test.want); got != test.predict {
				t.Errorf("got Argmax %d, want %d", got, test.predict)
			}
			if l.Classes == 2 && l.Score(x) != test.want[1] {
				t.Errorf("got score %v, want %v", l.Score(x), test.want[1])
			}
		})
	}
}

// TestCollapseIsDifferenceOfRows compares the single row of two classes with the difference of two rows.
func TestCollapseIsDifferenceOfRows(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 0))
	const terms = 50
	bias := []float64{random.NormFloat64(), random.NormFloat64()}
	weights := newTable(2, terms)
	for c := range weights {
		for w := range weights[c] {
			weights[c][w] = 4 * random.NormFloat64()
		}
	}
	l := mustLinear(t, bias, weights)
	for range 100 {
		x := randomVector(random, 20, terms)
		scores := slices.Clone(bias)
		for c := range scores {
			for i, w := range x.IDs {
				scores[c] += weights[c][w] * float64(x.Values[i])
			}
		}
		// 20 weights of about 10, each rounded to 24 bits.
		if want, got := scores[1]-scores[0], l.Score(x); math.Abs(got-want) > 1e-5 {
			t.Fatalf("got score %v, want %v", got, want)
		}
	}
}

// randomVector returns a vector of n different terms.
func randomVector(random *rand.Rand, n, terms int) features.Vector {
	var x features.Vector
	for _, w := range random.Perm(terms)[:n] {
		x.IDs = append(x.IDs, uint32(w))
		x.Values = append(x.Values, float32(1+random.IntN(3)))
	}
	slices.Sort(x.IDs)
	return x
}

func TestLinearValidate(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	tests := []struct {
		name   string
		linear Linear
		want   string // "" is valid
	}{
		{"two classes with one row", Linear{2, 2, []float64{1}, []float32{1, 2}, nil}, ""},
		{"three classes with three rows", Linear{3, 1, []float64{1, 2, 3}, []float32{1, 2, 3}, nil}, ""},
		{"no terms", Linear{2, 0, []float64{1}, nil, nil}, ""},
		{"nothing", Linear{}, "linear model of 0 classes: must have at least 2"},
		{"one class", Linear{1, 1, []float64{1}, []float32{1}, nil}, "linear model of 1 classes: must have at least 2"},
		{"two classes with two biases", Linear{2, 1, []float64{1, 2}, []float32{1}, nil}, "linear model of 2 classes with 2 biases: must have 1"},
		{"a form with a bias for each member", Linear{2, 1, []float64{1, 2}, []float32{1}, Form{{0, make([]Bounds, 6), Bounds{3, 4}}, {6, make([]Bounds, 1), Bounds{}}}}, ""},
		{"a form without the bias of a member", Linear{2, 1, []float64{1}, []float32{1}, Form{{0, make([]Bounds, 6), Bounds{3, 4}}, {6, make([]Bounds, 1), Bounds{}}}},
			"linear model of 2 classes with 1 biases: must have 2"},
		{"a group in two members", Linear{2, 1, []float64{1, 2}, []float32{1}, Form{{0, make([]Bounds, 6), Bounds{}}, {5, make([]Bounds, 2), Bounds{}}}}, "member 1 has the groups 5 to 6"},
		{"a group that does not exist", Linear{2, 1, []float64{1}, []float32{1}, Form{{0, make([]Bounds, 8), Bounds{}}}}, "member 0 has the groups 0 to 7"},
		{"a bound below 0", Linear{2, 1, []float64{1}, []float32{1}, Form{{0, []Bounds{{-3, 1}}, Bounds{}}}}, "member 0 has the bound -3"},
		{"a bound that is no number", Linear{2, 1, []float64{1}, []float32{1}, Form{{0, []Bounds{{3, 1}}, Bounds{1, nan}}}}, "member 0 has the bound NaN"},
		{"a missing weight", Linear{3, 1, []float64{1, 2, 3}, []float32{1, 2}, nil}, "linear model of 1 terms with 2 weights: must have 3 for each term"},
		{"a term too many", Linear{2, 3, []float64{1}, []float32{1, 2}, nil}, "linear model of 3 terms with 2 weights: must have 1 for each term"},
		{"a negative number of terms", Linear{2, -1, []float64{1}, nil, nil}, "linear model of -1 terms with 0 weights: must have 1 for each term"},
		{"a bias that is no number", Linear{2, 1, []float64{nan}, []float32{1}, nil}, "bias 0 is NaN: not a finite number"},
		{"an infinite bias", Linear{3, 0, []float64{1, 2, -inf}, nil, nil}, "bias 2 is -Inf: not a finite number"},
		{"a weight that is no number", Linear{3, 2, []float64{1, 2, 3}, []float32{1, 2, 3, 4, float32(nan), 6}, nil}, "weight 1 of term 1 is NaN: not a finite number"},
		{"an infinite weight", Linear{2, 1, []float64{1}, []float32{float32(inf)}, nil}, "weight 0 of term 0 is +Inf: not a finite number"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var got string
			if err := test.linear.Validate(); err != nil {
				got = err.Error()
				if errors.Is(err, ErrNotFinite) != strings.Contains(got, "finite") {
					t.Errorf("%q and ErrNotFinite do not agree", got)
				}
			}
			if got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestNewLinearRefusesWhatIsNotFinite(t *testing.T) {
	tests := []struct {
		name   string
		bias   []float64
		weight float64
	}{
		{"a weight that is no number", []float64{0, 0, 0}, math.NaN()},
		{"an infinite weight", []float64{0, 0}, math.Inf(1)},
		{"a weight too large for float32", []float64{0, 0}, 1e39},
		{"a bias that is no number", []float64{0, math.NaN()}, 1},
		{"infinite biases whose difference is no number", []float64{math.Inf(1), math.Inf(1)}, 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			weights := newTable(len(test.bias), 2)
			weights[1][1] = test.weight
			if l, err := NewLinear(test.bias, weights); !errors.Is(err, ErrNotFinite) || l != nil {
				t.Errorf("got %v and error %v, want %v", l, err, ErrNotFinite)
			}
		})
	}
}

func TestLinearPanicsOnMistakes(t *testing.T) {
	two, three := mustLinear(t, []float64{0, 0}, newTable(2, 2)), mustLinear(t, []float64{0, 0, 0}, newTable(3, 2))
	beyond := features.Vector{IDs: []uint32{2}, Values: []float32{1}}
	tests := []struct {
		name string
		call func()
	}{
		{"one class", func() { _, _ = NewLinear([]float64{0}, newTable(1, 2)) }},
		{"more biases than rows", func() { _, _ = NewLinear([]float64{0, 0, 0}, newTable(2, 2)) }},
		{"rows of different lengths", func() { _, _ = NewLinear([]float64{0, 0}, [][]float64{{1, 2}, {1}}) }},
		{"Score of three classes", func() { three.Score(features.Vector{}) }},
		{"a term beyond the vocabulary, two classes", func() { two.Predict(beyond) }},
		{"a term beyond the vocabulary, three classes", func() { three.Predict(beyond) }},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("did not panic")
				}
			}()
			test.call()
		})
	}
}

func TestLinearAllocatesNothing(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 0))
	x := randomVector(random, 20, 100)
	for _, classes := range []int{2, 3, 16} {
		l := mustLinear(t, make([]float64, classes), newTable(classes, 100))
		dst := make([]float64, classes)
		if n := testing.AllocsPerRun(10, func() { l.Predict(x); dst = l.Scores(dst, x) }); n != 0 {
			t.Errorf("%d classes: got %v allocations, want none", classes, n)
		}
	}
}

// The vectors change, so that the weights are not all in the cache of the processor.
func BenchmarkScore300TermsOf500000(b *testing.B) {
	const terms, perDocument = 500_000, 300
	random := rand.New(rand.NewPCG(1, 0))
	for _, bench := range []struct {
		name    string
		classes int
	}{{"2 classes", 2}, {"20 classes", 20}} {
		b.Run(bench.name, func(b *testing.B) {
			l := &Linear{Classes: bench.classes, Terms: terms}
			l.Bias = make([]float64, l.Rows())
			l.Weights = make([]float32, terms*l.Rows())
			for i := range l.Weights {
				l.Weights[i] = random.Float32() - 0.5
			}
			xs := make([]features.Vector, 64)
			for i := range xs {
				for range perDocument {
					xs[i].IDs = append(xs[i].IDs, random.Uint32N(terms))
					xs[i].Values = append(xs[i].Values, 1)
				}
				slices.Sort(xs[i].IDs)
			}
			dst := make([]float64, bench.classes)
			b.ReportAllocs()
			b.SetBytes(perDocument * int64(4*l.Rows()))
			i := 0
			for b.Loop() {
				dst = l.Scores(dst, xs[i%len(xs)])
				i++
			}
		})
	}
}
