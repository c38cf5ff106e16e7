package metrics

import (
	"cmp"
	"slices"
)

// McNemar compares two classifiers on the same messages by those that only one of them gets right.
type McNemar struct {
	// Better is how many messages only the second classifier gets right, Worse how many only the first does.
	Better int `json:"better"`
	Worse  int `json:"worse"`
	// P is the probability, 0..1, of a difference at least as large if neither classifier were better.
	P float64 `json:"p"`
}

// CompareErrors compares the predictions a and b of two classifiers for messages with the given labels. If neither classifier is better,
// each message that only one gets right is the throw of a fair coin. P is exact, not the chi-squared approximation:
//
//	P = (sum of C(n, i) for i <= min(Better, Worse) or i >= max(Better, Worse)) / 2^n    with n = Better + Worse
//
// It is 1 if Better and Worse are equal. Source: Q. McNemar 1947.
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
	m.P = bothTails(min(m.Better, m.Worse), m.Better+m.Worse)
	return m
}

// bothTails returns the probability that at most k of n throws of a fair coin are heads, or at most k are tails; k <= n/2.
//
// It sums the binomial coefficients from the middle outwards, in units of the middle one, so that none overflows. About 40 standard
// deviations out they underflow to 0, where they do not change the sums.
func bothTails(k, n int) float64 {
	tails, total := 0., 0.
	coefficient := 1.
	for i := n / 2; i >= 0 && coefficient > 0; i-- {
		both := 2 * coefficient // C(n, i) and C(n, n-i)
		if i == n-i {
			both = coefficient
		}
		total += both
		if i <= k {
			tails += both
		}
		coefficient *= float64(i) / float64(n-i+1)
	}
	return tails / total
}

// Holm returns the tests with P corrected for multiple comparisons. For the m tests in ascending order of P, with k from 0:
//
//	P'_k = max over i <= k of min(1, (m - i) P_i)
//
// The probability that any P' is below alpha by chance is at most alpha. Source: S. Holm, Scandinavian Journal of Statistics 6 (1979).
func Holm(tests []McNemar) []McNemar {
	corrected := slices.Clone(tests)
	order := make([]int, len(tests))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(tests[a].P, tests[b].P) })
	var highest float64
	for k, i := range order {
		highest = max(highest, min(1, float64(len(order)-k)*tests[i].P))
		corrected[i].P = highest
	}
	return corrected
}
