package metrics

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestClass(t *testing.T) {
	of := func(x float64) *float64 { return &x }
	tests := []struct {
		name      string
		confusion Confusion
		class     int
		want      ClassFigures
	}{
		// 3 correct, 1 of the class predicted to be of others, 2 the other way round: 3 in 5, 3 in 4, 6 in 9.
		{"some of each", Confusion{{3, 1, 0}, {2, 5, 0}, {0, 0, 0}}, 0, ClassFigures{4, of(60), of(75), of(200. / 3)}},
		{"never there and never predicted", Confusion{{3, 1, 0}, {2, 5, 0}, {0, 0, 0}}, 2, ClassFigures{}},
		{"never predicted", Confusion{{0, 4}, {0, 1}}, 0, ClassFigures{4, nil, of(0), of(0)}},
		{"never there", Confusion{{0, 0}, {2, 1}}, 0, ClassFigures{0, of(0), nil, of(0)}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, test.confusion.Class(test.class), cmpopts.EquateApprox(0, 1e-12)); diff != "" {
				t.Errorf("want (-), got (+):\n%s", diff)
			}
		})
	}
}

func TestClassAgreesWithScikitLearn(t *testing.T) {
	want := readFixture[calibrationFixture](t, "sklearn_calibration.json").Classes
	for i, got := range Measure(want.Labels, want.Predictions, 3).Classes {
		if got.Messages != want.Support[i] || !near(*got.Precision, 100*want.Precision[i]) ||
			!near(*got.Recall, 100*want.Recall[i]) || !near(*got.F1, 100*want.F1[i]) {
			t.Errorf("class %d: got %d, %v, %v, %v", i, got.Messages, *got.Precision, *got.Recall, *got.F1)
		}
	}
}
