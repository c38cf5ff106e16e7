package metrics

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

func TestCalibrateByHand(t *testing.T) {
	const (
		missing  = "probabilities are the same for all messages: the held-out mail has 1 of 2 classes"
		flat     = "probabilities are the same for all messages: a higher score does not make a class more likely"
		tooSmall = "scores are not calibrated: they are too small"
	)
	// One message of class 0 and three of class 1: the targets for class 1 are 1/3 and 4/5, their mean
	// (1/3 + 3 * 4/5) / 4 = 41/60, and ln(41/19) its logit.
	few := []int32{0, 1, 1, 1}
	shares := Calibration{0, []float64{0, math.Log(41. / 19)}}
	tests := []struct {
		name   string
		labels []int32
		scores []float64 // of class 1
		want   Calibration
		warn   string
	}{
		// Targets 1/3 at -1 and 4/5 at 2: the sigmoid goes through both, -s + o = -ln 2 and 2s + o = ln 4: s = o + ln 2,
		// so 3 o = 0: s = ln 2.
		{"two scores are met exactly", few, []float64{-1, 2, 2, 2}, Calibration{math.Log(2), []float64{0, 0}}, ""},
		{"scores of thousands", few, []float64{-4000, 8000, 8000, 8000}, Calibration{math.Log(2) / 4000, []float64{0, 0}}, ""},
		{"scores of thousandths", few, []float64{-0.001, 0.002, 0.002, 0.002}, Calibration{1000 * math.Log(2), []float64{0, 0}}, ""},
		// 99 s + o = -ln 2 and 102 s + o = ln 4.
		{"scores that are all far from zero", few, []float64{99, 102, 102, 102}, Calibration{math.Log(2), []float64{0, -100 * math.Log(2)}}, ""},
		{"scores that are all equal give the shares", few, []float64{0.3, 0.3, 0.3, 0.3}, shares, ""},
		{"scores that are all zero too", few, make([]float64, 4), shares, ""},
		{"scores that are equal but for rounding too", few, []float64{0.3, 0.1 + 0.2, 0.3, 0.3}, shares, ""},
		{"higher scores for the wrong class", few, []float64{2, 1, 1, 1}, shares, flat},
		{"scores that say nothing", []int32{0, 0, 1, 1}, []float64{1, 3, 1, 3}, Calibration{0, []float64{0, 0}}, flat},
		// Targets of two messages that are spam: 3/4, which leaves 1/4.
		{"a class without messages gives the shares", []int32{1, 1}, []float64{1, 2}, Calibration{0, []float64{0, math.Log(3)}}, missing},
		{"no slope is large enough", few, []float64{0, 1e-310, 1e-310, 1e-310}, Identity(2), tooSmall},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, warnings := Calibrate(test.labels, margins(test.scores), 2)
			if strings.Join(warnings, "\n") != test.warn {
				t.Errorf("got %q, want %q", warnings, test.warn)
			}
			if err := got.Validate(2); err != nil {
				t.Error(err)
			}
			if !close9(got.Slope, test.want.Slope) || !close9(got.Offsets[1], test.want.Offsets[1]) {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
	if c, warnings := Calibrate(nil, nil, 2); c.Probability(5) != 0.5 || len(warnings) != 1 {
		t.Errorf("no messages: got %v, %q", c, warnings)
	}
}

// close9 reports whether two numbers are equal to nine places.
func close9(x, y float64) bool { return math.Abs(x-y) <= 1e-9*max(1, math.Abs(y)) }

// margins returns the scores {0, z} of two classes.
func margins(zs []float64) []float64 {
	var scores []float64
	for _, z := range zs {
		scores = append(scores, 0, z)
	}
	return scores
}

// drawn returns n random scores, and random labels with the probabilities that c makes of the scores.
func drawn(random *rand.Rand, n int, c Calibration) (labels []int32, scores []float64) {
	k := len(c.Offsets)
	for range n {
		row := make([]float64, k)
		for i := range row {
			row[i] = 2 * random.NormFloat64() / max(c.Slope, 1e-300)
		}
		if k == 2 {
			row[0] = 0
		}
		label, u := 0, random.Float64()
		for _, p := range c.Probabilities(nil, row)[:k-1] {
			if u < p {
				break
			}
			u -= p
			label++
		}
		labels, scores = append(labels, int32(label)), append(scores, row...)
	}
	return labels, scores
}

func TestCalibrateFindsWhatTheLabelsWereDrawnWith(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 0))
	for _, c := range []Calibration{
		Identity(2), {0.01, []float64{0, 2}}, {2000, []float64{0, -1}}, Identity(3), {0.5, []float64{0, 1, -1, 0.5}},
	} {
		k := len(c.Offsets)
		labels, scores := drawn(random, 10_000, c)
		got, warnings := Calibrate(labels, scores, k)
		if len(warnings) > 0 || math.Abs(got.Slope/c.Slope-1) > 0.05 {
			t.Fatalf("got %v, %q, want %v", got, warnings, c)
		}
		for i := range c.Offsets {
			if math.Abs(got.Offsets[i]-c.Offsets[i]) > 0.1 {
				t.Errorf("got %v, want %v", got, c)
			}
		}
		// Calibrated logits need no further calibration.
		for i := range scores {
			scores[i] = got.Slope*scores[i] + got.Offsets[i%k]
		}
		again, _ := Calibrate(labels, scores, k)
		if math.Abs(again.Slope-1) > 1e-6 || floats.Norm(again.Offsets, math.Inf(1)) > 1e-6 {
			t.Errorf("calibrated a second time: got %v, want slope 1 and offsets 0", again)
		}
	}
}

func TestCalibrateFindsTheLeastLossOfHardScores(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 0))
	kinds := map[string]func(x float64) float64{
		"heavy tails":         func(x float64) float64 { return x / random.NormFloat64() },
		"very large and none": func(x float64) float64 { return math.Pow(x, 9) },
		"mostly zero":         func(x float64) float64 { return x * float64(max(0, random.IntN(10)-8)) },
		"far from zero":       func(x float64) float64 { return x + 1e5 },
		"apart":               func(x float64) float64 { return x / 100 },
		"near the largest":    func(x float64) float64 { return x * 1e307 },
		"hardly any":          func(x float64) float64 { return x * 1e-200 },
	}
	for name, kind := range kinds {
		t.Run(name, func(t *testing.T) {
			for trial := range 60 {
				k := 2 + trial%4
				n := k + random.IntN(200)
				labels, scores := make([]int32, n), make([]float64, n*k)
				for i := range labels {
					labels[i] = int32(i % k)
					for c := range k {
						scores[i*k+c] = kind(random.NormFloat64())
						if i%k == c {
							scores[i*k+c] += kind(1)
						}
					}
				}
				c, warnings := Calibrate(labels, scores, k)
				if err := c.Validate(k); err != nil || len(warnings) > 0 && c.Slope != 0 {
					t.Fatalf("got %v, %q: %v", c, warnings, err)
				}
				// No slope near it is better.
				loss := func(slope float64) float64 {
					probabilities, sum := Calibration{slope, c.Offsets}.All(scores), 0.
					for i, label := range labels {
						messages := float64((n - int(label) + k - 1) / k)
						hit := (messages + 1) / (messages + 2)
						for class, p := range probabilities[i*k:][:k] {
							target := (1 - hit) / float64(k-1)
							if class == int(label) {
								target = hit
							}
							sum -= target * math.Log(max(p, 1e-300))
						}
					}
					return sum / float64(n)
				}
				if best := loss(c.Slope); best > loss(c.Slope*0.999)+1e-9 || best > loss(c.Slope*1.001)+1e-9 {
					t.Fatalf("got %v with a loss of %v, %v and %v at slopes near it", c, best, loss(c.Slope*0.999), loss(c.Slope*1.001))
				}
			}
		})
	}
}

func TestPlattDerivativesAreThoseOfTheLoss(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 0))
	for _, k := range []int{2, 3, 5} {
		labels, scores := drawn(random, 50, Identity(k))
		counts := make([]int, k)
		for _, label := range labels {
			counts[label]++
		}
		p := newPlatt(labels, scores, counts)
		at := make([]float64, k)
		for i := range at {
			at[i] = random.NormFloat64()
		}
		gradient, hessian := make([]float64, k), mat.NewSymDense(k, nil)
		p.Gradient(gradient, at)
		p.Hessian(hessian, at)
		const h = 1e-5
		below, above := make([]float64, k), make([]float64, k)
		for i, x := range at {
			at[i] = x - h
			loss := p.Loss(at)
			p.Gradient(below, at)
			at[i] = x + h
			if got, want := gradient[i], (p.Loss(at)-loss)/(2*h); math.Abs(got-want) > 1e-8 {
				t.Errorf("%d classes: derivative %d: got %v, want %v", k, i, got, want)
			}
			p.Gradient(above, at)
			at[i] = x
			for j := range at {
				if got, want := hessian.At(i, j), (above[j]-below[j])/(2*h); math.Abs(got-want) > 1e-8 {
					t.Errorf("%d classes: second derivative %d, %d: got %v, want %v", k, i, j, got, want)
				}
			}
		}
	}
}

type calibrationFixture struct {
	Platt []struct {
		Scores  []float64 `json:"scores"`
		Labels  []int32   `json:"labels"`
		A       float64   `json:"a"`
		B       float64   `json:"b"`
		Refined struct {
			Slope  float64 `json:"slope"`
			Offset float64 `json:"offset"`
		} `json:"refined"`
		LogLoss float64 `json:"log_loss"`
		Brier   float64 `json:"brier_score_loss"`
	} `json:"platt"`
	Classes struct {
		Labels        []int32   `json:"labels"`
		Predictions   []int32   `json:"predictions"`
		Probabilities []float64 `json:"probabilities"`
		LogLoss       float64   `json:"log_loss"`
		Precision     []float64 `json:"precision"`
		Recall        []float64 `json:"recall"`
		F1            []float64 `json:"f1"`
		Support       []int     `json:"support"`
	} `json:"classes"`
	McNemar []McNemar `json:"mcnemar"`
}

// readFixture returns a file of testdata, a struct of which no field may be empty.
func readFixture[T any](t *testing.T, name string) T {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	var fixture T
	if err := json.Unmarshal(data, &fixture); err != nil {
		t.Fatal(err)
	}
	for field, value := range reflect.ValueOf(fixture).Fields() {
		if value.IsZero() {
			t.Fatalf("%s has no %s", name, field.Name)
		}
	}
	return fixture
}

func TestCalibrateAgreesWithScikitLearn(t *testing.T) {
	for _, want := range readFixture[calibrationFixture](t, "sklearn_calibration.json").Platt {
		scores := margins(want.Scores)
		got, warnings := Calibrate(want.Labels, scores, 2)
		if len(warnings) > 0 {
			t.Errorf("got %q", warnings)
		}
		if !close9(got.Slope/want.Refined.Slope, 1) || !close9(got.Offsets[1]/want.Refined.Offset, 1) {
			t.Errorf("got %v, want %v", got, want.Refined)
		}
		if math.Abs(got.Slope/-want.A-1) > 1e-3 || math.Abs(got.Offsets[1]+want.B) > 1e-3*max(1, math.Abs(want.B)) {
			t.Errorf("got %v, scikit-learn stopped at %v, %v", got, -want.A, -want.B)
		}
		probabilities := got.All(scores)
		if loss := LogLoss(want.Labels, probabilities, 2); !close9(loss, want.LogLoss) {
			t.Errorf("got a log loss of %v, want %v", loss, want.LogLoss)
		}
		if brier := Brier(want.Labels, probabilities, 2); !close9(brier, want.Brier) {
			t.Errorf("got a Brier score of %v, want %v", brier, want.Brier)
		}
	}
}

func TestTheOrderOfMessagesChangesNoBit(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 0))
	for _, k := range []int{2, 3} {
		labels, scores := drawn(random, 300, Identity(k))
		var calibrations []Calibration
		var figures []Figures
		for range 3 {
			random.Shuffle(len(labels), func(i, j int) {
				labels[i], labels[j] = labels[j], labels[i]
				for c := range k {
					scores[i*k+c], scores[j*k+c] = scores[j*k+c], scores[i*k+c]
				}
			})
			c, _ := Calibrate(labels, scores, k)
			f := Measure(labels, labels, k)
			f.MeasureScores(labels, scores, c.All(scores), k)
			calibrations, figures = append(calibrations, c), append(figures, f)
		}
		for i := range calibrations {
			if !reflect.DeepEqual(calibrations[i], calibrations[0]) || !reflect.DeepEqual(figures[i], figures[0]) {
				t.Errorf("%d classes: got %v and %v", k, calibrations[i], calibrations[0])
			}
		}
	}
}

func BenchmarkCalibrate(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 0))
	for _, k := range []int{2, 10} {
		b.Run(fmt.Sprintf("%d classes", k), func(b *testing.B) {
			labels, scores := drawn(random, 2000, Identity(k))
			b.ReportAllocs()
			for b.Loop() {
				Calibrate(labels, scores, k)
			}
		})
	}
}
