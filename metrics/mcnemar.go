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
	// P is the probability of a difference at least as large if neither classifier were better, 0..1: when it is small,
	// the difference is more than chance.
	P float64 `json:"p"`
}

// CompareErrors compares the predictions a and b of two classifiers, both for the messages with the given labels. If
// neither is better, each message that only one gets right is as likely to be right by a as by b, so that their numbers
// are those of a fair coin. P is exact, not the approximation by chi squared:
//
//	P = (sum of C(n, i) for i <= min(Better, Worse) or i >= max(Better, Worse)) / 2^n    with n = Better + Worse
//
// It is 1 when the two numbers are equal, none at all included. Source: Q. McNemar 1947.
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

// bothTails returns the probability that of n throws of a fair coin at most k are heads or at most k are tails, for
// k <= n/2.
//
// The binomial coefficients are summed from the middle outwards, in units of the middle one, so that none overflows. Some
// 40 standard deviations out they become too small for a number, and the rest of them would not change the sums.
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

// Holm returns tests with their P corrected for how many there are: of many comparisons one or the other looks like more than
// chance by chance. With the m tests in the order of P, the k-th of them, from 0,
//
//	P'_k = max over i <= k of min(1, (m - i) P_i)
//
// The probability that any P' below alpha is chance alone is at most alpha. Source: S. Holm, Scandinavian Journal of Statistics
// 6 (1979).
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
