package models

import (
	"fmt"
	"testing"

	"chaff/features"
)

// logical is a function of bits, as the documents it is about and their classes: 1 is true.
type logical struct {
	name   string
	inputs [][]float32
	values []int32
	// Weights set by hand that compute it; nil if no linear function does.
	weights []float64
	bias    float64
}

func (f logical) dataset() *features.Dataset {
	d := matrix(2, f.values, f.inputs)
	d.Kind = features.Bits
	return d
}

// logicals are NOT of one bit and the others of two. Source: cs440 lecture 16, "Linear Classifiers in General", for OR and
// AND; grosse lecture 3, Examples 3 and 5, for XOR.
func logicals() []logical {
	two := [][]float32{{0, 0}, {0, 1}, {1, 0}, {1, 1}}
	return []logical{
		{"NOT", [][]float32{{0}, {1}}, []int32{1, 0}, []float64{-2}, 1},
		{"AND", two, []int32{0, 0, 0, 1}, []float64{1, 1}, -1.5},
		{"OR", two, []int32{0, 1, 1, 1}, []float64{1, 1}, -0.5},
		{"XOR", two, []int32{0, 1, 1, 0}, nil, 0},
		{
			"XOR with the product of the bits as a third", [][]float32{{0, 0, 0}, {0, 1, 0}, {1, 0, 0}, {1, 1, 1}},
			[]int32{0, 1, 1, 0}, []float64{1, 1, -2}, -0.5,
		},
	}
}

func TestLinearSetByHandComputesLogic(t *testing.T) {
	for _, f := range logicals() {
		if f.weights == nil {
			continue
		}
		t.Run(f.name, func(t *testing.T) {
			l := mustLinear(t, []float64{0, f.bias}, [][]float64{make([]float64, len(f.weights)), f.weights})
			for i, input := range f.inputs {
				if got := l.Predict(vectorOf(input)); got != int(f.values[i]) {
					t.Errorf("of %v: got %d, want %d", input, got, f.values[i])
				}
			}
		})
	}
}

// perceptrons returns one of each kind that reports whether it converged.
func perceptrons(passes Passes, start string) map[string]Trainer {
	steps := Steps{LearningRate: 1, Decay: RateConstant, Start: start}
	return map[string]Trainer{
		"perceptron":             Perceptron{Passes: passes, Steps: steps},
		"averaged perceptron":    Perceptron{Passes: passes, Steps: steps, Averaged: true},
		"multi-class perceptron": MulticlassPerceptron{Passes: passes, Steps: steps},
	}
}

func TestPerceptronsLearnLogic(t *testing.T) {
	const epochs = 200
	for _, f := range logicals() {
		for _, order := range []string{OrderFixed, OrderRandom} {
			for _, start := range []string{StartZeros, StartRandom} {
				for name, m := range perceptrons(Passes{Epochs: epochs, Order: order, Seed: 1}, start) {
					t.Run(fmt.Sprintf("%s, %s, order %s, start %s", f.name, name, order, start), func(t *testing.T) {
						wantLearned(t, m, f, epochs)
					})
				}
			}
		}
	}
}

// wantLearned wants m to converge to f if f can be computed by a linear function, and else not to converge at all.
func wantLearned(t *testing.T, m Trainer, f logical, epochs int) {
	t.Helper()
	d := f.dataset()
	l, report, err := m.Train(t.Context(), d, EpochOptions{})
	if err != nil {
		t.Fatal(err)
	}
	c := report.Convergence
	if f.weights == nil {
		wantNotSeparable(t, report, epochs)
		return
	}
	if !c.Converged || c.Epochs >= epochs {
		t.Errorf("got %+v, want a convergence", c)
	}
	if p, isPerceptron := m.(Perceptron); isPerceptron && p.Averaged {
		return // the mean of weights that do not separate yet need not separate
	}
	for i := range d.Len() {
		if got := l.Predict(d.Row(i)); got != int(f.values[i]) {
			t.Errorf("of %v: got %d, want %d", f.inputs[i], got, f.values[i])
		}
	}
}

// wantNotSeparable wants all epochs to be trained and none of them to be without an update.
func wantNotSeparable(t *testing.T, report Report, epochs int) {
	t.Helper()
	c := report.Convergence
	if c.Converged || c.Epochs != epochs || len(report.Epochs) != epochs || len(c.Separations) != 0 {
		t.Errorf("got %+v, want no convergence within %d epochs", c, epochs)
	}
	for _, e := range report.Epochs {
		if e.Updates == 0 {
			t.Errorf("epoch %d made no update", e.Epoch)
		}
	}
}

// The mean of all translations of a pattern is the same for every pattern of 4 bits: 4/16 everywhere. So no linear function
// tells two patterns apart wherever they are. Source: grosse lecture 3, Example 4.
func TestPerceptronsDoNotLearnPatternsInAnyTranslation(t *testing.T) {
	const size, epochs = 16, 100
	patterns := [][]int{{0, 1, 2, 3}, {0, 1, 4, 6}}
	var documents [][]float32
	var labels []int32
	for c, pattern := range patterns {
		for by := range size {
			document := make([]float32, size)
			for _, at := range pattern {
				document[(at+by)%size] = 1
			}
			documents, labels = append(documents, document), append(labels, int32(c))
		}
	}
	d := matrix(2, labels, documents)
	d.Kind = features.Bits
	for name, m := range perceptrons(Passes{Epochs: epochs, Order: OrderRandom, Seed: 1}, StartZeros) {
		t.Run(name, func(t *testing.T) {
			_, report, err := m.Train(t.Context(), d, EpochOptions{})
			if err != nil {
				t.Fatal(err)
			}
			wantNotSeparable(t, report, epochs)
		})
	}

	// In one place each, the patterns are apart.
	d = matrix(2, []int32{0, 1}, [][]float32{documents[0], documents[size]})
	for name, m := range perceptrons(Passes{Epochs: epochs, Order: OrderRandom, Seed: 1}, StartZeros) {
		t.Run(name+", without translation", func(t *testing.T) {
			_, report, err := m.Train(t.Context(), d, EpochOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if !report.Convergence.Converged {
				t.Errorf("got no convergence")
			}
		})
	}
}
