package metrics

import (
	"math"
	"slices"
)

// Point is the errors of a spam filter that calls a message spam if score > Threshold, otherwise ham.
type Point struct {
	Threshold float64 `json:"threshold"`
	// HM is the share of ham called spam, SM the share of spam called ham, both 0..1.
	HM float64 `json:"hm"`
	SM float64 `json:"sm"`
}

// ErrorCurve returns all operating points of a filter in ascending order of their thresholds: one below all scores, which calls
// everything spam (HM 1, SM 0), and one at each distinct score. The last one calls everything ham (HM 0, SM 1). Along the curve, HM
// never rises and SM never falls. Without ham or without spam, the curve is nil.
//
// The ROC curve consists of the points (HM, 1-SM), and the area under it is 1 - [OneMinusROCA]/100. Sources: T. Fawcett 2006,
// TREC 2005 Spam Track Overview. The DET curve consists of the points (HM, SM) on scales of the normal distribution. Source: A.
// Martin and others 1997.
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

// PointAt returns the point of an [ErrorCurve] with the errors at a threshold: the last point whose threshold is not above it. The curve has
// points.
func PointAt(curve []Point, threshold float64) Point {
	at := curve[0]
	for _, p := range curve {
		if p.Threshold <= threshold {
			at = p
		}
	}
	return at
}

// PointAtHM returns the first point of an [ErrorCurve] that loses at most a share hm of the ham, and so the least spam let through. The
// curve has points, and hm is at least 0.
func PointAtHM(curve []Point, hm float64) Point {
	return curve[slices.IndexFunc(curve, func(p Point) bool { return p.HM <= hm })]
}

// PointAtSM returns the point of an [ErrorCurve] that loses the least ham while it lets through at most a share sm of the spam, and of
// several such points the one with the least spam. The curve has points, and sm is at least 0.
func PointAtSM(curve []Point, sm float64) Point {
	least := curve[0].HM
	for _, p := range curve {
		if p.SM <= sm {
			least = p.HM
		}
	}
	return PointAtHM(curve, least)
}

// SMAtHM returns sm% at hm%: the percentage of spam let through at the first point of the [ErrorCurve] that loses at most hm percent of
// the ham. It is not defined without ham or without spam. It compares how filters rank messages and predicts nothing about other
// mail, because it measures the threshold on the messages that it is chosen on.
//
// Source: TREC 2005 Spam Track Overview, which reports sm% at hm% = 0.1.
func SMAtHM(scores []float64, spam []bool, hm float64) (percent float64, defined bool) {
	for _, p := range ErrorCurve(scores, spam) {
		if 100*p.HM <= hm {
			return 100 * p.SM, true
		}
	}
	return 0, false
}

// Thin returns at most n of the points of an [ErrorCurve], for a plot, and always the first and the last.
//
// It first drops the points inside a straight line along an axis. If more than n points remain, it divides the curve into n-1 parts
// of equal length and keeps the first point of each. The position on the curve is
//
//	asin(sqrt(SM)) - asin(sqrt(HM))    from -pi/2 at the first point to pi/2 at the last
//
// which stretches small shares as the scales of a DET curve do, but is finite for 0 and 1. Neither term differs by more than
// pi/(n-1) between a dropped point and the kept point before it.
func Thin(points []Point, n int) []Point {
	corners := onlyCorners(points)
	n = max(n, 2)
	if len(corners) <= n {
		return corners
	}
	first, last := position(corners[0]), position(corners[len(corners)-1])
	kept, part := make([]Point, 0, n), -1
	for _, p := range corners[:len(corners)-1] {
		if at := min(int((position(p)-first)/(last-first)*float64(n-1)), n-2); at > part {
			kept, part = append(kept, p), at
		}
	}
	return append(kept, corners[len(corners)-1])
}

// onlyCorners drops each point that has the same HM, or the same SM, as both of its neighbours.
func onlyCorners(points []Point) []Point {
	corners := make([]Point, 0, len(points))
	for i, p := range points {
		if i > 0 && i < len(points)-1 {
			before, after := points[i-1], points[i+1]
			if before.HM == p.HM && p.HM == after.HM || before.SM == p.SM && p.SM == after.SM {
				continue
			}
		}
		corners = append(corners, p)
	}
	return corners
}

// position returns the position of a point on the curve; see [Thin].
func position(p Point) float64 { return math.Asin(math.Sqrt(p.SM)) - math.Asin(math.Sqrt(p.HM)) }
