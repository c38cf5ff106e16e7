package models

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"chaff/features"
)

// linearFixture is testdata/sklearn_linear.json, made by the script beside it.
type linearFixture struct {
	Documents [][]float32        `json:"documents"`
	Labels    map[string][]int32 `json:"labels"` // by number of classes
	Online    []onlineCase       `json:"online"`
	Optima    []struct {
		Classes   int         `json:"classes"`
		L2        float64     `json:"l2"`
		Coef      [][]float64 `json:"coef"`
		Intercept []float64   `json:"intercept"`
		Loss      float64     `json:"loss"` // sum of the log losses, and the penalty
	} `json:"optima"`
	LeastSquares []float64 `json:"least_squares"` // bias, then weights
}

type onlineCase struct {
	Model          string      `json:"model"`
	Classes        int         `json:"classes"`
	ThroughOrigin  bool        `json:"through_origin"`
	Epochs         int         `json:"epochs"`
	LearningRate   float64     `json:"learning_rate"`
	Aggressiveness float64     `json:"aggressiveness"`
	Coef           [][]float64 `json:"coef"`
	Intercept      []float64   `json:"intercept"`
}

func (f *linearFixture) dataset(classes int) *features.Dataset {
	return matrix(classes, f.Labels[strconv.Itoa(classes)], f.Documents)
}

func readLinearFixture(t *testing.T) *linearFixture {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "sklearn_linear.json"))
	if err != nil {
		t.Fatal(err)
	}
	f := new(linearFixture)
	if err := json.Unmarshal(data, f); err != nil {
		t.Fatal(err)
	}
	if len(f.Online) == 0 || len(f.Optima) == 0 || len(f.LeastSquares) == 0 {
		t.Fatal("the fixture lacks cases")
	}
	return f
}

// trainer returns the trainer of the case.
func (test onlineCase) trainer() (m settings, p Passes) {
	p = Passes{Epochs: test.Epochs, Listed: true, ThroughOrigin: test.ThroughOrigin}
	if test.Model == "passive-aggressive" {
		return &PassiveAggressive{Passes: p, Aggressiveness: test.Aggressiveness}, p
	}
	return &Perceptron{Passes: p, Steps: Steps{LearningRate: test.LearningRate}, Averaged: test.Model == "averaged perceptron"}, p
}

// The weights are compared before they become float32. scikit-learn has a perceptron for each of three classes, as we have.
func TestOnlineLearnersAgreeWithScikitLearn(t *testing.T) {
	fixture := readLinearFixture(t)
	for _, test := range fixture.Online {
		name := fmt.Sprintf("%s, %d classes, %d epochs, through the origin %v, rate %v, C %v",
			test.Model, test.Classes, test.Epochs, test.ThroughOrigin, test.LearningRate, test.Aggressiveness)
		t.Run(name, func(t *testing.T) {
			d := fixture.dataset(test.Classes)
			m, p := test.trainer()
			l := m.newLearner(d).(passLearner)
			_, report, err := epochs(t.Context(), m, p, newSorted(d), l, EpochOptions{}, "")
			if err != nil {
				t.Fatal(err)
			}
			if len(report.Epochs) != test.Epochs {
				t.Fatalf("training ended after %d epochs, want %d", len(report.Epochs), test.Epochs)
			}
			got := snapshot(nil, l, 1)
			wantAllNear(t, "bias", got.bias, test.Intercept, 1e-9)
			for r, want := range test.Coef {
				wantAllNear(t, fmt.Sprintf("weights of row %d", r), got.row(r), want, 1e-9)
			}
		})
	}
}

// penalised is the loss of Softmax by its definition.
func penalised(l *Linear, d *features.Dataset, l2 float64) float64 {
	var loss float64
	for i, c := range d.Labels {
		scores := l.Scores(nil, d.Row(i))
		var sum float64
		for _, z := range scores {
			sum += math.Exp(z)
		}
		loss -= math.Log(math.Exp(scores[c]) / sum)
	}
	for _, w := range l.Weights {
		loss += l2 / 2 * float64(w) * float64(w)
	}
	return loss
}

func TestSoftmaxAgreesWithScikitLearn(t *testing.T) {
	fixture := readLinearFixture(t)
	for _, test := range fixture.Optima {
		d := fixture.dataset(test.Classes)
		t.Run(fmt.Sprintf("%d classes, L2 %v", test.Classes, test.L2), func(t *testing.T) {
			m := Softmax{Passes: Passes{Epochs: 1500, Order: OrderRandom, Seed: 1}, LearningRate: 0.5, L2: test.L2}
			l, _, err := m.Train(t.Context(), d, EpochOptions{})
			if err != nil {
				t.Fatal(err)
			}
			loss := penalised(l, d, test.L2)
			if loss < test.Loss*(1-1e-6) || loss > test.Loss*(1+1e-3) {
				t.Errorf("got the loss %v, want at most a thousandth more than %v", loss, test.Loss)
			}
			for r, row := range test.Coef {
				for w, want := range row {
					wantNear(t, "weight", float64(l.Weights[w*l.Rows()+r]), want, 0.05)
				}
			}
		})
	}
}

func TestLMSFindsTheLeastSquares(t *testing.T) {
	fixture := readLinearFixture(t)
	bits := make([][]float32, len(fixture.Documents))
	for i, document := range fixture.Documents {
		for _, count := range document[:5] {
			bits[i] = append(bits[i], min(count, 1))
		}
	}
	d := matrix(2, fixture.Labels["2"], bits)
	tests := []struct {
		name      string
		model     LMS
		tolerance float64
	}{
		{"batch", LMS{Descent: Descent{Passes: Passes{Epochs: 3000}, Steps: Steps{LearningRate: 0.5}, Method: MethodBatch}}, 1e-6},
		{"stochastic", LMS{Descent: Descent{
			Passes: Passes{Epochs: 1000, Order: OrderRandom, Seed: 1},
			Steps:  Steps{LearningRate: 0.5, Decay: RateInverseRoot}, Method: MethodStochastic,
		}}, 0.02},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			l, _, err := test.model.Train(t.Context(), d, EpochOptions{})
			if err != nil {
				t.Fatal(err)
			}
			got := append([]float64(nil), l.Bias...)
			for _, w := range l.Weights {
				got = append(got, float64(w))
			}
			wantAllNear(t, "bias and weights", got, fixture.LeastSquares, test.tolerance)
		})
	}
}
