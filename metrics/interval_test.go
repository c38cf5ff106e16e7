package metrics

import (
	"math"
	"testing"
)

func TestWilson(t *testing.T) {
	z2 := z95 * z95 // 3.8414588
	tests := []struct {
		name         string
		successes, n int
		low, high    float64
	}{
		{"nothing is known from no messages", 0, 0, 0, 1},
		// p = 0: (z²/2n ± z²/2n) / (1 + z²/n) = 0 and z²/(n + z²) = 3.8414588/13.8414588
		{"no success does not mean none is possible", 0, 10, 0, z2 / (10 + z2)},
		{"all successes are the mirror of none", 10, 10, 10 / (10 + z2), 1},
		// p = 1/2, n = 4: centre 0.5 + z²/8, half z sqrt(1/16 + z²/64) = (z/8) sqrt(4 + z²), scale 1 + z²/4; the centre is 1/2.
		{"half is the middle", 2, 4, 0.5 - z95/8*math.Sqrt(4+z2)/(1+z2/4), 0.5 + z95/8*math.Sqrt(4+z2)/(1+z2/4)},
		// p = 0.9, n = 100: centre 0.9 + 0.019207294 = 0.919207294; half 1.959963985 sqrt(0.0009 + 0.000096036)
		// = 1.959963985 * 0.031560040 = 0.061856542; scale 1.038414588; 0.857350752/1.038414588 and 0.981063836/1.038414588.
		{"ninety of a hundred", 90, 100, 0.825634, 0.944771},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			low, high := Wilson(test.successes, test.n)
			if math.Abs(low-test.low) > 1e-6 || math.Abs(high-test.high) > 1e-6 {
				t.Errorf("got %v to %v, want %v to %v", low, high, test.low, test.high)
			}
		})
	}
}

func TestWilsonHoldsTheShareWithinZeroAndOne(t *testing.T) {
	for n := 1; n <= 60; n++ {
		for k := 0; k <= n; k++ {
			low, high := Wilson(k, n)
			p := float64(k) / float64(n)
			if !(0 <= low && low <= p && p <= high && high <= 1) {
				t.Fatalf("%d of %d: got %v to %v", k, n, low, high)
			}
			otherLow, otherHigh := Wilson(n-k, n)
			if !near(low, 1-otherHigh) || !near(high, 1-otherLow) {
				t.Fatalf("%d of %d: got %v to %v, and of the others %v to %v", k, n, low, high, otherLow, otherHigh)
			}
		}
	}
}

func TestUpperBound(t *testing.T) {
	tests := []struct {
		name       string
		count, n   int
		confidence float64
		want       float64
	}{
		{"nothing is known from no messages", 0, 0, 0.95, 1},
		{"if all went wrong all may", 7, 7, 0.95, 1},
		// (1-p)^10 = 0.05.
		{"none of ten", 0, 10, 0.95, 1 - math.Pow(0.05, 0.1)},
		// (1-p)² + 2p(1-p) = 1 - p² = 0.05.
		{"one of two", 1, 2, 0.95, math.Sqrt(0.95)},
		{"without confidence the bound is the lowest there is", 0, 10, 0, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := UpperBound(test.count, test.n, test.confidence); math.Abs(got-test.want) > 1e-12 {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}

func TestUpperBoundAgreesWithSciPy(t *testing.T) {
	for _, b := range readFixture[curveFixture](t, "sklearn_curves.json").Bounds {
		count, n, confidence, want := int(b[0]), int(b[1]), b[2], b[3]
		if got := UpperBound(count, n, confidence); math.Abs(got-want) > 1e-9 || math.Abs(got/want-1) > 1e-6 {
			t.Errorf("%d of %d, confidence %v: got %v, want %v", count, n, confidence, got, want)
		}
	}
}

func TestUpperBoundGrowsWithTheCount(t *testing.T) {
	for n := 1; n <= 60; n++ {
		for k := 1; k <= n; k++ {
			if fewer, more := UpperBound(k-1, n, 0.95), UpperBound(k, n, 0.95); !(float64(k-1)/float64(n) < fewer && fewer < more && more <= 1) {
				t.Fatalf("%d and %d of %d: %v and %v", k-1, k, n, fewer, more)
			}
		}
	}
}
