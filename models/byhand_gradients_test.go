package models_test

import (
	"math"
	"testing"

	"chaff/features"
	"chaff/models"
)

// twoDocuments are the first two of threeDocuments: (1, 0) with the target +1, and (1, 1) with -1.
func twoDocuments() *features.Dataset {
	return dataset(features.Counts, 2, 2, []int32{1, 0}, []float32{1, 0}, []float32{1, 1})
}

// The rows are (b; w_1, w_2), and dL/dz = -(t - z).
//
//	stochastic, eta = 1/4
//	    f = (1, 0), t = +1: z = 0,   dL/dz = -1    (1/4; 1/4, 0)
//	    f = (1, 1), t = -1: z = 1/2, dL/dz = 3/2   (-1/8; -1/8, -3/8)
//	batch, eta = 1/4, N = 2
//	    epoch 1: -1 (1; 1, 0) + 1 (1; 1, 1) = (0; 0, 1), times -1/4 * 1/2          (0; 0, -1/8)
//	    epoch 2: z = 0 and -1/8: -1 (1; 1, 0) + 7/8 (1; 1, 1) = (-1/8; -1/8, 7/8)  (1/64; 1/64, -15/64)
func TestLMSByHand(t *testing.T) {
	quarter := models.Steps{LearningRate: 0.25}
	runByHand(t, twoDocuments(), []handCase{
		{
			"a step after each document", models.LMS{Descent: models.Descent{Passes: epochs(1), Steps: quarter, Method: models.MethodStochastic}},
			[][]float64{{-1. / 8, -1. / 8, -3. / 8}},
		},
		{
			"a step after each pass", models.LMS{Descent: models.Descent{Passes: epochs(1), Steps: quarter, Method: models.MethodBatch}},
			[][]float64{{0, 0, -1. / 8}},
		},
		{
			"two steps after a pass each", models.LMS{Descent: models.Descent{Passes: epochs(2), Steps: quarter, Method: models.MethodBatch}},
			[][]float64{{1. / 64, 1. / 64, -15. / 64}},
		},
		{
			// The second step with 1/8: -1/8 * 1/2 * (-1/8; -1/8, 7/8) is added to (0; 0, -1/8).
			"a decaying rate of a batch falls with the steps",
			models.LMS{Descent: models.Descent{Passes: epochs(2), Steps: models.Steps{LearningRate: 0.25, Decay: models.RateInverse}, Method: models.MethodBatch}},
			[][]float64{{1. / 128, 1. / 128, -23. / 128}},
		},
		{
			// The second step with 1/8: -1/8 * 3/2 = -3/16.
			"a decaying rate falls with the documents",
			models.LMS{Descent: models.Descent{Passes: epochs(1), Steps: models.Steps{LearningRate: 0.25, Decay: models.RateInverse}}},
			[][]float64{{1. / 16, 1. / 16, -3. / 16}},
		},
		{
			// z = 0: 1/4 (1, 0). z = 1/4: dL/dz = 5/4: (1/4 - 5/16, -5/16).
			"through the origin", models.LMS{Descent: models.Descent{Passes: origin(epochs(1)), Steps: quarter}}, [][]float64{{0, -1. / 16, -5. / 16}},
		},
	})
}

// The rows are (b; w_1, w_2), and dL/dz = -2 (t - y)(1 - y^2) with y = tanh z.
//
//	stochastic, eta = 1/4
//	    f = (1, 0), t = +1: z = 0, y = 0, dL/dz = -2                      (1/2; 1/2, 0)
//	    f = (1, 1), t = -1: z = 1, y = tanh 1, dL/dz = 2 (1+y)(1-y^2)     (1/2; 1/2, 0) - 1/4 dL/dz (1; 1, 1)
//	batch, eta = 1/4, N = 2
//	    -2 (1; 1, 0) + 2 (1; 1, 1) = (0; 0, 2), times -1/4 * 1/2          (0; 0, -1/4)
func TestTanhByHand(t *testing.T) {
	quarter := models.Steps{LearningRate: 0.25}
	y := math.Tanh(1)
	step := (1 + y) * (1 - y*y) / 2
	runByHand(t, twoDocuments(), []handCase{
		{
			"a step after each document", models.Tanh{Descent: models.Descent{Passes: epochs(1), Steps: quarter, Method: models.MethodStochastic}},
			[][]float64{{0.5 - step, 0.5 - step, -step}},
		},
		{
			"a step after each pass", models.Tanh{Descent: models.Descent{Passes: epochs(1), Steps: quarter, Method: models.MethodBatch}},
			[][]float64{{0, 0, -0.25}},
		},
	})
	// Each of three classes has a row of its own. f = (1), class 0: all z = 0, so dL/dz = -2 for row 0, and +2 for the others.
	d := dataset(features.Counts, 3, 1, []int32{0, 1, 2}, []float32{1}, nil, nil)
	runByHand(t, d, []handCase{
		{
			// Of all three documents: -2+2+2 = 2 for each bias, times -1/4 * 1/3.
			"three classes in a batch", models.Tanh{Descent: models.Descent{Passes: epochs(1), Steps: quarter, Method: models.MethodBatch}},
			[][]float64{{-1. / 6, 1. / 6}, {-1. / 6, -1. / 6}, {-1. / 6, -1. / 6}},
		},
	})
}

func TestMemoriserByHand(t *testing.T) {
	// Four different documents: A to D.
	a, b, c, d := []float32{1, 0, 0, 0}, []float32{0, 1, 0, 0}, []float32{0, 0, 1, 0}, []float32{0, 0, 0, 1}
	two := dataset(features.Whole, 2, 4, []int32{0, 1, 0, 1, 1, 1, 0}, a, b, c, c, c, d, d)
	three := dataset(features.Whole, 3, 4, []int32{2, 1, 0, 1, 2, 2}, a, b, c, d, d, d)
	tests := []struct {
		name    string
		in      *features.Dataset
		row     int // of the documents above; -1 for an unknown one
		scores  []float64
		predict int
	}{
		{"a document of class 0", two, 0, []float64{0, -1}, 0},
		{"a document of class 1", two, 1, []float64{0, 1}, 1},
		{"of several labels the most frequent counts", two, 2, []float64{0, 1}, 1},
		{"of equally frequent labels the first counts", two, 6, []float64{0, -1}, 0},
		{"an unknown document is of class 0", two, -1, []float64{0, -1}, 0},
		{"a document of the last of three classes", three, 0, []float64{1, 0, 2}, 2},
		{"of three classes the first", three, 2, []float64{1, 0, 0}, 0},
		{"of several labels in three classes the most frequent counts", three, 3, []float64{1, 0, 2}, 2},
		{"an unknown document of three classes is of class 0", three, -1, []float64{1, 0, 0}, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			l, _, err := models.Memoriser{}.Train(t.Context(), test.in, models.EpochOptions{})
			if err != nil {
				t.Fatal(err)
			}
			var x features.Vector
			if test.row >= 0 {
				x = test.in.Row(test.row)
			}
			for class, score := range l.Scores(nil, x) {
				near(t, "score", score, test.scores[class], 0)
			}
			if got := l.Predict(x); got != test.predict {
				t.Errorf("got class %d, want %d", got, test.predict)
			}
		})
	}
}
