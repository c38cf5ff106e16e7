package models

import (
	"fmt"
	"math"

	"chaff/features"
)

// Form says how the products of weights and features become a score. The zero Form adds them: the affine form of the
// lectures. A form with members bounds what each kind of evidence may say, so that none outvotes all others:
//
//	s_g   = sum over w of group g of a_w f_w
//	z_m   = b_m + sum over the groups g of member m of bounded(s_g)
//	score = sum over m of bounded(z_m)
//
// with bounded(s) = K tanh(s / K), for the K of the group or the member. A sum below 0 may have another K than one above it. There
// is one weight for each term all the same. Near 0 the form is affine, since bounded(s) is s there, and has the slope 1 on both
// sides.
type Form []Member

// Member is a part of a [Form] that is learned by itself.
type Member struct {
	// First is the first of its groups, and Groups are the bounds of these.
	First  features.Group `json:"first"`
	Groups []Bounds       `json:"groups"`
	// Bounds are those of the member.
	Bounds Bounds `json:"bounds"`
}

// Bounds are how far a sum may go, K: below 0 and above it. 0 is for no bound.
type Bounds struct {
	Below float64 `json:"below"`
	Above float64 `json:"above"`
}

// within returns K tanh(s / K), and s without a bound.
func (b Bounds) within(s float64) float64 {
	K := b.of(s)
	if K == 0 {
		return s
	}
	return K * math.Tanh(s/K)
}

// of returns the bound that is for s.
func (b Bounds) of(s float64) float64 {
	if s < 0 {
		return b.Below
	}
	return b.Above
}

// slope returns the derivative of within at s, by its value there: 1 - tanh^2(s / K).
func (b Bounds) slope(s, within float64) float64 {
	K := b.of(s)
	if K == 0 {
		return 1
	}
	return 1 - (within/K)*(within/K)
}

// share returns within(s) / s: how much of each of the parts of s is left.
func (b Bounds) share(s float64) float64 {
	if s == 0 {
		return 1
	}
	return b.within(s) / s
}

// sums are the products of weights and features, added up by group.
type sums [features.Groups]float64

// groupSums returns the sums of row r of R rows of weights.
func groupSums[T float32 | float64](x features.Vector, weights []T, R, r int) (s sums) {
	if x.Groups == nil {
		for i, w := range x.IDs {
			s[0] += float64(x.Values[i]) * float64(weights[int(w)*R+r])
		}
		return s
	}
	for i, w := range x.IDs {
		s[x.Groups[i]] += float64(x.Values[i]) * float64(weights[int(w)*R+r])
	}
	return s
}

// biases returns how many biases a row has.
func (f Form) biases() int { return max(1, len(f)) }

// score returns the score of a row with the given biases, one for each member.
func (f Form) score(bias []float64, s *sums) float64 {
	var score float64
	for m, member := range f {
		score += member.Bounds.within(member.sum(bias[m], s))
	}
	return score
}

// sum is z_m.
func (m Member) sum(bias float64, s *sums) float64 {
	z := bias
	for i, bounds := range m.Groups {
		z += bounds.within(s[int(m.First)+i])
	}
	return z
}

// validate returns an error if a form from a file is none: every group must be in one member at most, and bounds be finite.
func (f Form) validate() error {
	next := 0
	for i, m := range f {
		for _, b := range append([]Bounds{m.Bounds}, m.Groups...) {
			for _, bound := range []float64{b.Below, b.Above} {
				if !(bound >= 0 && bound <= math.MaxFloat32) { // also refuses NaN
					return fmt.Errorf("member %d has the bound %v", i, bound)
				}
			}
		}
		last := int(m.First) + len(m.Groups) - 1
		if int(m.First) < next || last < int(m.First) || last >= features.Groups {
			return fmt.Errorf("member %d has the groups %d to %d", i, m.First, last)
		}
		next = last + 1
	}
	return nil
}
