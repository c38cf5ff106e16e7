package metrics

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestProbabilities(t *testing.T) {
	tests := []struct {
		name   string
		c      Calibration
		scores []float64
		want   []float64
	}{
		{"the identity takes scores for logarithms", Identity(3), []float64{math.Log(2), 0, math.Log(5)}, []float64{2. / 8, 1. / 8, 5. / 8}},
		// 2 * 1.5 - 3 = 0.
		{"two classes are even where the sigmoid is zero", Calibration{2, []float64{0, -3}}, []float64{0, 1.5}, []float64{0.5, 0.5}},
		// 0.5 * ln 9 + ln 2 = ln 6.
		{"slope and offset", Calibration{0.5, []float64{0, math.Log(2)}}, []float64{0, math.Log(9)}, []float64{1. / 7, 6. / 7}},
		{"a slope of zero leaves the offsets", Calibration{0, []float64{0, math.Log(3)}}, []float64{0, 1e308}, []float64{1. / 4, 3. / 4}},
		{"scores of thousands", Identity(3), []float64{-5000, 9000, 9000 + math.Log(3)}, []float64{0, 1. / 4, 3. / 4}},
		{"scores that overflow", Calibration{1e300, []float64{0, 0, 7}}, []float64{-1e300, 1e300, 2}, []float64{0, 1, 0}},
		{"the largest scores of both signs", Identity(2), []float64{math.MaxFloat64, -math.MaxFloat64}, []float64{1, 0}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := test.c.Probabilities(nil, test.scores)
			for i := range test.want {
				if math.Abs(got[i]-test.want[i]) > 1e-12 {
					t.Errorf("got %v, want %v", got, test.want)
				}
			}
		})
	}
}

func TestProbabilitiesSumToOneAndAreThoseOfTheSigmoid(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 0))
	for range 2000 {
		k := 2 + random.IntN(6)
		c, scores := Calibration{random.ExpFloat64(), make([]float64, k)}, make([]float64, k)
		for i := range scores {
			scores[i] = random.NormFloat64() * math.Pow(10, float64(random.IntN(9)-3))
			c.Offsets[i] = 3 * random.NormFloat64()
		}
		c.Offsets[0] = 0
		if k == 2 {
			scores[0] = 0
		}
		sum := 0.
		probabilities := c.Probabilities(nil, scores)
		for _, p := range probabilities {
			sum += p
			if !(p >= 0 && p <= 1) {
				t.Fatalf("got a probability of %v", p)
			}
		}
		if !near(sum, 1) {
			t.Fatalf("the sum is %v", sum)
		}
		if k == 2 && math.Abs(probabilities[1]-c.Probability(scores[1])) > 1e-15 {
			t.Fatalf("got %v and %v", probabilities[1], c.Probability(scores[1]))
		}
	}
}

func TestProbabilitiesReuseMemory(t *testing.T) {
	c, scores := Identity(3), []float64{1, 2, 3}
	dst := make([]float64, 0, 3)
	two := Identity(2)
	n := testing.AllocsPerRun(10, func() {
		dst = c.Probabilities(dst, scores)
		if two.Probability(dst[0]) < 0 || c.Validate(3) != nil {
			t.Error("not valid")
		}
	})
	if n != 0 {
		t.Errorf("%v allocations", n)
	}
	c.Probabilities(scores, scores)
	if !slices.Equal(scores, dst) {
		t.Errorf("in place: got %v, want %v", scores, dst)
	}
}

func TestCalibrationValidate(t *testing.T) {
	tests := []struct {
		name string
		c    Calibration
		want string // "" is valid
	}{
		{"the identity", Identity(2), ""},
		{"a slope of zero", Calibration{0, []float64{0, -3}}, ""},
		{"one offset too many", Identity(3), "3 offsets: must be 2, one for each class"},
		{"no offsets", Calibration{Slope: 1}, "0 offsets: must be 2, one for each class"},
		{"a negative slope", Calibration{-1, []float64{0, 0}}, "slope is -1: must be 0 or more and finite"},
		{"a slope that is no number", Calibration{math.NaN(), []float64{0, 0}}, "slope is NaN: must be 0 or more and finite"},
		{"an infinite slope and offset", Calibration{math.Inf(1), []float64{0, math.Inf(-1)}},
			"slope is +Inf: must be 0 or more and finite\noffset 1 is -Inf: must be finite"},
		{"a first offset", Calibration{1, []float64{2, 0}}, "offset 0 is 2: must be 0"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var got string
			if err := test.c.Validate(2); err != nil {
				got = err.Error()
			}
			if got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}

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
			// Predicted (0.05 + 0.3 + 0.07 + 0.95 + 1) / 5 = 0.474, observed 2/5.
			"few messages share a bin", []int32{0, 1, 0, 1, 0},
			[]float64{0.95, 0.05, 0.7, 0.3, 0.93, 0.07, 0.05, 0.95, 0, 1}, 2,
			[]ReliabilityBin{{0.05, 1, 5, 0.474, 0.4, 0.117621, 0.769276}}, 0.074,
		},
		{
			// The most probable classes are 2 with 0.55, 0 with 0.58, and 1 with 0.45, the first of two. The first is right.
			"three classes count what is predicted right", []int32{2, 1, 2},
			[]float64{0.2, 0.25, 0.55, 0.58, 0.4, 0.02, 0.1, 0.45, 0.45}, 3,
			[]ReliabilityBin{{0.45, 0.58, 3, 1.58 / 3, 1. / 3, 0.061492, 0.792340}}, 0.58 / 3,
		},
		{
			// 25 messages with 0.2, 20 with 0.6 and 15 with 1: the first two bins of 20 become one of 25 and one of 20.
			"messages of one probability share a bin", slices.Concat(make([]int32, 25), repeated[int32](20, 1), repeated[int32](15, 1)),
			slices.Concat(repeated(25, 0.8, 0.2), repeated(20, 0.4, 0.6), repeated(15, 0., 1)), 2,
			[]ReliabilityBin{{0.2, 0.2, 25, 0.2, 0, 0, 0.133192}, {0.6, 0.6, 20, 0.6, 1, 0.838875, 1}, {1, 1, 15, 1, 1, 0.796117, 1}}, (25*0.2 + 20*0.4) / 60,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := Reliability(test.labels, test.probabilities, test.classes)
			if diff := cmp.Diff(test.want, got, cmpopts.EquateApprox(0, 1e-6)); diff != "" {
				t.Errorf("want (-), got (+):\n%s", diff)
			}
			if err := ExpectedCalibrationError(got); !near(err, test.err) {
				t.Errorf("got an error of %v, want %v", err, test.err)
			}
		})
	}
}

// repeated returns n times the row.
func repeated[T any](n int, row ...T) []T { return slices.Repeat(row, n) }

func TestReliabilityOfTrueProbabilities(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 0))
	for _, k := range []int{2, 4} {
		labels, scores := drawn(random, 20_000, Identity(k))
		bins := Reliability(labels, Identity(k).All(scores), k)
		messages := 0
		for _, bin := range bins {
			messages += bin.Messages
			if bin.Predicted < bin.Low-1e-12 || bin.Predicted > bin.High+1e-12 {
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
		// True class 1: (-1-0)² + (1-2)² + (-1+1)² = 2; true class 0: (1-1)² + (-1-2)² + (-1-0)² = 10; over two messages of
		// three classes.
		{"three classes", []int32{1, 0}, []float64{0, 2, -1, 1, 2, 0}, 3, 12. / 6},
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
		if SquareLoss([]int32{label}, row, 2) < Measure([]int32{label}, predicted, 2).ZeroOneLoss {
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
