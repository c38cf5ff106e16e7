package metrics

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// ThresholdOptions say how much may go wrong on development mail. They move the scores at which a verdict changes, so
// that mail in between is called unsure.
type ThresholdOptions struct {
	// HamLost is the largest share of ham that may get the verdict spam. A percentage from 0 to 100; default 0.1. With
	// 0, no development ham may be called spam.
	HamLost float64 `json:"ham_lost"`
	// SpamMissed is the largest share of spam that may get the verdict ham. A percentage from 0 to 100; default 1. With
	// 0, no development spam may be called ham.
	SpamMissed float64 `json:"spam_missed"`
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
	return errors.Join(errs...)
}

// Thresholds are the scores at which a verdict changes: spam if score > Spam, unsure if Unsure < score <= Spam, else
// ham. Unsure <= 0 <= Spam.
type Thresholds struct {
	Unsure float64 `json:"unsure"`
	Spam   float64 `json:"spam"`
}

// ChooseThresholds returns the thresholds closest to 0 that keep within the limits of o on development mail:
//
//	Spam   = least t >= 0    with (number of ham with score > t)   <= floor(HamLost/100 * ham)
//	Unsure = greatest t <= 0 with (number of spam with score <= t) <= floor(SpamMissed/100 * spam)
//
// 0 is the natural boundary of a score of one class over the other, and a tie there goes to ham, since losing ham costs more
// (so Unsure lies below the score of the first spam that would be one too many: it is the next smaller number).
//
// The warnings say what makes the thresholds doubtful: too few messages for one error to be within the limit, so that
// keeping to it shows little; or no ham or no spam at all, and then both thresholds are 0. o has been validated and the
// scores are finite: a valid model gives no others.
func ChooseThresholds(scores []float64, spam []bool, o ThresholdOptions) (Thresholds, []string) {
	mustMatch(len(scores), len(spam))
	var hams, spams []float64
	for i, score := range scores {
		if spam[i] {
			spams = append(spams, score)
		} else {
			hams = append(hams, score)
		}
	}
	if len(hams) == 0 || len(spams) == 0 {
		return Thresholds{}, []string{fmt.Sprintf("thresholds stay at 0: the development part has %d ham and %d spam",
			len(hams), len(spams))}
	}
	slices.Sort(hams)
	slices.Reverse(hams)
	slices.Sort(spams)

	var t Thresholds
	if k := allowed(len(hams), o.HamLost); k < len(hams) {
		t.Spam = max(0, hams[k])
	}
	if k := allowed(len(spams), o.SpamMissed); k < len(spams) && spams[k] <= 0 {
		t.Unsure = math.Nextafter(spams[k], math.Inf(-1))
	}
	var warnings []string
	warn := func(class string, n int, percent float64) {
		if percent > 0 && allowed(n, percent) == 0 {
			warnings = append(warnings, fmt.Sprintf("a limit of %v %% cannot be seen in %d development %s: at least %d are needed",
				percent, n, class, int(math.Ceil(100/percent-rounding))))
		}
	}
	warn("ham", len(hams), o.HamLost)
	warn("spam", len(spams), o.SpamMissed)
	return t, warnings
}

// rounding is more than what a product of a percentage and a number of messages is off by: 0.29 % of 10,000 messages is
// 29 of them, though 0.29 * 10000 / 100 is a little less in binary.
const rounding = 1e-9

// allowed returns floor(percent/100 * n).
func allowed(n int, percent float64) int {
	return int(math.Floor(float64(n)*percent/100 + rounding))
}
