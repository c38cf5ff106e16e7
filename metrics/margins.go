package metrics

import (
	"math"
	"slices"
	"sort"
)

// Margins are the scores of spam over ham of labelled messages, those of each label in ascending order.
type Margins struct{ Ham, Spam []float64 }

// NewMargins sorts the scores of messages by their labels.
func NewMargins(scores []float64, spam []bool) (m Margins) {
	mustMatch(len(scores), len(spam))
	for i, score := range scores {
		if spam[i] {
			m.Spam = append(m.Spam, score)
		} else {
			m.Ham = append(m.Ham, score)
		}
	}
	slices.Sort(m.Ham)
	slices.Sort(m.Spam)
	return m
}

// above returns how many of the ascending scores are above t.
func above(scores []float64, t float64) int {
	return len(scores) - sort.Search(len(scores), func(i int) bool { return scores[i] > t })
}

// VerdictCounts counts the messages of each class by the verdict of a spam filter.
type VerdictCounts struct {
	Ham  ByVerdict `json:"ham"`
	Spam ByVerdict `json:"spam"`
}

// ByVerdict counts messages by verdict.
type ByVerdict struct {
	Ham    int `json:"ham"`
	Unsure int `json:"unsure"`
	Spam   int `json:"spam"`
}

// Messages returns the sum over the verdicts.
func (b ByVerdict) Messages() int { return b.Ham + b.Unsure + b.Spam }

func (b ByVerdict) plus(other ByVerdict) ByVerdict {
	return ByVerdict{b.Ham + other.Ham, b.Unsure + other.Unsure, b.Spam + other.Spam}
}

// Plus returns the counts of the messages of both.
func (v VerdictCounts) Plus(other VerdictCounts) VerdictCounts {
	return VerdictCounts{v.Ham.plus(other.Ham), v.Spam.plus(other.Spam)}
}

// Verdicts counts the messages by the verdicts that thresholds give them.
func (m Margins) Verdicts(t Thresholds) *VerdictCounts {
	count := func(scores []float64) ByVerdict {
		spam, notHam := above(scores, t.Spam), above(scores, t.Unsure)
		return ByVerdict{Ham: len(scores) - notHam, Unsure: notHam - spam, Spam: spam}
	}
	return &VerdictCounts{count(m.Ham), count(m.Spam)}
}

// oneMinusROCA returns (1-ROCA)%: 100 * (1 - area under the ROC curve). It is the percentage of pairs of a ham and a spam in which the ham has
// the higher score; a tie counts half. 0 is perfect, 50 is chance. It is nil without ham or without spam.
//
// Sources: TREC 2005 Spam Track Overview; the number of pairs is the U statistic of H. B. Mann, D. R. Whitney: On a Test of Whether One of Two Random Variables
// is Stochastically Larger than the Other (Ann. Math. Stat. 18, 1947). Pairs are counted in integers, in O(n log n), so the order of the messages does not matter.
func (m Margins) oneMinusROCA() *float64 {
	halves := 0 // twice the number of these pairs, so that a tie counts 1
	for _, ham := range m.Ham {
		below, notAbove := sort.SearchFloat64s(m.Spam, ham), len(m.Spam)-above(m.Spam, ham)
		halves += below + notAbove
	}
	pairs := float64(len(m.Ham)) * float64(len(m.Spam))
	return orNil(100*float64(halves)/(2*pairs), pairs > 0)
}

// Point is the errors of a spam filter that calls a message spam if score > Threshold, otherwise ham.
type Point struct {
	Threshold float64 `json:"threshold"`
	HM        float64 `json:"hm"` // the share of ham called spam, SM the share of spam called ham, both 0..1
	SM        float64 `json:"sm"`
}

// ErrorCurve returns all operating points of a filter in ascending order of their thresholds: one below all scores, which calls
// everything spam (HM 1, SM 0), and one at each distinct score. The last one calls everything ham (HM 0, SM 1). Along the curve, HM
// never rises and SM never falls. Without ham or without spam, the curve is nil.
//
// The ROC curve consists of the points (HM, 1-SM), and the area under it is 1 - OneMinusROCA/100, see [Figures]. Sources: T. Fawcett: An
// Introduction to ROC Analysis (Pattern Recognition Letters 27, 2006), TREC 2005 Spam Track Overview.
func (m Margins) ErrorCurve() []Point {
	if len(m.Ham) == 0 || len(m.Spam) == 0 {
		return nil
	}
	groups := m.tallies()
	points := make([]Point, 0, len(groups)+1)
	lost, missed := len(m.Ham), 0
	add := func(threshold float64) {
		points = append(points, Point{threshold, float64(lost) / float64(len(m.Ham)), float64(missed) / float64(len(m.Spam))})
	}
	add(math.Nextafter(groups[0].score, math.Inf(-1)))
	for _, t := range groups {
		lost -= t.ham
		missed += t.spam
		add(t.score)
	}
	return points
}

// PointAt returns the point of an [Margins.ErrorCurve] with the errors at a threshold: the last point whose threshold is not above it.
func PointAt(curve []Point, threshold float64) Point {
	next := sort.Search(len(curve), func(i int) bool { return curve[i].Threshold > threshold })
	return curve[max(0, next-1)]
}

// PointAtHM returns the first point of an [Margins.ErrorCurve] that loses at most a share hm of the ham, and so lets the least spam through.
func PointAtHM(curve []Point, hm float64) Point {
	return curve[slices.IndexFunc(curve, func(p Point) bool { return p.HM <= hm })]
}

// Thin returns at most about n of the points of an [Margins.ErrorCurve], for a plot, with the first and the last: no points inside a straight line along
// an axis and, of more than n, each k-th.
func Thin(points []Point, n int) []Point {
	var corners []Point
	for i, p := range points {
		if i > 0 && i < len(points)-1 {
			before, after := points[i-1], points[i+1]
			if before.HM == p.HM && p.HM == after.HM || before.SM == p.SM && p.SM == after.SM {
				continue
			}
		}
		corners = append(corners, p)
	}
	every := 1 + (len(corners)-1)/n
	kept := corners[:0]
	for i, p := range corners {
		if i%every == 0 || i == len(corners)-1 {
			kept = append(kept, p)
		}
	}
	return kept
}

// tally counts the messages with one score.
type tally struct {
	score     float64
	ham, spam int
}

// tallies returns one tally for each distinct score, in ascending order.
func (m Margins) tallies() (distinct []tally) {
	for len(m.Ham)+len(m.Spam) > 0 {
		t := tally{score: math.Inf(1)}
		for _, scores := range [][]float64{m.Ham, m.Spam} {
			if len(scores) > 0 {
				t.score = min(t.score, scores[0])
			}
		}
		t.ham, t.spam = len(m.Ham)-above(m.Ham, t.score), len(m.Spam)-above(m.Spam, t.score)
		m.Ham, m.Spam = m.Ham[t.ham:], m.Spam[t.spam:]
		distinct = append(distinct, t)
	}
	return distinct
}
