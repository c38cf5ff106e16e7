package metrics

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestSquareLoss(t *testing.T) {
	tests := []struct {
		name    string
		labels  []int32
		scores  []float64
		classes int
		want    float64
	}{
		// (1-3)² = 4, (-1-3)² = 16, (1-1)² = 0, (-1+1.5)² = 0.25; the mean of 20.25.
		{"two classes", []int32{1, 0, 1, 0}, []float64{0, 3, 0, 3, 0, 1, 0, -1.5}, 2, 20.25 / 4},
		{"of two classes only the difference counts", []int32{1, 0}, []float64{5, 8, -2, 1}, 2, (4. + 16) / 2},
		// True class 1: (-1-0)² + (1-2)² + (-1+1)² = 2; true class 0: (1-1)² + (-1-1)² + (-1-0)² = 5; over two messages of
		// three classes.
		{"three classes", []int32{1, 0}, []float64{0, 2, -1, 1, 1, 0}, 3, 7. / 6},
		{"no messages", nil, nil, 2, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := SquareLoss(test.labels, test.scores, test.classes); !near(got, test.want) {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}

func TestSquareLossIsAnUpperBoundOfZeroOneLoss(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 0))
	labels, scores := drawn(random, 1000, Identity(2))
	for i, label := range labels {
		row, predicted := scores[2*i:][:2], []int32{0}
		if row[1] > 0 {
			predicted[0] = 1
		}
		if SquareLoss([]int32{label}, row, 2) < ZeroOneLoss([]int32{label}, predicted) {
			t.Fatalf("label %d, scores %v", label, row)
		}
	}
}

func TestLogLossAndBrier(t *testing.T) {
	tests := []struct {
		name          string
		labels        []int32
		probabilities []float64
		classes       int
		log, brier    float64
	}{
		// -ln 1/2 - ln 1/4 = 3 ln 2; (1/2)² + (3/4)² = 13/16.
		{"two classes", []int32{1, 0}, []float64{0.5, 0.5, 0.25, 0.75}, 2, 3 * math.Ln2 / 2, 13. / 32},
		// -ln 1/2 - ln 1/8; (1/2)² + (1/4)² + (1/4)² = 3/8 and (1/8)² + (7/8)² + (6/8)² = 86/64; half of the mean.
		{"three classes", []int32{0, 1}, []float64{0.5, 0.25, 0.25, 0.125, 0.125, 0.75}, 3, 4 * math.Ln2 / 2, (3./8 + 86./64) / 4},
		{"certain and right", []int32{1, 0}, []float64{0, 1, 1, 0}, 2, 0, 0},
		{"certain and wrong", []int32{0}, []float64{0, 1}, 2, 15 * math.Ln10, 1},
		{"certain and wrong of three", []int32{0}, []float64{0, 1, 0}, 3, 15 * math.Ln10, 1},
		{"no messages", nil, nil, 2, 0, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := LogLoss(test.labels, test.probabilities, test.classes); !near(got, test.log) {
				t.Errorf("got a log loss of %v, want %v", got, test.log)
			}
			if got := Brier(test.labels, test.probabilities, test.classes); !near(got, test.brier) {
				t.Errorf("got a Brier score of %v, want %v", got, test.brier)
			}
		})
	}
}

func TestLossesOfTwoClassesAreThoseOfThreeOfWhichOneNeverComes(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 0))
	labels, scores := drawn(random, 200, Identity(2))
	two := Identity(2).All(scores)
	var three []float64
	squares, logs := 0., 0.
	for i, label := range labels {
		p := two[2*i+1]
		three = append(three, 1-p, p, 0)
		y := float64(label)
		squares += (p - y) * (p - y) / float64(len(labels))
		logs -= (y*math.Log(p) + (1-y)*math.Log1p(-p)) / float64(len(labels))
	}
	for _, got := range []float64{Brier(labels, two, 2), Brier(labels, three, 3)} {
		if !near(got, squares) {
			t.Errorf("got a Brier score of %v, want %v", got, squares)
		}
	}
	for _, got := range []float64{LogLoss(labels, two, 2), LogLoss(labels, three, 3)} {
		if !near(got, logs) {
			t.Errorf("got a log loss of %v, want %v", got, logs)
		}
	}
}

func TestLogLossOfThreeClassesAgreesWithScikitLearn(t *testing.T) {
	want := readFixture[calibrationFixture](t, "sklearn_calibration.json").Classes
	if got := LogLoss(want.Labels, want.Probabilities, 3); !near(got, want.LogLoss) {
		t.Errorf("got %v, want %v", got, want.LogLoss)
	}
}
