package metrics

import "math"

// z95 is the 0.975 quantile of the standard normal distribution: 95 % lie within z95 of the mean.
const z95 = 1.959963984540054

// Wilson returns the 95 % score interval for a share of which successes out of n were seen, both ends in 0..1. Nothing
// is known from n = 0: the interval is 0 to 1.
//
//	(p + z²/2n ± z sqrt(p(1-p)/n + z²/4n²)) / (1 + z²/n)    with p = successes/n
//
// Source: E. B. Wilson, JASA 22 (1927). Unlike p ± z sqrt(p(1-p)/n) it stays within 0..1 and does not shrink to a point
// when no error was seen.
func Wilson(successes, n int) (low, high float64) {
	if n == 0 {
		return 0, 1
	}
	p, m := float64(successes)/float64(n), float64(n)
	z := z95
	centre := p + z*z/(2*m)
	half := z * math.Sqrt(p*(1-p)/m+z*z/(4*m*m))
	scale := 1 + z*z/m
	low, high = (centre-half)/scale, (centre+half)/scale
	// These two ends are exact in the formula, but not after rounding.
	if successes == 0 {
		low = 0
	}
	if successes == n {
		high = 1
	}
	return low, high
}
