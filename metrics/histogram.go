package metrics

import (
	"math"
	"slices"
)

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
// or in the last bin. If all scores are equal, they are in the middle of the range.
//
// Without messages, the histogram has no bins and no edges.
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

// byClass returns the scores of ham and those of spam.
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
