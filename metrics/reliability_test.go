package metrics

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestReliability(t *testing.T) {
	tests := []struct {
		name          string
		labels        []int32
		probabilities []float64
		classes       int
		want          []ReliabilityBin
		err           float64
	}{
		{"no messages", nil, nil, 2, nil, 0},
		{
			// Bin 0: 0.05 and 0.07, neither is of class 1. Bin 9: 0.95 and 1, one of two. Bin 3 includes its low end.
			// (2 * 0.06 + 0.7 + 2 * 0.475) / 5.
			"two classes count what is of class 1", []int32{0, 1, 0, 1, 0},
			[]float64{0.95, 0.05, 0.7, 0.3, 0.93, 0.07, 0.05, 0.95, 0, 1}, 2,
			[]ReliabilityBin{{0, 0.1, 2, 0.06, 0}, {0.3, 0.4, 1, 0.3, 1}, {0.9, 1, 2, 0.975, 0.5}}, 1.77 / 5,
		},
		{
			// The most probable classes are 2 with 0.55, 0 with 0.58, and 1 with 0.45, the first of two.
			// (2 * |0.565 - 0.5| + |0.45 - 0|) / 3.
			"three classes count what is predicted right", []int32{2, 1, 2},
			[]float64{0.2, 0.25, 0.55, 0.58, 0.4, 0.02, 0.1, 0.45, 0.45}, 3,
			[]ReliabilityBin{{0.4, 0.5, 1, 0.45, 0}, {0.5, 0.6, 2, 0.565, 0.5}}, 0.58 / 3,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := Reliability(test.labels, test.probabilities, test.classes)
			if diff := cmp.Diff(test.want, got, cmpopts.EquateApprox(0, 1e-12)); diff != "" {
				t.Errorf("want (-), got (+):\n%s", diff)
			}
			if err := ExpectedCalibrationError(got); !near(err, test.err) {
				t.Errorf("got an error of %v, want %v", err, test.err)
			}
		})
	}
}

func TestReliabilityOfTrueProbabilities(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 0))
	for _, k := range []int{2, 4} {
		labels, scores := drawn(random, 20_000, Identity(k))
		bins := Reliability(labels, Identity(k).All(scores), k)
		messages := 0
		for _, bin := range bins {
			messages += bin.Messages
			if bin.Predicted < bin.Low || bin.Predicted > bin.High {
				t.Errorf("%d classes: a mean of %v from %v to %v", k, bin.Predicted, bin.Low, bin.High)
			}
			// Four standard deviations of a share.
			if math.Abs(bin.Predicted-bin.Observed) > 2/math.Sqrt(float64(bin.Messages)) {
				t.Errorf("%d classes: predicted %v, observed %v of %d", k, bin.Predicted, bin.Observed, bin.Messages)
			}
		}
		if messages != len(labels) {
			t.Errorf("%d classes: got %d messages, want %d", k, messages, len(labels))
		}
		if err := ExpectedCalibrationError(bins); err > 0.02 {
			t.Errorf("%d classes: an error of %v", k, err)
		}
	}
}
