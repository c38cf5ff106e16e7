package metrics

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/mathext"

	"chaff/internal/indices"
)

// z95 is the 0.975 quantile of the standard normal distribution: 95 % lie within z95 of the mean.
const z95 = 1.959963984540054

// Wilson returns the 95 % score interval, within 0..1, of a share of which successes out of n were observed. For n = 0 it is 0..1.
//
//	(p + z²/2n ± z sqrt(p(1-p)/n + z²/4n²)) / (1 + z²/n)    with p = successes/n
//
// Source: E. B. Wilson: Probable Inference, the Law of Succession, and Statistical Inference (JASA 22, 1927). Unlike p ± z sqrt(p(1-p)/n), it stays
// within 0..1 and is wider than a point without errors.
func Wilson(successes, n int) (low, high float64) {
	p, m := float64(successes)/float64(n), float64(n)
	z := z95
	centre := p + z*z/(2*m)
	half := z * math.Sqrt(p*(1-p)/m+z*z/(4*m*m))
	scale := 1 + z*z/m
	low, high = (centre-half)/scale, (centre+half)/scale
	// The formula gives exactly 0 and 1 here, except for rounding, and no number for n = 0.
	if successes == 0 {
		low = 0
	}
	if successes == n {
		high = 1
	}
	return low, high
}

// UpperBound returns the upper end of the one-sided interval of a share of which count out of n were observed: the greatest share, 0..1,
// for which at most count are observed with a probability of at least 1 - confidence. confidence is from 0 to below 1. For n = 0
// the bound is 1.
//
//	p with (sum of C(n, i) p^i (1-p)^(n-i) for i <= count) = 1 - confidence
//
// The sum is the regularised incomplete beta function I_(1-p)(n-count, count+1). Source: C. J. Clopper, E. S. Pearson: The Use of Confidence or
// Fiducial Limits Illustrated in the Case of the Binomial (Biometrika 26, 1934).
// Unlike with [Wilson], the bound is below the true share with a probability of at most 1 - confidence, whatever that share is.
func UpperBound(count, n int, confidence float64) float64 {
	if count >= n {
		return 1
	}
	a, b := float64(n-count), float64(count+1)
	low, high := 0., 1. // the sum falls from 1 to 0 between them
	for {
		p := low + (high-low)/2
		if p == low || p == high {
			return high
		}
		if mathext.RegIncBeta(a, b, 1-p) > 1-confidence {
			low = p
		} else {
			high = p
		}
	}
}

// McNemar compares two classifiers on the same messages by those that only one of them gets right.
type McNemar struct {
	Better int     `json:"better"` // how many messages only the second classifier gets right
	Worse  int     `json:"worse"`  // how many only the first does
	P      float64 `json:"p"`      // the probability, 0..1, of a difference at least as large if neither classifier were better
}

// Difference returns 1 if the second classifier is better by more than chance explains, -1 if it is worse, else 0.
func (m McNemar) Difference() int {
	const notByChance = 0.05
	if m.P >= notByChance {
		return 0
	}
	return cmp.Compare(m.Better, m.Worse)
}

// CompareErrors compares the predictions a and b of two classifiers for messages with the given labels. If neither classifier is better,
// each message that only one gets right is the throw of a fair coin. P is exact, not the chi-squared approximation:
//
//	P = (sum of C(n, i) for i <= min(Better, Worse) or i >= max(Better, Worse)) / 2^n    with n = Better + Worse
//
// By the incomplete beta function I that is twice I_1/2(max, min + 1), at most 1. Source: Q. McNemar: Note on the Sampling Error of the Difference
// Between Correlated Proportions or Percentages (Psychometrika 12, 1947).
func CompareErrors(labels, a, b []int32) McNemar {
	mustMatch(len(labels), len(a))
	mustMatch(len(labels), len(b))
	var m McNemar
	for i, label := range labels {
		switch {
		case a[i] == b[i]:
		case b[i] == label:
			m.Better++
		case a[i] == label:
			m.Worse++
		}
	}
	m.P = chanceOf(m.Better, m.Worse)
	return m
}

// chanceOf returns the probability that the throws of a fair coin differ at least as much.
func chanceOf(better, worse int) float64 {
	if better == worse {
		return 1
	}
	return 2 * mathext.RegIncBeta(float64(max(better, worse)), float64(min(better, worse)+1), 0.5)
}

// Holm returns the tests with P corrected for multiple comparisons. For the m tests in ascending order of P, with k from 0:
//
//	P'_k = max over i <= k of min(1, (m - i) P_i)
//
// The probability that any P' is below alpha by chance is at most alpha. Source: S. Holm, Scandinavian Journal of Statistics 6 (1979).
func Holm(tests []McNemar) []McNemar {
	corrected := slices.Clone(tests)
	order := indices.Below[int](len(tests))
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(tests[a].P, tests[b].P) })
	var highest float64
	for k, i := range order {
		highest = max(highest, min(1, float64(len(order)-k)*tests[i].P))
		corrected[i].P = highest
	}
	return corrected
}
