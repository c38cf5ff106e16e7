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
//	z_m   = b_m + sum over the groups g of member m of K tanh(s_g / K)
//	score = sum over m of B tanh(z_m / B)
//
// K is the bound of a group, B that of a member; a bound of 0 is none. There is one weight for each term all the same. Near 0
// the form is affine, since tanh(s) is s there.
type Form []Member

// Member is a part of a [Form] that is learned by itself.
type Member struct {
	// First and Last are the first and the last of its groups.
	First features.Group `json:"first"`
	Last  features.Group `json:"last"`
	// GroupBound is K: how much a group adds at most.
	GroupBound float64 `json:"group_bound"`
	// Bound is B: how much the member adds at most.
	Bound float64 `json:"bound"`
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
	if f == nil {
		z := bias[0]
		for _, sum := range s {
			z += sum
		}
		return z
	}
	var score float64
	for m, member := range f {
		z := bias[m]
		for g := member.First; g <= member.Last; g++ {
			z += bounded(s[g], member.GroupBound)
		}
		score += bounded(z, member.Bound)
	}
	return score
}

// bounded returns K tanh(s / K), and s for a K of 0.
func bounded(s, K float64) float64 {
	if K == 0 {
		return s
	}
	return K * math.Tanh(s/K)
}

// share returns bounded(s, K) / s: how much of each of the parts of s is left.
func share(s, K float64) float64 {
	if s == 0 {
		return 1
	}
	return bounded(s, K) / s
}

// validate returns an error if a form from a file is none: every group must be in one member at most, and bounds be finite.
func (f Form) validate() error {
	next := features.Group(0)
	for m, member := range f {
		for _, bound := range []float64{member.GroupBound, member.Bound} {
			if !(bound >= 0 && bound <= math.MaxFloat32) { // also refuses NaN
				return fmt.Errorf("member %d has the bound %v", m, bound)
			}
		}
		if member.First < next || member.Last < member.First || member.Last >= features.Groups {
			return fmt.Errorf("member %d has the groups %d to %d", m, member.First, member.Last)
		}
		next = member.Last + 1
	}
	return nil
}
