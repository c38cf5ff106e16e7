package models

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestAnEmptyVocabularyIsNamedWhereTrainingDiverges(t *testing.T) {
	d := randomMatrix(1, 60, 0, 2)
	m := Softmax{Passes: Passes{Epochs: 30, Order: OrderRandom, Seed: 1}, LearningRate: 1000}
	if _, _, err := m.Train(t.Context(), d, EpochOptions{}); !errors.Is(err, ErrDiverged) || !strings.Contains(err.Error(), "; the vocabulary is empty") {
		t.Errorf("got %v", err)
	}
}

func TestTooHighRatesAreNamed(t *testing.T) {
	p := Passes{Epochs: 30, Order: OrderRandom, Seed: 1}
	steps := func(eta float64) Steps { return Steps{LearningRate: eta, Decay: RateConstant, Start: StartZeros} }
	tests := []struct {
		name    string
		good    Trainer
		bad     Trainer
		setting string
	}{
		{
			"least mean squares", LMS{Descent: Descent{Passes: p, Steps: steps(0.003)}}, LMS{Descent: Descent{Passes: p, Steps: steps(0.5)}},
			"models.lms.learning_rate=0.5",
		},
		{
			"least mean squares, batch", LMS{Descent: Descent{Passes: p, Steps: steps(0.01), Method: MethodBatch}}, LMS{Descent: Descent{Passes: p, Steps: steps(2), Method: MethodBatch}},
			"models.lms.learning_rate=2",
		},
		{
			"least mean squares that overflow", LMS{Descent: Descent{Passes: p, Steps: steps(0.003)}}, LMS{Descent: Descent{Passes: p, Steps: steps(1e6)}},
			"models.lms.learning_rate=1e+06",
		},
		{
			"tanh", Tanh{Descent: Descent{Passes: p, Steps: steps(0.003)}}, Tanh{Descent: Descent{Passes: p, Steps: steps(1000)}},
			"models.tanh.learning_rate=1000",
		},
		{
			"tanh, batch", Tanh{Descent: Descent{Passes: p, Steps: steps(0.01), Method: MethodBatch}}, Tanh{Descent: Descent{Passes: p, Steps: steps(1000), Method: MethodBatch}},
			"models.tanh.learning_rate=1000",
		},
		{
			"softmax", Softmax{Passes: p, LearningRate: 0.1}, Softmax{Passes: p, LearningRate: 100},
			"models.softmax.learning_rate=100",
		},
	}
	// A third of the labels contradict: no weights are right about the rest of the documents.
	for _, classes := range []int{2, 3} {
		d := randomMatrix(1, 60, 12, classes)
		for i := range d.Labels[:20] {
			d.Labels[i] = int32((i/2 + i) % classes)
		}
		for _, test := range tests {
			t.Run(fmt.Sprintf("%s, %d classes", test.name, classes), func(t *testing.T) {
				mustTrain(t, test.good, d, EpochOptions{})
				l, report, err := test.bad.Train(t.Context(), d, EpochOptions{})
				if !errors.Is(err, ErrDiverged) || !strings.Contains(err.Error(), ", with "+test.setting) {
					t.Fatalf("got error %v, want %v that names %s", err, ErrDiverged, test.setting)
				}
				if l != nil || report.Epochs != nil {
					t.Errorf("got a model or epochs together with the error")
				}
			})
		}
	}
}

// Whatever the rate, there are finite weights or an error that says why not.
func TestNoRateEndsInWeightsThatAreNoNumbers(t *testing.T) {
	refused := 0
	for _, classes := range []int{2, 3} {
		d := randomMatrix(1, 60, 12, classes)
		for _, eta := range []float64{1e-6, 0.01, 1, 100, 1e6} {
			p := Passes{Epochs: 30, Order: OrderRandom, Seed: 1}
			steps := Steps{LearningRate: eta, Decay: RateConstant, Start: StartRandom}
			for name, m := range map[string]Trainer{
				"perceptron":                Perceptron{Passes: p, Steps: steps},
				"multi-class perceptron":    MulticlassPerceptron{Passes: p, Steps: steps},
				"passive-aggressive":        PassiveAggressive{Passes: p, Aggressiveness: eta},
				"least mean squares":        LMS{Descent: Descent{Passes: p, Steps: steps}},
				"least mean squares, batch": LMS{Descent: Descent{Passes: p, Steps: steps, Method: MethodBatch}},
				"tanh":                      Tanh{Descent: Descent{Passes: p, Steps: steps}},
				"tanh, batch":               Tanh{Descent: Descent{Passes: p, Steps: steps, Method: MethodBatch}},
				"softmax":                   Softmax{Passes: p, LearningRate: eta},
				"softmax with a penalty":    Softmax{Passes: p, LearningRate: eta, L2: eta},
			} {
				l, _, err := m.Train(t.Context(), d, EpochOptions{})
				switch {
				case err != nil && !errors.Is(err, ErrDiverged):
					t.Errorf("%s, %d classes, %v: got error %v, want %v", name, classes, eta, err, ErrDiverged)
				case err != nil:
					refused++
				case l.Validate() != nil:
					t.Errorf("%s, %d classes, %v: %v", name, classes, eta, l.Validate())
				}
			}
		}
	}
	if refused == 0 {
		t.Errorf("no training diverged")
	}
}

// Each step of a batch lowers the loss, which is known for weights of 0.
func TestBatchLossesOnlyFall(t *testing.T) {
	p := Passes{Epochs: 15, Order: OrderRandom}
	steps := Steps{LearningRate: 0.01, Decay: RateConstant, Start: StartZeros}
	for _, classes := range []int{2, 3} {
		rows := float64(rowCount(classes))
		d := randomMatrix(1, 60, 12, classes)
		for _, test := range []struct {
			name  string
			model Trainer
			start float64
		}{
			{"least mean squares", LMS{Descent: Descent{Passes: p, Steps: steps, Method: MethodBatch}}, rows / 2},
			{"tanh", Tanh{Descent: Descent{Passes: p, Steps: steps, Method: MethodBatch}}, rows},
		} {
			t.Run(fmt.Sprintf("%s, %d classes", test.name, classes), func(t *testing.T) {
				_, report := mustTrain(t, test.model, d, EpochOptions{})
				if len(report.Epochs) != p.Epochs || report.Passes != p.Epochs {
					t.Errorf("got %d epochs, %d passes, want %d", len(report.Epochs), report.Passes, p.Epochs)
				}
				before := test.start
				for _, e := range report.Epochs {
					if e.Train.Loss >= before {
						t.Errorf("epoch %d ends with the loss %v, not below %v", e.Epoch, e.Train.Loss, before)
					}
					before = e.Train.Loss
				}
			})
		}
	}
}
