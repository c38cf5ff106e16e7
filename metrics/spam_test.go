package metrics

import (
	"math"
	"testing"
)

func TestSpamFigures(t *testing.T) {
	tests := []struct {
		name        string
		confusion   Confusion
		hm, sm, lam float64 // -1 is not defined
	}{
		// hm 1/10, sm 3/15. Smoothed: 1.5/11, odds 1.5/9.5 = 3/19; 3.5/16, odds 3.5/12.5 = 7/25. The mean of logits is the
		// root of the product of odds: sqrt(3/19 * 7/25) = sqrt(21/475), and lam = o/(1+o).
		{"some of each", Confusion{{9, 1}, {3, 12}}, 10, 20, 100 * math.Sqrt(21./475) / (1 + math.Sqrt(21./475))},
		// 0.5/100, odds 0.5/99.5 = 1/199; 0.5/25, odds 0.5/24.5 = 1/49; root of the product 1/sqrt(9751).
		{"no error at all", Confusion{{99, 0}, {0, 24}}, 0, 0, 100 / (1 + math.Sqrt(9751))},
		// 4.5/5, odds 9; 9.5/10, odds 19: o = sqrt(171).
		{"everything wrong", Confusion{{0, 4}, {9, 0}}, 100, 100, 100 * math.Sqrt(171) / (1 + math.Sqrt(171))},
		// 7.5/8, odds 15; 0.5/8, odds 1/15: o = 1.
		{"all is called spam", Confusion{{0, 7}, {0, 7}}, 100, 0, 50},
		{"no ham", Confusion{{0, 0}, {1, 3}}, -1, 25, -1},
		{"no spam", Confusion{{3, 1}, {0, 0}}, 25, -1, -1},
		{"nothing", Confusion{{0, 0}, {0, 0}}, -1, -1, -1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			check := func(name string, want float64, figure *float64) {
				t.Helper()
				got, defined := valueOf(figure)
				if defined != (want >= 0) || defined && !near(got, want) {
					t.Errorf("%s: got %v, %v, want %v", name, got, defined, want)
				}
			}
			f := Figures{Confusion: test.confusion}
			f.MeasureSpam(Margins{})
			check("hm%", test.hm, f.HM)
			check("sm%", test.sm, f.SM)
			check("lam%", test.lam, f.LAM)
		})
	}
}
