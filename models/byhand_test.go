package models_test

import (
	"math"
	"slices"
	"testing"

	"chaff/features"
	"chaff/models"
)

// threeDocuments is the example that is worked by hand below: two terms, a document of class 1, one of class 0, and
// another of class 1. As targets: +1, -1, +1.
func threeDocuments() *features.Dataset {
	return dataset(features.Counts, 2, 2, []int32{1, 0, 1}, []float32{1, 0}, []float32{1, 1}, []float32{0, 2})
}

// weightsOf returns row r of l: the bias, then the weights.
func weightsOf(l *models.Linear, r int) []float64 {
	row := []float64{l.Bias[r]}
	for i := r; i < len(l.Weights); i += l.Rows() {
		row = append(row, float64(l.Weights[i]))
	}
	return row
}

// handCase is training on a few documents in their order, and the rows it ends in: bias, then weights.
type handCase struct {
	name  string
	model models.Trainer
	want  [][]float64
}

func runByHand(t *testing.T, d *features.Dataset, tests []handCase) {
	t.Helper()
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			l, _, err := test.model.Train(t.Context(), d, models.EpochOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if l.Rows() != len(test.want) {
				t.Fatalf("got %d rows, want %d", l.Rows(), len(test.want))
			}
			for r, want := range test.want {
				got := weightsOf(l, r)
				equal := func(a, b float64) bool { return math.Abs(a-b) <= 1e-7 } // weights are float32
				if !slices.EqualFunc(got, want, equal) {
					t.Errorf("row %d: got bias and weights %v, want %v", r, got, want)
				}
			}
		})
	}
}

// epochs are the passes of the tests by hand.
func epochs(n int) models.Passes { return models.Passes{Epochs: n, Listed: true} }

func origin(p models.Passes) models.Passes {
	p.ThroughOrigin = true
	return p
}

// The rows below are (b; w_1, w_2).
//
//	epoch 1   f = (1, 0), t = +1:  z = 0, a tie, which is a mistake   (1; 1, 0)
//	          f = (1, 1), t = -1:  z = 1 + 1 = 2, a mistake           (0; 0, -1)
//	          f = (0, 2), t = +1:  z = -2, a mistake                  (1; 0, 1)
//	epoch 2   f = (1, 0), t = +1:  z = 1, right                       (1; 0, 1)
//	          f = (1, 1), t = -1:  z = 1 + 1 = 2, a mistake           (0; -1, 0)
//	          f = (0, 2), t = +1:  z = 0, a tie                       (1; -1, 2)
func TestPerceptronByHand(t *testing.T) {
	constant := models.Steps{LearningRate: 1, Decay: models.RateConstant, Start: models.StartZeros}
	root2, root3 := math.Sqrt(2), math.Sqrt(3)
	runByHand(t, threeDocuments(), []handCase{
		{"one epoch", models.Perceptron{Passes: epochs(1), Steps: constant}, [][]float64{{1, 0, 1}}},
		{"two epochs", models.Perceptron{Passes: epochs(2), Steps: constant}, [][]float64{{1, -1, 2}}},
		{
			"half the learning rate makes half the weights",
			models.Perceptron{Passes: epochs(2), Steps: models.Steps{LearningRate: 0.5}}, [][]float64{{0.5, -0.5, 1}},
		},
		{
			// The mean of the six rows above: (1+0+1+1+0+1, 1+0+0+0-1-1, 0-1+1+1+0+2) / 6.
			"the average is the mean of the weights after each document",
			models.Perceptron{Passes: epochs(2), Steps: constant, Averaged: true}, [][]float64{{4. / 6, -1. / 6, 3. / 6}},
		},
		{
			// z = 0: (1, 0); z = 1: (0, -1); z = -2: (0, 1); z = 0: (1, 1); z = 2: (0, 0); z = 0: (0, 2).
			"through the origin", models.Perceptron{Passes: origin(epochs(2)), Steps: constant}, [][]float64{{0, 0, 2}},
		},
		{
			// Of the weights just above: (1+0+0+1+0+0, 0-1+1+1+0+2) / 6.
			"the average through the origin",
			models.Perceptron{Passes: origin(epochs(2)), Steps: constant, Averaged: true}, [][]float64{{0, 2. / 6, 3. / 6}},
		},
		{
			// n = 1: z = 0: (1; 1, 0). n = 2: z = 2: (1/2; 1/2, -1/2). n = 3: z = 1/2 - 1 = -1/2: (5/6; 1/2, 1/6).
			// n = 4: z = 4/3, right. n = 5: z = 3/2: (19/30; 3/10, -1/30). n = 6: z = 17/30, right.
			"the rate 1/n falls with the documents read, right or wrong",
			models.Perceptron{Passes: epochs(2), Steps: models.Steps{LearningRate: 1, Decay: models.RateInverse}},
			[][]float64{{19. / 30, 3. / 10, -1. / 30}},
		},
		{
			// z = 0; z = 2; z = 1 - 1/sqrt(2) - 2/sqrt(2) < 0.
			"the rate 1/sqrt(n)",
			models.Perceptron{Passes: epochs(1), Steps: models.Steps{LearningRate: 1, Decay: models.RateInverseRoot}},
			[][]float64{{1 - 1/root2 + 1/root3, 1 - 1/root2, -1/root2 + 2/root3}},
		},
	})
}

// The rows are (b; w_1, w_2) of the classes 0, 1 and 2.
//
//	f = (1, 0), class 0: z = (0, 0, 0), a tie, and 1 is the rival    (1; 1, 0)   (-1; -1, 0)  (0; 0, 0)
//	f = (0, 1), class 1: z = (1, -1, 0), and 0 is the rival          (0; 1, -1)  (0; -1, 1)   (0; 0, 0)
//	f = (1, 1), class 2: z = (0, 0, 0), a tie, and 0 is the rival    (-1; 0, -2) (0; -1, 1)   (1; 1, 1)
//
// Only two rows change each time. With two classes the difference of the rows is twice the weights of the perceptron,
// since both move.
func TestMulticlassPerceptronByHand(t *testing.T) {
	constant := models.Steps{LearningRate: 1}
	d := dataset(features.Counts, 3, 2, []int32{0, 1, 2}, []float32{1, 0}, []float32{0, 1}, []float32{1, 1})
	runByHand(t, d, []handCase{
		{
			"three classes", models.MulticlassPerceptron{Passes: epochs(1), Steps: constant},
			[][]float64{{-1, 0, -2}, {0, -1, 1}, {1, 1, 1}},
		},
		{
			// (1+0-1, 1+1+0, 0-1-2) / 3; (-1+0+0, -1-1-1, 0+1+1) / 3; (0+0+1, 0+0+1, 0+0+1) / 3
			"the average is the mean of the weights after each document",
			models.MulticlassPerceptron{Passes: epochs(1), Steps: constant, Averaged: true},
			[][]float64{{0, 2. / 3, -1}, {-1. / 3, -1, 2. / 3}, {1. / 3, 1. / 3, 1. / 3}},
		},
		{
			// (1, 0) (-1, 0) (0, 0); then z = (0, 0, 0): (1, -1) (-1, 1) (0, 0); then z = (0, 0, 0): (0, -2) (-1, 1) (1, 1).
			"through the origin", models.MulticlassPerceptron{Passes: origin(epochs(1)), Steps: constant},
			[][]float64{{0, 0, -2}, {0, -1, 1}, {0, 1, 1}},
		},
	})
	runByHand(t, threeDocuments(), []handCase{
		{"two classes", models.MulticlassPerceptron{Passes: epochs(2), Steps: constant}, [][]float64{{2, -2, 4}}},
	})
}

// The rows are (b; w_1, w_2).
//
//	f = (1, 0), t = +1: z = 0,    loss 1,   tau = 1/(1+1) = 1/2      (1/2; 1/2, 0)
//	f = (1, 1), t = -1: z = 1,    loss 2,   tau = 2/(2+1) = 2/3      (-1/6; -1/6, -2/3)
//	f = (0, 2), t = +1: z = -3/2, loss 5/2, tau = (5/2)/(4+1) = 1/2  (1/3; -1/6, 1/3)
//
// With C = 0.6 the second step is bounded:
//
//	f = (1, 1), t = -1: z = 1,    loss 2,   tau = 0.6                (-0.1; -0.1, -0.6)
//	f = (0, 2), t = +1: z = -1.3, loss 2.3, tau = 2.3/5 = 0.46       (0.36; -0.1, 0.32)
func TestPassiveAggressiveByHand(t *testing.T) {
	runByHand(t, threeDocuments(), []handCase{
		{"no step is bounded", models.PassiveAggressive{Passes: epochs(1), Aggressiveness: 1}, [][]float64{{1. / 3, -1. / 6, 1. / 3}}},
		{"a step is bounded", models.PassiveAggressive{Passes: epochs(1), Aggressiveness: 0.6}, [][]float64{{0.36, -0.1, 0.32}}},
		{
			"the average is the mean of the weights after each document",
			models.PassiveAggressive{Passes: epochs(1), Aggressiveness: 0.6, Averaged: true},
			[][]float64{{(0.5 - 0.1 + 0.36) / 3, (0.5 - 0.1 - 0.1) / 3, (0 - 0.6 + 0.32) / 3}},
		},
		{
			// z = 0, tau = 1/1: (1, 0). z = 1, tau = 2/2: (0, -1). z = -2, tau = 3/4: (0, 1/2).
			"through the origin", models.PassiveAggressive{Passes: origin(epochs(1)), Aggressiveness: 1}, [][]float64{{0, 0, 0.5}},
		},
		{
			// (0, 1/2) as above; z = 0, tau = 1: (1, 1/2). z = 3/2, tau = (5/2)/2 but at most 1: (0, -1/2). z = -1, tau = 2/4:
			// (0, 1/2).
			"two epochs through the origin", models.PassiveAggressive{Passes: origin(epochs(2)), Aggressiveness: 1}, [][]float64{{0, 0, 0.5}},
		},
	})
	// z = 1 of the last document: nothing is lost with a margin of 1, and nothing changes.
	d := dataset(features.Counts, 2, 2, []int32{1, 0, 1, 1}, []float32{1, 0}, []float32{1, 1}, []float32{0, 2}, []float32{0, 2})
	runByHand(t, d, []handCase{
		{"a margin of 1 is enough", models.PassiveAggressive{Passes: origin(epochs(1)), Aggressiveness: 1}, [][]float64{{0, 0, 0.5}}},
	})
}
