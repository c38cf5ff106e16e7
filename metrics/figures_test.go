package metrics

import (
	"encoding/json"
	"math"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
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
			if got := c.Correct(); got != test.correct {
				t.Errorf("got %d correct, want %d", got, test.correct)
			}
			f := Measure(test.labels, test.predictions, test.classes)
			if f.Accuracy != 100*test.accuracy {
				t.Errorf("got accuracy %v, want %v", f.Accuracy, test.accuracy)
			}
			for class := range test.classes {
				if got := c.Of(class); got != test.of[class] {
					t.Errorf("got %d of class %d, want %d", got, class, test.of[class])
				}
				if precision := c.Class(class).Precision; precision != nil != (test.takenFor[class] > 0) ||
					precision != nil && !near(*precision*float64(test.takenFor[class]), 100*float64(c[class][class])) {
					t.Errorf("got a precision %v of class %d, want it of %d", precision, class, test.takenFor[class])
				}
			}
			if loss := f.ZeroOneLoss; len(test.labels) > 0 && !near(loss, 1-test.accuracy) || len(test.labels) == 0 && loss != 0 {
				t.Errorf("got loss %v with accuracy %v", loss, test.accuracy)
			}
		})
	}
}

func TestSlicesOfDifferentLengthsPanic(t *testing.T) {
	calls := map[string]func(){
		"NewConfusion":  func() { NewConfusion([]int32{0}, nil, 2) },
		"NewMargins":    func() { NewMargins([]float64{1}, nil) },
		"SquareLoss":    func() { SquareLoss([]int32{0}, []float64{1}, 2) },
		"LogLoss":       func() { LogLoss([]int32{0}, []float64{1, 2, 3}, 2) },
		"Brier":         func() { Brier(nil, []float64{1}, 2) },
		"Reliability":   func() { Reliability([]int32{0}, nil, 2) },
		"Calibrate":     func() { Calibrate([]int32{0, 1}, []float64{1, 2}, 2) },
		"Probabilities": func() { Identity(2).Probabilities(nil, []float64{1}) },
		"Probability":   func() { Identity(3).Probability(1) },
		"CompareErrors": func() { CompareErrors([]int32{0}, []int32{0}, nil) },
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
			f.MeasureSpam(Margins{})
		},
		"MeasureSpam of three classes": func() {
			f := Measure([]int32{0}, []int32{0}, 3)
			f.MeasureSpam(Margins{Ham: []float64{1}})
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

func TestFiguresAsJSON(t *testing.T) {
	tests := []struct {
		name   string
		labels []int32
		scores []float64 // of a spam filter; nil for any other classifier, which makes no error
		want   string
	}{
		{
			// Wilson of 2 in 2: 2/(2 + z²) = 2/5.8414588 to 1.
			"a classifier has the figures of its predictions", []int32{0, 2}, nil,
			`{"messages":2,"accuracy":100,"accuracy_low":34.238023,"accuracy_high":100,"zero_one_loss":0,` +
				`"confusion":[[1,0,0],[0,0,0],[0,0,1]],` +
				`"classes":[{"messages":1,"precision":100,"recall":100,"f1":100},{"messages":0},` +
				`{"messages":1,"precision":100,"recall":100,"f1":100}]}`,
		},
		{
			// Wilson of 3 in 4: (0.75 + z²/8 ± z sqrt(0.1875/4 + z²/64)) / (1 + z²/4) = (1.230182 ± 0.640815) / 1.960365.
			// Classes: of ham 1 in 1 and 1 in 2, F1 2/3; of spam 2 in 3 and 2 in 2, F1 4/5.
			// One ham of two is called spam: hm 50, smoothed 1.5/3, odds 1. No spam of two is missed: sm 0, smoothed
			// 0.5/3, odds 1/5. lam = o/(1+o) with o = sqrt(1 * 1/5) = 0.447214.
			// Pairs (ham, spam): (-1,2), (-1,1) and (1,2) right, (1,1) a tie: half of one of 4.
			"a spam filter has its errors besides", []int32{0, 0, 1, 1}, []float64{-1, 1, 2, 1},
			`{"messages":4,"accuracy":75,"accuracy_low":30.064184,"accuracy_high":95.441274,"zero_one_loss":0.25,` +
				`"confusion":[[1,1],[0,2]],` +
				`"classes":[{"messages":2,"precision":100,"recall":50,"f1":66.666667},` +
				`{"messages":2,"precision":66.666667,"recall":100,"f1":80}],"hm":50,"sm":0,"lam":30.901699,"one_minus_roca":12.5}`,
		},
		{
			// Wilson of 1 in 1: 1/(1 + z²) = 1/4.8414588 to 1.
			"what is not defined is left out", []int32{0}, []float64{-1},
			`{"messages":1,"accuracy":100,"accuracy_low":20.654931,"accuracy_high":100,"zero_one_loss":0,` +
				`"confusion":[[1,0],[0,0]],` +
				`"classes":[{"messages":1,"precision":100,"recall":100,"f1":100},{"messages":0}],"hm":0}`,
		},
		{
			"no messages", []int32{}, []float64{},
			`{"messages":0,"accuracy":0,"accuracy_low":0,"accuracy_high":100,"zero_one_loss":0,"confusion":[[0,0],[0,0]],` +
				`"classes":[{"messages":0},{"messages":0}]}`,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			predictions, spam := test.labels, make([]bool, len(test.labels))
			classes := 3
			if test.scores != nil {
				classes = 2
				predictions = make([]int32, len(test.labels))
				for i, score := range test.scores {
					spam[i] = test.labels[i] == 1
					if score > 0 {
						predictions[i] = 1
					}
				}
			}
			f := Measure(test.labels, predictions, classes)
			if test.scores != nil {
				f.MeasureSpam(NewMargins(test.scores, spam))
			}
			got, err := json.Marshal(f)
			if err != nil {
				t.Fatal(err)
			}
			checkJSON(t, got, test.want)
		})
	}
}

func TestMeasureScoresAsJSON(t *testing.T) {
	tests := []struct {
		name    string
		labels  []int32
		scores  []float64
		classes int
		want    string // without the confusion
	}{
		{
			// ln 3 and -ln 3: probabilities 3/4 and 1/4, the second of a message of class 1.
			// Square loss ((1 - ln 3)² + (1 + ln 3)²)/2 = 1 + (ln 3)²; log loss (ln 4/3 + ln 4)/2; Brier (1/16 + 9/16)/2;
			// calibration error 1 - (1/4 + 3/4)/2.
			"two classes", []int32{1, 1}, []float64{0, math.Log(3), 0, -math.Log(3)}, 2,
			`{"messages":2,"accuracy":100,"accuracy_low":34.238023,"accuracy_high":100,"zero_one_loss":0,"confusion":null,` +
				`"square_loss":2.206949,"log_loss":0.836988,"brier":0.3125,"calibration_error":0.5,"reliability":[` +
				`{"low":0.25,"high":0.75,"messages":2,"predicted":0.5,"observed":1,"observed_low":0.342380,"observed_high":1}]}`,
		},
		{
			// Square loss (1 + 1 + 1)/3; log loss ln 3; Brier (4/9 + 1/9 + 1/9)/2; the first is predicted, class 2 is true.
			"three classes", []int32{2}, []float64{0, 0, 0}, 3,
			`{"messages":1,"accuracy":100,"accuracy_low":20.654931,"accuracy_high":100,"zero_one_loss":0,"confusion":null,` +
				`"square_loss":1,"log_loss":1.098612,"brier":0.333333,"calibration_error":0.333333,"reliability":[` +
				`{"low":0.333333,"high":0.333333,"messages":1,"predicted":0.333333,"observed":0,"observed_low":0,"observed_high":0.793451}]}`,
		},
		{
			"a square that is too large for a number is left out", []int32{1}, []float64{0, 1e200}, 2,
			`{"messages":1,"accuracy":100,"accuracy_low":20.654931,"accuracy_high":100,"zero_one_loss":0,"confusion":null,` +
				`"log_loss":0,"brier":0,"calibration_error":0,"reliability":[` +
				`{"low":1,"high":1,"messages":1,"predicted":1,"observed":1,"observed_low":0.206549,"observed_high":1}]}`,
		},
		{"no messages", nil, nil, 2, `{"messages":0,"accuracy":0,"accuracy_low":0,"accuracy_high":100,"zero_one_loss":0,"confusion":null}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := Measure(test.labels, test.labels, test.classes)
			f.MeasureScores(test.labels, test.scores, Identity(test.classes).All(test.scores), test.classes)
			f.Confusion, f.Classes = nil, nil
			got, err := json.Marshal(f)
			if err != nil {
				t.Fatal(err)
			}
			checkJSON(t, got, test.want)
		})
	}
}

// checkJSON compares two values whose numbers are equal to six places.
func checkJSON(t *testing.T, got []byte, want string) {
	t.Helper()
	var g, w any
	if err := json.Unmarshal(got, &g); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(want), &w); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(w, g, cmpopts.EquateApprox(0, 1e-6)); diff != "" {
		t.Errorf("want (-), got (+):\n%s", diff)
	}
}
