package metrics

import (
	"math"
	"testing"
)

func TestMisses(t *testing.T) {
	tests := []struct {
		name        string
		misses      Misses
		hm, sm, lam float64 // -1 is not defined
	}{
		// hm 1/10, sm 3/15. Smoothed: 1.5/11, odds 1.5/9.5 = 3/19; 3.5/16, odds 3.5/12.5 = 7/25. The mean of logits is the
		// root of the product of odds: sqrt(3/19 * 7/25) = sqrt(21/475), and lam = o/(1+o).
		{"some of each", Misses{10, 1, 15, 3}, 10, 20, 100 * math.Sqrt(21./475) / (1 + math.Sqrt(21./475))},
		// 0.5/100, odds 0.5/99.5 = 1/199; 0.5/25, odds 0.5/24.5 = 1/49; root of the product 1/sqrt(9751).
		{"no error at all", Misses{99, 0, 24, 0}, 0, 0, 100 / (1 + math.Sqrt(9751))},
		// 4.5/5, odds 9; 9.5/10, odds 19: o = sqrt(171).
		{"everything wrong", Misses{4, 4, 9, 9}, 100, 100, 100 * math.Sqrt(171) / (1 + math.Sqrt(171))},
		// 7.5/8, odds 15; 0.5/8, odds 1/15: o = 1.
		{"all is called spam", Misses{7, 7, 7, 0}, 100, 0, 50},
		{"no ham", Misses{0, 0, 4, 1}, -1, 25, -1},
		{"no spam", Misses{4, 1, 0, 0}, 25, -1, -1},
		{"nothing", Misses{}, -1, -1, -1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			check := func(name string, want float64, got float64, defined bool) {
				t.Helper()
				if defined != (want >= 0) || defined && !near(got, want) {
					t.Errorf("%s: got %v, %v, want %v", name, got, defined, want)
				}
			}
			hm, defined := test.misses.HM()
			check("hm%", test.hm, hm, defined)
			sm, defined := test.misses.SM()
			check("sm%", test.sm, sm, defined)
			lam, defined := test.misses.LAM()
			check("lam%", test.lam, lam, defined)
		})
	}
}
