package metrics

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"
)

// ThresholdOptions say how much may go wrong on development mail, or what it costs. They move the scores at which a verdict
// changes, so that mail in between is called unsure.
type ThresholdOptions struct {
	// HamLost is the largest share of ham that may get the verdict spam. A percentage from 0 to 100; default 0.1. With
	// 0, no development ham may be called spam.
	HamLost float64 `json:"ham_lost"`
	// SpamMissed is the largest share of spam that may get the verdict ham. A percentage from 0 to 100; default 1. With
	// 0, no development spam may be called ham.
	SpamMissed float64 `json:"spam_missed"`
	// Confidence is how sure it must be that mail to come stays within the two limits too, if it is like the development
	// mail. A percentage from 0 to less than 100; default 0, which only keeps the share seen on development mail within
	// them. With 95, a limit is kept by 95 of 100 filters; that takes more development mail (for 0.1 % of ham at least 2,995
	// ham) and leaves more mail unsure. If there is too little, no development mail of the class is called the other, and
	// there is a warning.
	Confidence float64 `json:"confidence"`
	// Costs is what a lost ham, a missed spam and an unsure message cost, as 10:1:0.2. If it is set, the thresholds with the
	// least cost on development mail are chosen, and there are no limits. Three numbers from 0 to 100000 with at most six
	// decimals; default empty, which chooses by the limits.
	Costs string `json:"costs"`
}

// DefaultThresholdOptions returns the options used when nothing else is said.
func DefaultThresholdOptions() ThresholdOptions {
	return ThresholdOptions{HamLost: 0.1, SpamMissed: 1}
}

// Validate returns everything that is wrong with o.
func (o ThresholdOptions) Validate() error {
	var errs []error
	check := func(key string, percent float64) {
		if !(percent >= 0 && percent <= 100) { // also refuses NaN
			errs = append(errs, fmt.Errorf("%s is %v: must be a percentage from 0 to 100", key, percent))
		}
	}
	check("ham_lost", o.HamLost)
	check("spam_missed", o.SpamMissed)
	if !(o.Confidence >= 0 && o.Confidence < 100) {
		errs = append(errs, fmt.Errorf("confidence is %v: must be a percentage from 0 to less than 100", o.Confidence))
	}
	if o.Costs == "" {
		return errors.Join(errs...)
	}
	if _, err := parseCosts(o.Costs); err != nil {
		errs = append(errs, err)
	}
	if o.Confidence > 0 {
		errs = append(errs, fmt.Errorf("confidence is %v: must be 0 if costs are set, which have no limits to be sure of", o.Confidence))
	}
	return errors.Join(errs...)
}

// Thresholds are the scores at which a verdict changes: spam if score > Spam, unsure if Unsure < score <= Spam, else
// ham. Unsure <= Spam. If they were chosen by limits, 0 is between them: Unsure <= 0 <= Spam; if by costs, both may be on
// the same side of 0.
type Thresholds struct {
	Unsure float64 `json:"unsure"`
	Spam   float64 `json:"spam"`
}

// ChooseThresholds returns the thresholds that o asks for on development mail. Without Costs they are those closest to 0
// that keep within the limits:
//
//	Spam   = least t >= 0    with (number of ham with score > t)   <= allowed(HamLost, ham)
//	Unsure = greatest t <= 0 with (number of spam with score <= t) <= allowed(SpamMissed, spam)
//
//	allowed(limit, n) = floor(limit/100 * n)                                                if Confidence is 0
//	                    greatest k with UpperBound(k, n, Confidence/100) <= limit/100       else, or 0 if there is none
//
// 0 is the natural boundary of a score of one class over the other, and a tie there goes to ham, since losing ham costs more
// (so Unsure lies below the score of the first spam that would be one too many: it is the next smaller number).
//
// The bound of the share, [UpperBound], holds though the threshold is chosen by the same messages that are counted: with
// k allowed, Spam is at least the (k+1)-th greatest score of n ham, and the true share above that is distributed
// as Beta(k+1, n-k), which is the distribution that the bound is taken from. Source: S. S. Wilks 1941. It does not hold
// for mail of another kind, nor for mail that the model has been trained on, and promises too much where many development
// messages are nearly the same, which show no more than one of them would.
//
// With Costs they are the two of all Unsure <= Spam with the least
//
//	lost * (ham with score > Spam) + missed * (spam with score <= Unsure) + unsure * (messages in between)
//
// and of equal cost those with the least ham lost, then with the least messages unsure, then with the higher Spam. Of all
// numbers between the same scores, each is the one closest to 0, as above. The costs have the same unit for all
// messages, so that the share of spam in the development mail counts. Calling messages unsure pays only if
//
//	unsure < lost * missed / (lost + missed)
//
// since otherwise calling all of those in between ham, or all of them spam, costs no more. Then nothing is unsure (Unsure
// = Spam), unless that costs nothing: with 10:1 from 0.909 on. Sources: the costs of SpamBayes (best_cutoff_fp_weight and the
// like), F. Tortorella 2000.
//
// The warnings say what makes the thresholds doubtful: too few messages for one error to be within the limit, so that
// keeping to it shows little, or for no error at all to be a promise; costs that give every message the same verdict; or no
// ham or no spam at all, and then both thresholds are 0. o has been validated and the scores are finite: a valid model
// gives no others.
func ChooseThresholds(scores []float64, spam []bool, o ThresholdOptions) (Thresholds, []string) {
	hams, spams := byClass(scores, spam)
	if len(hams) == 0 || len(spams) == 0 {
		return Thresholds{}, []string{fmt.Sprintf("thresholds stay at 0: the development part has %d ham and %d spam",
			len(hams), len(spams))}
	}
	if o.Costs != "" {
		return o.byCosts(tallies(scores, spam))
	}
	slices.Sort(hams)
	slices.Reverse(hams)
	slices.Sort(spams)

	var t Thresholds
	if k := o.allowed(len(hams), o.HamLost); k < len(hams) {
		t.Spam = max(0, hams[k])
	}
	if k := o.allowed(len(spams), o.SpamMissed); k < len(spams) && spams[k] <= 0 {
		t.Unsure = math.Nextafter(spams[k], math.Inf(-1))
	}
	var warnings []string
	for _, doubt := range []string{o.doubt("ham", len(hams), o.HamLost), o.doubt("spam", len(spams), o.SpamMissed)} {
		if doubt != "" {
			warnings = append(warnings, doubt)
		}
	}
	return t, warnings
}

// doubt says what is wrong with a limit for n messages of a class, or nothing.
func (o ThresholdOptions) doubt(class string, n int, percent float64) string {
	if o.Confidence == 0 {
		if percent == 0 || floorOf(n, percent) > 0 {
			return ""
		}
		return fmt.Sprintf("a limit of %v %% cannot be seen in %d development %s: at least %.0f are needed",
			percent, n, class, math.Ceil(100/percent-rounding))
	}
	if o.promised(0, n, percent) {
		return ""
	}
	if percent == 0 {
		return fmt.Sprintf("a limit of 0 %% of %s cannot be promised, however many messages there are", class)
	}
	return fmt.Sprintf("a limit of %v %% cannot be promised with %v %% confidence from %d development %s: at least %.0f are needed",
		percent, o.Confidence, n, class, needed(percent/100, o.Confidence/100))
}

// needed returns how many messages without an error it takes for a share of errors up to the limit to be sure with the
// given confidence: the least n with (1-limit)^n <= 1 - confidence.
func needed(limit, confidence float64) float64 {
	return max(1, math.Ceil(math.Log1p(-confidence)/math.Log1p(-limit)-rounding))
}

// rounding is more than what a product of a percentage and a number of messages is off by: 0.29 % of 10,000 messages is
// 29 of them, though 0.29 * 10000 / 100 is a little less in binary.
const rounding = 1e-9

// allowed returns how many of n messages may go wrong.
func (o ThresholdOptions) allowed(n int, percent float64) int {
	if o.Confidence == 0 {
		return floorOf(n, percent)
	}
	tooMany := sort.Search(n+1, func(k int) bool { return !o.promised(k, n, percent) })
	return max(0, tooMany-1)
}

// promised says whether k of n messages that went wrong are few enough.
func (o ThresholdOptions) promised(k, n int, percent float64) bool {
	return UpperBound(k, n, o.Confidence/100) <= percent/100*(1+rounding)
}

// floorOf returns floor(percent/100 * n).
func floorOf(n int, percent float64) int {
	return int(math.Floor(float64(n)*percent/100 + rounding))
}
