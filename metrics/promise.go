package metrics

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mathext"
)

// Promise is what a threshold guarantees about future ham.
type Promise struct {
	// Ham is the number of ham that the threshold was chosen on. Confidence is that of the guarantee, in percent.
	Ham        int     `json:"ham"`
	Confidence float64 `json:"confidence"`
	// HamLost is the largest share of future ham that is called spam, in percent. Limit is the share that was asked for.
	HamLost float64 `json:"ham_lost"`
	Limit   float64 `json:"limit"`
	// MoreHam is how many more ham are needed to promise Limit, if none of them is called spam. It is 0 if Limit is promised, or if
	// no number of ham promises it.
	MoreHam int `json:"more_ham,omitempty"`
}

// Promise returns what the thresholds t promise, which o has chosen on mail with these scores: the [UpperBound] of the share of ham above
// t.Spam. It assumes that future mail is like this mail, but no distribution of the scores. ok is false if nothing is promised: without
// Confidence, with Costs, or without mail of both classes.
func (o ThresholdOptions) Promise(t Thresholds, scores []float64, spam []bool) (p Promise, ok bool) {
	hams, spams := byClass(scores, spam)
	if o.Confidence == 0 || o.Costs != "" || len(hams) == 0 || len(spams) == 0 {
		return Promise{}, false
	}
	lost := 0
	for _, score := range hams {
		if score > t.Spam {
			lost++
		}
	}
	p = Promise{Ham: len(hams), Confidence: o.Confidence, HamLost: o.HamLost, Limit: o.HamLost}
	if o.promised(lost, len(hams)) {
		return p, true
	}
	p.HamLost = 100 * UpperBound(lost, len(hams), o.Confidence/100)
	if n := needed(o.HamLost/100, o.Confidence/100); o.HamLost > 0 && n < mostHam {
		p.MoreHam = int(n) - len(hams)
	}
	return p, true
}

// mostHam is more ham than any mailbox has: a limit that needs so much cannot be promised.
const mostHam = 1e9

// String returns the guarantee in words.
func (p Promise) String() string {
	percent := p.Limit
	if p.HamLost > p.Limit {
		percent = roundedUp(p.HamLost)
	}
	text := fmt.Sprintf("at most %v%% of ham is called spam, with %v%% confidence (%d ham)", percent, p.Confidence, p.Ham)
	switch {
	case p.HamLost <= p.Limit:
		return text
	case p.MoreHam == 0:
		return fmt.Sprintf("%s; no mailbox is large enough for %v%%", text, p.Limit)
	}
	return fmt.Sprintf("%s; %d more ham are needed for %v%%", text, p.MoreHam, p.Limit)
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

// minExcesses is the least number of scores that a tail is fitted to.
const minExcesses = 5

// raisedThreshold returns the spam threshold for too few ham: more than HamLost of future ham may score above all n of them. It assumes
// that the tail of the scores h, in descending order, is exponential from the greatest tenth on, h_1 to h_k with u = h_(k+1):
//
//	P(score > t) = (k/n) exp(-(t - u) / theta)
//	theta        = sum of (h_i - u) / g       g: the (1 - Confidence) quantile of Gamma(k, 1)
//	tail         = u + theta ln((k/n) / (HamLost/100))
//
// The sum divided by theta is distributed as Gamma(k, 1), so theta is the upper end of its one-sided interval. Source: B. Epstein,
// M. Sobel 1953.
//
// The threshold is at most the median score of the spam, so that half of the spam is still called spam: where scores are bounded, an
// exponential tail can lead beyond all of them. A limit of 0 has no tail.
//
// On 200 mailboxes of 300 to 3,000 messages, it loses a tenth to a fifth of the ham that a threshold without confidence loses, and
// leaves about twice as much spam unsure (docs/results.md).
func (o ThresholdOptions) raisedThreshold(hams, spams []float64) float64 {
	n := len(hams)
	k := min(max(n/10, minExcesses), n-1)
	limit := o.HamLost / 100
	if k < 1 || limit == 0 {
		return hams[0]
	}
	u, sum := hams[k], 0.0
	for _, h := range hams[:k] {
		sum += h - u
	}
	theta := sum / mathext.GammaIncRegInv(float64(k), 1-o.Confidence/100)
	tail := u + theta*math.Log(float64(k)/float64(n)/limit)
	return max(hams[0], min(tail, spams[len(spams)/2]))
}
