package metrics

import (
	"cmp"
	"math"
	"slices"
)

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
// The ROC curve consists of the points (HM, 1-SM), and the area under it is 1 - OneMinusROCA/100, see [Figures]. Sources: T. Fawcett 2006,
// TREC 2005 Spam Track Overview.
func ErrorCurve(scores []float64, spam []bool) []Point {
	groups := tallies(scores, spam)
	hams, spams := totals(groups)
	if hams == 0 || spams == 0 {
		return nil
	}
	points := make([]Point, 0, len(groups)+1)
	lost, missed := hams, 0
	add := func(threshold float64) {
		points = append(points, Point{threshold, float64(lost) / float64(hams), float64(missed) / float64(spams)})
	}
	add(math.Nextafter(groups[0].score, math.Inf(-1)))
	for _, t := range groups {
		lost -= t.ham
		missed += t.spam
		add(t.score)
	}
	return points
}

// PointAt returns the point of an [ErrorCurve] with the errors at a threshold: the last point whose threshold is not above it.
func PointAt(curve []Point, threshold float64) Point {
	at := curve[0]
	for _, p := range curve {
		if p.Threshold <= threshold {
			at = p
		}
	}
	return at
}

// PointAtHM returns the first point of an [ErrorCurve] that loses at most a share hm of the ham, and so lets the least spam through.
func PointAtHM(curve []Point, hm float64) Point {
	return curve[slices.IndexFunc(curve, func(p Point) bool { return p.HM <= hm })]
}

// Thin returns at most about n of the points of an [ErrorCurve], for a plot, with the first and the last: no points inside a straight line along
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

// oneMinusROCA returns (1-ROCA)%: 100 * (1 - area under the ROC curve). It is the percentage of pairs of a ham and a spam in which the ham has
// the higher score; a tie counts half. 0 is perfect, 50 is chance. It is nil without ham or without spam.
//
// Sources: TREC 2005 Spam Track Overview; the number of pairs is the U statistic of Mann and Whitney (1947). Pairs are counted in
// integers, in O(n log n), so the order of the messages does not matter.
func oneMinusROCA(scores []float64, spam []bool) *float64 {
	var hams, spams, halves int64 // twice the number of these pairs, so that a tie counts 1
	for _, t := range tallies(scores, spam) {
		ham, spam := int64(t.ham), int64(t.spam)
		halves += 2*ham*spams + ham*spam
		hams += ham
		spams += spam
	}
	return orNil(100*float64(halves)/(2*float64(hams)*float64(spams)), hams > 0 && spams > 0)
}

// tally counts the messages with one score.
type tally struct {
	score     float64
	ham, spam int
}

// tallies returns one tally for each distinct score, in ascending order.
func tallies(scores []float64, spam []bool) (distinct []tally) {
	mustMatch(len(scores), len(spam))
	order := make([]int, len(scores))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(scores[i], scores[j]) })
	for _, i := range order {
		if last := len(distinct) - 1; last < 0 || distinct[last].score != scores[i] {
			distinct = append(distinct, tally{score: scores[i]})
		}
		if t := &distinct[len(distinct)-1]; spam[i] {
			t.spam++
		} else {
			t.ham++
		}
	}
	return distinct
}

func totals(tallies []tally) (ham, spam int) {
	for _, t := range tallies {
		ham += t.ham
		spam += t.spam
	}
	return ham, spam
}

// byClass returns the scores of the ham and of the spam in ascending order.
func byClass(scores []float64, spam []bool) (hams, spams []float64) {
	mustMatch(len(scores), len(spam))
	for i, score := range scores {
		if spam[i] {
			spams = append(spams, score)
		} else {
			hams = append(hams, score)
		}
	}
	slices.Sort(hams)
	slices.Sort(spams)
	return hams, spams
}
