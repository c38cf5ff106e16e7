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
// The ROC curve consists of the points (HM, 1-SM), and the area under it is 1 - OneMinusROCA/100, see [SpamFigures]. Sources: T. Fawcett 2006,
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

func (t tally) messages() int { return t.ham + t.spam }

// tallies returns one tally for each distinct score, in ascending order.
func tallies(scores []float64, spam []bool) []tally {
	mustMatch(len(scores), len(spam))
	all := make([]tally, len(scores))
	for i, score := range scores {
		if spam[i] {
			all[i] = tally{score: score, spam: 1}
		} else {
			all[i] = tally{score: score, ham: 1}
		}
	}
	slices.SortFunc(all, func(x, y tally) int { return cmp.Compare(x.score, y.score) })

	distinct := all[:0]
	for _, t := range all {
		if last := len(distinct) - 1; last >= 0 && distinct[last].score == t.score {
			distinct[last].ham += t.ham
			distinct[last].spam += t.spam
			continue
		}
		distinct = append(distinct, t)
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

// LearningPoint is a point of a learning curve.
type LearningPoint struct {
	Messages int `json:"messages"` // how many messages of the replay are before the point
	SpamFigures
}

// LearningCurve measures a spam filter that learns while it is used: it scored and judged each message before it learned the true class.
// A prediction of 1 is spam. After every so many messages, at least 1, and at the end, the curve has the figures of all messages so far.
// Source: TREC 2005 Spam Track Overview.
func LearningCurve(scores []float64, predictions []int32, spam []bool, every int) (curve []LearningPoint) {
	mustMatch(len(scores), len(spam))
	mustMatch(len(scores), len(predictions))
	labels := classesOf(spam)
	order := make([]int, len(scores)) // by score, so that the messages of each point are sorted already
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(scores[i], scores[j]) })
	for start := 0; start < len(labels); start += every {
		end := start + min(every, len(labels)-start)
		of, is := make([]float64, 0, end), make([]bool, 0, end)
		for _, i := range order {
			if i < end {
				of, is = append(of, scores[i]), append(is, spam[i])
			}
		}
		curve = append(curve, LearningPoint{end, spamFigures(NewConfusion(labels[:end], predictions[:end], 2), of, is)})
	}
	return curve
}

func classesOf(spam []bool) []int32 {
	classes := make([]int32, len(spam))
	for i, is := range spam {
		if is {
			classes[i] = 1
		}
	}
	return classes
}

// Histogram counts ham and spam by score. Bin i holds the scores from Edges[i] up to but not including Edges[i+1]. The first bin also
// holds all lower scores, the last one all higher scores.
type Histogram struct {
	// Edges ascend in equal steps. There is one more edge than bins.
	Edges []float64 `json:"edges"`
	// Ham and Spam are the numbers of messages in each bin.
	Ham  []int `json:"ham"`
	Spam []int `json:"spam"`
}

// outliers is the share of the scores of a class at either end that does not widen a [Histogram].
const outliers = 0.005

// ScoreHistogram counts scores in the given number of bins, at least one. So that a few extreme scores do not squeeze the others into
// one bin, the edges leave out half a percent of the scores of each class at either end, rounded up. These scores are in the first
// or in the last bin. If all scores are equal, they are in the middle. Without messages there are no bins.
func ScoreHistogram(scores []float64, spam []bool, bins int) Histogram {
	mustMatch(len(scores), len(spam))
	if len(scores) == 0 {
		return Histogram{}
	}
	bins = max(bins, 1)
	low, high := scoreRange(scores, spam)
	h := Histogram{Edges: make([]float64, bins+1), Ham: make([]int, bins), Spam: make([]int, bins)}
	for i := range h.Edges {
		part := float64(i) / float64(bins)
		h.Edges[i] = low*(1-part) + high*part // high - low could overflow
	}
	inner := h.Edges[1:bins]
	for i, score := range scores {
		bin, isEdge := slices.BinarySearch(inner, score)
		if isEdge {
			bin++
		}
		if spam[i] {
			h.Spam[bin]++
		} else {
			h.Ham[bin]++
		}
	}
	return h
}

// scoreRange returns the first and the last edge for at least one score; low < high.
func scoreRange(scores []float64, spam []bool) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	hams, spams := byClass(scores, spam)
	for _, class := range [][]float64{hams, spams} {
		if len(class) == 0 {
			continue
		}
		slices.Sort(class)
		out := min(int(math.Ceil(outliers*float64(len(class)))), (len(class)-1)/2)
		low, high = min(low, class[out]), max(high, class[len(class)-1-out])
	}
	if low == high {
		low, high = slices.Min(scores), slices.Max(scores)
	}
	if low == high {
		half := max(1, math.Abs(low)) / 2
		low, high = max(low-half, -math.MaxFloat64), min(high+half, math.MaxFloat64)
	}
	return low, high
}

func byClass(scores []float64, spam []bool) (hams, spams []float64) {
	mustMatch(len(scores), len(spam))
	for i, score := range scores {
		if spam[i] {
			spams = append(spams, score)
		} else {
			hams = append(hams, score)
		}
	}
	return hams, spams
}
