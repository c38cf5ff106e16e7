package metrics

import (
	"math"
	"reflect"
	"testing"
)

func TestConfusion(t *testing.T) {
	tests := []struct {
		name                string
		labels, predictions []int32
		classes             int
		want                Confusion
		of, takenFor        []int
		correct             int
		accuracy            float64
	}{
		{
			name:   "two classes",
			labels: []int32{0, 0, 0, 1, 1}, predictions: []int32{0, 1, 0, 1, 0}, classes: 2,
			want: Confusion{{2, 1}, {1, 1}}, of: []int{3, 2}, takenFor: []int{3, 2}, correct: 3, accuracy: 3. / 5,
		},
		{
			name:   "three classes, of which one is never predicted and one never true",
			labels: []int32{0, 0, 1, 1}, predictions: []int32{0, 2, 2, 0}, classes: 3,
			want: Confusion{{1, 0, 1}, {1, 0, 1}, {0, 0, 0}}, of: []int{2, 2, 0}, takenFor: []int{2, 0, 2}, correct: 1, accuracy: 1. / 4,
		},
		{
			name: "no messages", classes: 2,
			want: Confusion{{0, 0}, {0, 0}}, of: []int{0, 0}, takenFor: []int{0, 0},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := NewConfusion(test.labels, test.predictions, test.classes)
			if !reflect.DeepEqual(c, test.want) {
				t.Errorf("got %v, want %v", c, test.want)
			}
			if got := c.Messages(); got != len(test.labels) {
				t.Errorf("got %d messages, want %d", got, len(test.labels))
			}
			if got := c.Correct(); got != test.correct {
				t.Errorf("got %d correct, want %d", got, test.correct)
			}
			if got := c.Accuracy(); got != test.accuracy {
				t.Errorf("got accuracy %v, want %v", got, test.accuracy)
			}
			for class := range test.classes {
				if got := c.Of(class); got != test.of[class] {
					t.Errorf("got %d of class %d, want %d", got, class, test.of[class])
				}
				if got := c.TakenFor(class); got != test.takenFor[class] {
					t.Errorf("got %d taken for class %d, want %d", got, class, test.takenFor[class])
				}
			}
			loss := ZeroOneLoss(test.labels, test.predictions)
			if len(test.labels) > 0 && !near(loss, 1-test.accuracy) || len(test.labels) == 0 && loss != 0 {
				t.Errorf("got loss %v with accuracy %v", loss, test.accuracy)
			}
		})
	}
}

func TestSlicesOfDifferentLengthsPanic(t *testing.T) {
	calls := map[string]func(){
		"NewConfusion":     func() { NewConfusion([]int32{0}, nil, 2) },
		"ZeroOneLoss":      func() { ZeroOneLoss(nil, []int32{0}) },
		"OneMinusROCA":     func() { OneMinusROCA([]float64{1}, nil) },
		"ChooseThresholds": func() { ChooseThresholds([]float64{1}, nil, DefaultThresholdOptions()) },
		"ErrorCurve":       func() { ErrorCurve([]float64{1}, nil) },
		"ScoreHistogram":   func() { ScoreHistogram(nil, []bool{true}, 5) },
		"Cost":             func() { ThresholdOptions{Costs: "1:1:1"}.Cost(Thresholds{}, nil, []bool{true}) },
		"SquareLoss":       func() { SquareLoss([]int32{0}, []float64{1}, 2) },
		"LogLoss":          func() { LogLoss([]int32{0}, []float64{1, 2, 3}, 2) },
		"Brier":            func() { Brier(nil, []float64{1}, 2) },
		"Reliability":      func() { Reliability([]int32{0}, nil, 2) },
		"Calibrate":        func() { Calibrate([]int32{0, 1}, []float64{1, 2}, 2) },
		"Probabilities":    func() { Identity(2).Probabilities(nil, []float64{1}) },
		"Probability":      func() { Identity(3).Probability(1) },
		"CompareErrors":    func() { CompareErrors([]int32{0}, []int32{0}, nil) },
		"MeasureScores": func() {
			f := Measure([]int32{0}, []int32{0}, 2)
			f.MeasureScores(nil, nil, nil, 2)
		},
		"MeasureScores with probabilities of other classes": func() {
			f := Measure([]int32{0}, []int32{0}, 2)
			f.MeasureScores([]int32{0}, []float64{0, 1}, []float64{0, 0.5, 0.5}, 2)
		},
		"MeasureSpam": func() {
			f := Measure([]int32{0}, []int32{0}, 2)
			f.MeasureSpam(nil, nil)
		},
		"MeasureSpam of three classes": func() {
			f := Measure([]int32{0}, []int32{0}, 3)
			f.MeasureSpam([]float64{1}, []bool{false})
		},
	}
	for name, call := range calls {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("did not panic")
				}
			}()
			call()
		})
	}
}

// near reports whether two numbers are equal up to rounding.
func near(x, y float64) bool { return math.Abs(x-y) <= 1e-12*max(1, math.Abs(x), math.Abs(y)) }
