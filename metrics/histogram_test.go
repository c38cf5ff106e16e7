package metrics

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestScoreHistogram(t *testing.T) {
	tests := []struct {
		name      string
		ham, spam []float64
		bins      int
		want      Histogram
	}{
		// The range leaves out the least and the greatest score of each class: -2 to 2 and 4 to 6, so 4 bins of 2.
		{"the ends of each class are in the outer bins", []float64{-9000, -2, 0, 2, 9}, []float64{-7, 4, 5, 6, 4000}, 4,
			Histogram{[]float64{-2, 0, 2, 4, 6}, []int{2, 1, 1, 1}, []int{1, 0, 0, 4}}},
		{"a score on an edge belongs to the bin above it", []float64{0, 0, 1, 2, 2}, nil, 2,
			Histogram{[]float64{0, 1, 2}, []int{2, 3}, []int{0, 0}}},
		{"if all but the ends are the same the ends count", []float64{0, 3, 8}, nil, 2,
			Histogram{[]float64{0, 4, 8}, []int{2, 1}, []int{0, 0}}},
		{"the same scores are in the middle", []float64{10, 10}, []float64{10}, 3,
			Histogram{[]float64{5, 25. / 3, 35. / 3, 15}, []int{0, 2, 0}, []int{0, 1, 0}}},
		{"no bins are one bin", []float64{1}, []float64{2}, 0, Histogram{[]float64{1, 2}, []int{1}, []int{1}}},
		{"nothing", nil, nil, 5, Histogram{}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			scores, spam := join(test.ham, test.spam)
			got := ScoreHistogram(scores, spam, test.bins)
			for i := range min(len(got.Edges), len(test.want.Edges)) {
				if near(got.Edges[i], test.want.Edges[i]) {
					got.Edges[i] = test.want.Edges[i]
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("want (-), got (+):\n%s", diff)
			}
		})
	}
}

func TestScoreHistogramCountsEachMessageOnceAndIsNotMovedByOutliers(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 0))
	for range 300 {
		scores, spam := randomScores(random, 1+random.IntN(400))
		if random.IntN(3) == 0 {
			scores[0] = math.Copysign(math.MaxFloat64, random.Float64()-0.5)
		}
		h := ScoreHistogram(scores, spam, 1+random.IntN(30))
		hams, spams := totals(tallies(scores, spam))
		for i := range h.Ham {
			hams, spams = hams-h.Ham[i], spams-h.Spam[i]
		}
		if hams != 0 || spams != 0 || !slices.IsSorted(h.Edges) || !(h.Edges[len(h.Edges)-1]-h.Edges[0] > 0) {
			t.Fatalf("%d ham and %d spam are missing: %v", hams, spams, h)
		}
	}
	scores, spam := randomScores(random, 400)
	before := ScoreHistogram(scores, spam, 20)
	for i, score := range scores {
		if score == slices.Max(scores) {
			scores[i] = 1e300
			break
		}
	}
	if after := ScoreHistogram(scores, spam, 20); !slices.Equal(before.Edges, after.Edges) {
		t.Errorf("with an outlier the edges are %v, without %v", after.Edges, before.Edges)
	}
}
