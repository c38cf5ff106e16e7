package metrics

import "math"

// Point is what a spam filter gets wrong when a message is called spam if score > Threshold, and ham if not.
type Point struct {
	Threshold float64 `json:"threshold"`
	// HM is the share of ham that is called spam, SM the share of spam that is called ham, both 0..1.
	HM float64 `json:"hm"`
	SM float64 `json:"sm"`
}

// ErrorCurve returns all operating points of a filter in ascending order of their thresholds: one below all scores, where
// everything is called spam (HM 1, SM 0), and one at each score that occurs, the last of which calls everything ham
// (HM 0, SM 1). Messages with the same score change sides together, in one point. HM never rises along the curve, and SM
// never falls. It is nil without ham or without spam.
//
// The ROC curve is drawn through (HM, 1-SM), and the area under it is 1 - [OneMinusROCA]/100; sources: T. Fawcett 2006,
// TREC 2005 Spam Track Overview. The DET curve is drawn through (HM, SM) on scales of the normal distribution; source:
// A. Martin and others 1997.
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

// SMAtHM returns sm% at hm%: the percentage of spam let through at the first point of the [ErrorCurve] that loses at most hm
// percent of the ham. It is not defined without ham or without spam. The threshold is chosen on the messages that it is
// judged by, so this compares the orders that filters give, and promises nothing for other mail.
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

// Thin returns at most n of the points of an [ErrorCurve], for a plot: always the first and the last, and so at least
// two of two or more.
//
// What is left out first changes nothing: the points in the middle of a straight line along an axis, where only ham or only
// spam changes sides. If the corners that remain are still more than n, the way along the curve is divided into n-1 parts
// and the first point of each part is kept. The way is measured by
//
//	asin(sqrt(SM)) - asin(sqrt(HM))    from -pi/2 at the first point to pi/2 at the last
//
// which stretches small shares much as the scales of a DET curve do, but is finite for 0 and 1. Since both terms only
// grow, no point that is left out is further than pi/(n-1) in either of them from the one that is kept before it.
func Thin(points []Point, n int) []Point {
	corners := onlyCorners(points)
	n = max(n, 2)
	if len(corners) <= n {
		return corners
	}
	first, last := way(corners[0]), way(corners[len(corners)-1])
	kept, part := make([]Point, 0, n), -1
	for _, p := range corners[:len(corners)-1] {
		if at := min(int((way(p)-first)/(last-first)*float64(n-1)), n-2); at > part {
			kept, part = append(kept, p), at
		}
	}
	return append(kept, corners[len(corners)-1])
}

// onlyCorners leaves out the points whose two neighbours have the same HM or the same SM as they have.
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

// way is how far along the curve a point is; see [Thin].
func way(p Point) float64 { return math.Asin(math.Sqrt(p.SM)) - math.Asin(math.Sqrt(p.HM)) }
