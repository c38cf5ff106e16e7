package metrics

import (
	"math"
	"testing"
)

func TestCompareErrors(t *testing.T) {
	tests := []struct {
		name         string
		labels, a, b []int32
		want         McNemar
	}{
		{"no messages", nil, nil, nil, McNemar{P: 1}},
		{"the same predictions", []int32{0, 1, 1}, []int32{0, 0, 1}, []int32{0, 0, 1}, McNemar{P: 1}},
		// Heads or tails once: always as extreme.
		{"one message shows nothing", []int32{0}, []int32{1}, []int32{0}, McNemar{Better: 1, P: 1}},
		// All three by the second: 2 of 8 outcomes are as extreme.
		{"three for the second", []int32{0, 0, 0, 1}, []int32{1, 1, 1, 1}, []int32{0, 0, 0, 1}, McNemar{Better: 3, P: 2. / 8}},
		// One of four: 1 + 4 outcomes at either end, of 16.
		{"three to one for the first", []int32{0, 0, 0, 1}, []int32{0, 0, 0, 0}, []int32{1, 1, 1, 1}, McNemar{Better: 1, Worse: 3, P: 10. / 16}},
		{"even", []int32{0, 1}, []int32{0, 0}, []int32{1, 1}, McNemar{Better: 1, Worse: 1, P: 1}},
		{"both wrong in two ways", []int32{0, 2}, []int32{1, 0}, []int32{2, 1}, McNemar{P: 1}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := CompareErrors(test.labels, test.a, test.b)
			if got.Better != test.want.Better || got.Worse != test.want.Worse || !near(got.P, test.want.P) {
				t.Errorf("got %v, want %v", got, test.want)
			}
			other := CompareErrors(test.labels, test.b, test.a)
			if want := (McNemar{got.Worse, got.Better, got.P}); other != want {
				t.Errorf("the other way round: got %v, want %v", other, want)
			}
		})
	}
}

func TestMcNemarAgreesWithWholeNumbersAndSciPy(t *testing.T) {
	for _, want := range readFixture[calibrationFixture](t, "sklearn_calibration.json").McNemar {
		got := chanceOf(want.Better, want.Worse)
		if math.Abs(got-want.P) > 1e-9*want.P {
			t.Errorf("%d to %d: got %v, want %v", want.Better, want.Worse, got, want.P)
		}
	}
	if got := chanceOf(0, 1_000_000); got != 0 {
		t.Errorf("none of a million: got %v", got)
	}
	if got := chanceOf(500_000, 500_000); got != 1 {
		t.Errorf("half of a million: got %v", got)
	}
}

func BenchmarkMcNemar(b *testing.B) {
	for b.Loop() {
		chanceOf(150_000, 151_000)
	}
}

// Three tests of P 0.03, 0.01 and 0.04: 3 * 0.01 = 0.03, then 2 * 0.03 = 0.06, and 1 * 0.04 is not less than that.
func TestHolmCorrectsForTheNumberOfTests(t *testing.T) {
	for _, tt := range []struct {
		name     string
		in, want []float64
	}{
		{"none", nil, nil},
		{"a single test stays as it is", []float64{0.02}, []float64{0.02}},
		{"three tests out of order", []float64{0.03, 0.01, 0.04}, []float64{0.06, 0.03, 0.06}},
		{"at most 1", []float64{0.6, 0.9}, []float64{1, 1}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var tests []McNemar
			for i, p := range tt.in {
				tests = append(tests, McNemar{Better: i, P: p})
			}
			for i, got := range Holm(tests) {
				if got.Better != i || !near(got.P, tt.want[i]) {
					t.Errorf("test %d: got %+v, want P %v", i, got, tt.want[i])
				}
			}
		})
	}
}
