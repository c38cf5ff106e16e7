package metrics

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"
)

// ThresholdOptions say how many errors are allowed, or what they cost. They decide the scores between which a message is unsure.
type ThresholdOptions struct {
	// HamLost is the largest share of ham that may get the verdict spam, in percent. 0 to 100. Default 0.1.
	HamLost float64 `json:"ham_lost"`
	// SpamMissed is the largest share of spam that may get the verdict ham, in percent. 0 to 100. Default 1.
	SpamMissed float64 `json:"spam_missed"`
	// Confidence makes HamLost a guarantee for new mail: the upper end of the interval with this confidence, in
	// percent, stays within HamLost. With 95, a limit of 0.1% takes 2,995 ham; with less ham the threshold rises above
	// all ham, and more spam is unsure. 0, which guarantees nothing, or from 1 to less than 100. Default 95.
	Confidence float64 `json:"confidence"`
	// Costs is what a lost ham, a missed spam and an unsure message cost, such as 10:1:0.2; the thresholds of least
	// cost replace limits and confidence. Three numbers from 0 to 100000 with at most six decimals. Default "".
	Costs string `json:"costs"`
}

// DefaultThresholdOptions returns the default options.
func DefaultThresholdOptions() ThresholdOptions {
	return ThresholdOptions{HamLost: 0.1, SpamMissed: 1, Confidence: 95}
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
	if !(o.Confidence == 0 || o.Confidence >= 1 && o.Confidence < 100) {
		errs = append(errs, fmt.Errorf("confidence is %v: must be a percentage, 0 or from 1 to less than 100%s", o.Confidence, asPercentage(o.Confidence)))
	}
	if o.Costs != "" {
		_, err := parseCosts(o.Costs)
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// asPercentage returns a hint for a share of 1 that was meant as a percentage.
func asPercentage(share float64) string {
	if share > 0 && share < 1 {
		return fmt.Sprintf("; for %v %% it is %[1]v", math.Round(share*1e6)/1e4)
	}
	return ""
}

// Thresholds are the scores at which the verdict changes: spam if score > Spam, unsure if Unsure < score <= Spam, otherwise ham.
// Limits give Unsure <= 0 <= Spam. With costs, both can be on the same side of 0, and Unsure <= Spam.
type Thresholds struct {
	Unsure float64 `json:"unsure"`
	Spam   float64 `json:"spam"`
}

// ChooseThresholds returns the thresholds for mail that the model has not learned. Without Costs they are those closest to 0 that
// keep the limits:
//
//	Spam   = least t >= 0    with (number of ham with score > t)   <= allowed ham
//	Unsure = greatest t <= 0 with (number of spam with score <= t) <= floor(SpamMissed/100 * spam)
//
//	allowed ham = floor(HamLost/100 * ham)                                                if Confidence is 0
//	              greatest k with UpperBound(k, ham, Confidence/100) <= HamLost/100       else, or 0 if there is none
//
// 0 is the natural boundary between two classes. A tie goes to ham, because losing ham costs more: Unsure is the next number below the
// score of the first spam that would be one too many.
//
// [UpperBound] holds even though the same messages choose the threshold: with k allowed, Spam is at least the (k+1)-th greatest
// score of n ham, and the true share above it has the distribution Beta(k+1, n-k), from which the bound is taken. Source: S. S.
// Wilks 1941. The bound does not hold for mail of another kind or for mail that the model was trained on. Near-duplicates count as
// separate messages, which breaks no guarantee on the public corpora (docs/results.md).
//
// If the bound is above the limit even for k = 0, there is too little ham. Then Spam is above the scores of all ham, by an
// extrapolation of the tail of their distribution.
//
// With Costs, the thresholds are those of all Unsure <= Spam with the least
//
//	lost * (ham with score > Spam) + missed * (spam with score <= Unsure) + unsure * (messages in between)
//
// Ties go to the least ham lost, then to the fewest messages unsure, then to the higher Spam. Among the numbers between two
// scores, a threshold is the one closest to 0. The share of spam in the development mail matters, because all messages count
// alike. Unsure verdicts pay only if
//
//	unsure < lost * missed / (lost + missed)
//
// because otherwise calling all of those messages ham, or all of them spam, costs no more. With 10:1, that is below 0.909. Above,
// Unsure = Spam, unless unsure messages cost nothing. Sources: the costs of SpamBayes (best_cutoff_fp_weight and the like), F.
// Tortorella 2000.
//
// The warnings say why the thresholds are doubtful: too few messages to check a limit without confidence, costs that give every
// message the same verdict, or no ham or no spam, in which case both thresholds are 0. For limits with confidence see
// [ThresholdOptions.Promise]. o is valid and the scores are finite.
func ChooseThresholds(scores []float64, spam []bool, o ThresholdOptions) (Thresholds, []string) {
	hams, spams := byClass(scores, spam)
	if len(hams) == 0 || len(spams) == 0 {
		return Thresholds{}, []string{fmt.Sprintf("thresholds stay at 0: there are %d ham and %d spam to choose them on",
			len(hams), len(spams))}
	}
	if o.Costs != "" {
		return o.byCosts(tallies(scores, spam))
	}
	slices.Sort(hams)
	slices.Reverse(hams)
	slices.Sort(spams)

	var t Thresholds
	if k := o.allowed(len(hams)); k < len(hams) {
		t.Spam = max(0, hams[k])
	}
	if o.Confidence > 0 && !o.promised(0, len(hams)) {
		t.Spam = max(t.Spam, o.raisedThreshold(hams, spams))
	}
	if k := floorOf(len(spams), o.SpamMissed); k < len(spams) && spams[k] <= 0 {
		t.Unsure = math.Nextafter(spams[k], math.Inf(-1))
	}
	var warnings []string
	if o.Confidence == 0 {
		warnings = doubt(warnings, "ham", len(hams), o.HamLost)
	}
	return t, doubt(warnings, "spam", len(spams), o.SpamMissed)
}

// doubt adds a warning if n messages of a class are too few to check a limit.
func doubt(warnings []string, class string, n int, percent float64) []string {
	if percent == 0 || floorOf(n, percent) > 0 {
		return warnings
	}
	return append(warnings, fmt.Sprintf("%d %s are too few to check a %v%% limit: at least %.0f are needed",
		n, class, percent, math.Ceil(100/percent-rounding)))
}

// rounding bounds the rounding error of a percentage of messages: 0.29 % of 10,000 messages are 29, but 0.29 * 10000 / 100 is a
// little less in binary.
const rounding = 1e-9

// allowed returns how many of n ham may be called spam.
func (o ThresholdOptions) allowed(n int) int {
	if o.Confidence == 0 {
		return floorOf(n, o.HamLost)
	}
	tooMany := sort.Search(n+1, func(k int) bool { return !o.promised(k, n) })
	return max(0, tooMany-1)
}

// promised reports whether the limit can be promised if k of n ham are called spam.
func (o ThresholdOptions) promised(k, n int) bool {
	return UpperBound(k, n, o.Confidence/100) <= o.HamLost/100*(1+rounding)
}

// floorOf returns floor(percent/100 * n).
func floorOf(n int, percent float64) int {
	return int(math.Floor(float64(n)*percent/100 + rounding))
}
