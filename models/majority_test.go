package models_test

import (
	"math"
	"testing"

	"chaff/features"
	"chaff/models"
)

func TestMajority(t *testing.T) {
	tests := []struct {
		name   string
		labels []int32
		want   []float64 // scores, less that of class 0
		class  int
	}{
		{"the first of two has most", []int32{0, 1, 0, 0}, []float64{0, math.Log(1. / 3)}, 0},
		{"the second of two has most", []int32{1, 1, 1, 0}, []float64{0, math.Log(3)}, 1},
		{"a tie goes to the first", []int32{1, 1, 0, 0}, []float64{0, 0}, 0},
		{"the last of three has most", []int32{2, 1, 2, 0}, []float64{0, 0, math.Log(2)}, 2},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d := dense(features.Counts, len(test.want), test.labels, [][]float32{{1, 0}, {1, 2}, {0, 1}, {0, 0}})
			l, _, err := models.Majority{}.Train(t.Context(), d)
			if err != nil {
				t.Fatal(err)
			}
			for i := range d.Len() {
				scores := l.Scores(nil, d.Row(i))
				for c, want := range test.want {
					near(t, "score", scores[c]-scores[0], want, 1e-12)
				}
				if got := l.Predict(d.Row(i)); got != test.class {
					t.Errorf("got class %d, want %d", got, test.class)
				}
			}
		})
	}
}
