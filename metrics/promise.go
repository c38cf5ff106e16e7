package metrics

import (
	"fmt"
	"math"
)

// Promise is what a threshold guarantees about future ham that is like the ham it was measured on.
type Promise struct {
	// Ham is the number of ham that was judged, Lost how many of them are above the threshold. Confidence is that of the guarantee,
	// in percent.
	Ham        int     `json:"ham"`
	Lost       int     `json:"lost"`
	Confidence float64 `json:"confidence"`
	// HamLost is the largest share of future ham that is called spam, in percent; IfMislabelled the same if the lost messages are spam with
	// wrong labels. Limit is the share that was aimed at.
	HamLost       float64 `json:"ham_lost"`
	IfMislabelled float64 `json:"ham_lost_if_mislabelled"`
	Limit         float64 `json:"limit"`
	// MoreHam is how many more ham are needed to guarantee Limit, if none of them is called spam. It is 0 if Limit is guaranteed, or if
	// no number of ham does so.
	MoreHam int `json:"more_ham,omitempty"`
}

// Promise returns what the thresholds t promise about mail like that with these scores, which had no part in t or only as its guard: the
// [UpperBound] of the share of ham above t.Spam. It assumes no distribution of the scores. ok is false if nothing is promised: without
// Confidence, with Costs, or without mail of both classes.
func (o ThresholdOptions) Promise(t Thresholds, scores []float64, spam []bool) (p Promise, ok bool) {
	hams, spams := byClass(scores, spam)
	if o.Confidence == 0 || o.Costs != "" || len(hams) == 0 || len(spams) == 0 {
		return Promise{}, false
	}
	p = Promise{Ham: len(hams), Confidence: o.Confidence, Limit: o.HamLost}
	for _, score := range hams {
		if score > t.Spam {
			p.Lost++
		}
	}
	confidence := o.Confidence / 100
	p.HamLost = 100 * UpperBound(p.Lost, p.Ham, confidence)
	p.IfMislabelled = 100 * UpperBound(0, p.Ham-p.Lost, confidence)
	if n := needed(o.HamLost/100, confidence); p.Lost == 0 && p.HamLost > o.HamLost*(1+rounding) && o.HamLost > 0 && n < mostHam {
		p.MoreHam = int(n) - p.Ham
	}
	return p, true
}

// rounding bounds the rounding error of a percentage in binary.
const rounding = 1e-9

// mostHam is more ham than any mailbox has: a limit that needs so much cannot be promised.
const mostHam = 1e9

// String returns the guarantee in words.
func (p Promise) String() string {
	text := fmt.Sprintf("at most %v%% of ham like this is called spam, with %v%% confidence (", roundedUp(p.HamLost), p.Confidence)
	switch {
	case p.Lost > 0:
		return text + fmt.Sprintf("%d of %d ham score as spam; if these are mislabelled, at most %v%%)", p.Lost, p.Ham, roundedUp(p.IfMislabelled))
	case p.MoreHam > 0:
		return text + fmt.Sprintf("%d ham); %d more ham are needed for %v%%", p.Ham, p.MoreHam, p.Limit)
	}
	return text + fmt.Sprintf("%d ham)", p.Ham)
}

// roundedUp rounds a percentage above 0 up to two significant digits.
func roundedUp(percent float64) float64 {
	digits := 1 - math.Floor(math.Log10(percent)) // after the point
	unit := math.Pow(10, -digits)
	return math.Round(math.Ceil(percent/unit-rounding)*unit*1e9) / 1e9
}

// needed returns how many messages without an error bound the share of errors by the limit with the given confidence: the least n with
// (1-limit)^n <= 1 - confidence.
func needed(limit, confidence float64) float64 {
	return max(1, math.Ceil(math.Log1p(-confidence)/math.Log1p(-limit)-rounding))
}
