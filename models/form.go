package models

import (
	"math"

	"chaff/features"
	"chaff/internal/evidence"
)

// Form is how the products of weights and features become a score. The zero Form adds them: the affine form of the
// lectures. A form with members bounds each kind of evidence, so that none outvotes all others:
//
//	s_g   = sum over w of group g of a_w f_w
//	z_m   = b_m + sum over the groups g of member m of bounded(s_g)
//	score = sum over m of bounded(z_m)
//
// with bounded(s) = K tanh(s / K), for the K of the group or the member. Sums below 0 may have another K than sums above. Each
// term still has one weight. Near 0 the form is affine, since bounded(s) is close to s and has the slope 1 on both sides.
type Form []Member

// Member is a part of a [Form] that learns by itself.
type Member struct {
	// First is the first of its groups, and Groups has their bounds.
	First  evidence.Group `json:"first"`
	Groups []Bounds       `json:"groups"`
	// Bounds are those of z_m.
	Bounds Bounds `json:"bounds"`
}

// members returns how many members learn: without any, all terms are those of one.
func (f Form) members() int { return max(1, len(f)) }

func (m Member) has(g evidence.Group) bool {
	return g >= m.First && int(g) < int(m.First)+len(m.Groups)
}

// Bounds are the bounds K of a sum below and above 0. 0 stands for no bound.
type Bounds struct {
	Below float64 `json:"below"`
	Above float64 `json:"above"`
}

// within returns K tanh(s / K), and s without a bound, and the derivative by s, 1 - tanh^2(s / K).
func (b Bounds) within(s float64) (bounded, slope float64) {
	K := b.Above
	if s < 0 {
		K = b.Below
	}
	if K == 0 {
		return s, 1
	}
	bounded = K * math.Tanh(s/K)
	return bounded, 1 - (bounded/K)*(bounded/K)
}

// ratio returns within(s) / s: how much is left of each summand of s.
func (b Bounds) ratio(s float64) float64 {
	if s == 0 {
		return 1
	}
	bounded, _ := b.within(s)
	return bounded / s
}

type groupTotals [evidence.Groups]float64

// groupSums returns s_g of row r, given the weights of terms that have so many columns. It calls no function for each run of a group, which would
// take twice the time.
func groupSums[T float32 | float64](x features.Vector, weights []T, columns, r int) (s groupTotals) {
	for i := 0; i < len(x.IDs); {
		g := evidence.Group(0)
		if x.Groups != nil {
			g = x.Groups[i]
		}
		sum := s[g] // in a register for a run of terms of the group
		for ; i < len(x.IDs) && (x.Groups == nil || x.Groups[i] == g); i++ {
			sum += float64(x.Values[i]) * float64(weights[int(x.IDs[i])*columns+r])
		}
		s[g] = sum
	}
	return s
}

// eachGroup calls do with each run of terms of x that are of one group of m, from the first up to but without the last. Terms without groups
// are in the first one.
func (m Member) eachGroup(x features.Vector, do func(g evidence.Group, from, to int)) {
	if x.Groups == nil && len(x.IDs) > 0 && m.has(0) {
		do(0, 0, len(x.IDs))
	}
	for from := 0; from < len(x.Groups); {
		g, to := x.Groups[from], from+1
		for to < len(x.Groups) && x.Groups[to] == g {
			to++
		}
		if m.has(g) {
			do(g, from, to)
		}
		from = to
	}
}

func (m Member) sum(bias float64, s *groupTotals) float64 {
	z := bias
	for i, bounds := range m.Groups {
		bounded, _ := bounds.within(s[int(m.First)+i])
		z += bounded
	}
	return z
}
