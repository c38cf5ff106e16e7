package metrics

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mathext"

	"chaff/internal/fieldtags"
	"chaff/internal/screen"
)

// ThresholdOptions say how many errors are allowed, or what they cost. They decide the scores between which a message is unsure.
type ThresholdOptions struct {
	// HamLost is the share of ham that may get the verdict spam, in percent: the spam threshold aims at it. With 0, nothing is called
	// spam. 0 to 100. Default 0.1.
	HamLost float64 `json:"ham_lost" range:"a percentage from 0 to 100" default:"0.1"`
	// SpamMissed is the share of spam that may get the verdict ham, in percent: below 1, more messages are unsure. 0 to 100.
	// Default 1.
	SpamMissed float64 `json:"spam_missed" range:"a percentage from 0 to 100" default:"1"`
	// Confidence is the level of the guarantee that is printed, in percent; it moves no threshold. 0, which prints none, or
	// from 1 to less than 100. Default 95.
	Confidence float64 `json:"confidence" range:"a percentage, 0 or from 1 to less than 100" default:"95"`
	// Costs is what a lost ham, a missed spam and an unsure message cost, such as 10:1:0.2; the thresholds of least
	// cost replace both limits. Three numbers from 0 to 100000 with at most six decimals. Default "".
	Costs string `json:"costs"`
}

// DefaultThresholdOptions returns the default options.
func DefaultThresholdOptions() ThresholdOptions { return fieldtags.Default[ThresholdOptions]() }

// Validate returns everything that is wrong with o.
func (o ThresholdOptions) Validate() error {
	errs := []error{fieldtags.Check(o)}
	if o.Confidence > 0 && o.Confidence < 1 { // a share that was meant as a percentage
		errs = append(errs, fmt.Errorf("confidence is %v: for %v%% it is %[2]v", o.Confidence, math.Round(o.Confidence*1e6)/1e4))
	}
	if o.Costs != "" {
		_, err := parseCosts(o.Costs)
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// Thresholds are the scores at which the verdict changes: spam if score > Spam, unsure if Unsure < score <= Spam, otherwise ham. Unsure <= Spam.
type Thresholds struct {
	Unsure float64 `json:"unsure"`
	Spam   float64 `json:"spam"`
}

// Beyond is a threshold that no score reaches.
const Beyond = 1e6

// FindsSpam reports whether a score can reach the threshold of spam.
func (t Thresholds) FindsSpam() bool { return t.Spam < Beyond }

// Scale says what the scores of a model mean before any message is scored. The zero value is a model whose scores have no unit.
type Scale struct {
	// Ham is how many ham the model has learned, near-duplicates once. If fewer than are scored, those count.
	Ham int
	// Prior is log(spam / ham) of the messages that the model has learned, and Apart the same where near-duplicates count as one message.
	// They count only with LogOdds.
	Prior, Apart float64
	// LogOdds is what one unit of log likelihood ratio adds to the score in the upper tail of the ham, c below: less than 1 if
	// a model bounds its evidence. 0 for scores without a unit.
	LogOdds float64
	// Bounds are what all scores stay between. They count only with LogOdds.
	Bounds [2]float64
}

// score returns the score at a log likelihood ratio, in units of the score. The prior is in the score of all mail, and scores near a bound move
// little with it.
func (s Scale) score(prior, ratio float64) float64 {
	room := ratio - s.Bounds[0]
	if prior > 0 {
		room = s.Bounds[1] - ratio
	}
	if room > 0 {
		prior = room * math.Tanh(prior/room)
	}
	return prior + ratio
}

// ChooseThresholds returns the thresholds for mail that the model has not learned, from scores of labelled mail that the model has
// not learned. With limits they come from the scale of the scores, which a few wrong labels do not move:
//
//	Spam   = p(x) + x, x = c r, r = (1 + 2/n) log(100 / HamLost)    if the scores are log odds; n: the number of ham learned
//	         0.7 m r / log(1000), r = (1 + 10/n) log(100 / HamLost) else; m: the median score of the spam
//	Unsure = min(Spam, p(y) + y), y = min(0, log(SpamMissed))       if the scores are log odds
//	         min(Spam, 0.7 m0 y / log(1000))                        else; m0: the median score of the ham, with the sign changed
//	p(x)   = |b - x| tanh(P / |b - x|)                              P: max(Prior, Apart) for Spam, Apart for Unsure
//	                                                                b: the bound on the side of P
//
// Log odds are the prior and the logarithm of a likelihood ratio, and of ham at most one in k messages has a ratio of k or more (J.
// Ville 1939): so HamLost allows a ratio of 100 / HamLost. A few messages do not show all kinds of ham, so with few of them the ratio has to be
// greater. docs/inside/thresholds.md derives the rules and measures them.
//
// The scale may be wrong. But a part of what is labelled ham may be spam, and this part has the scores of spam: half of it is above the
// median of the spam. With k of n ham above the median, and a standard deviation of sqrt(k), this part is
//
//	e = 2 (k + sqrt(k)) / n
//
// If more ham has a score above Spam than HamLost and e explain, by a binomial test with 95% confidence, Spam rises until they explain it.
//
// Unsure then moves by what is measured. If more of the spam than SpamMissed is ham, it falls until it is not, but only while at most 2% of the ham is
// above. If more than 2% of the ham, and e, is above, it rises until it is not, but only while at most SpamMissed of the spam is ham.
//
// Less than 50 ham do not show what a score above 0 means if scores have no unit and m is 0 or less. Nothing is called spam then.
//
// Scores of a young model, or of short texts, are small. If less than half of the spam is above the threshold of log odds, and of 50 ham or more
// none but what e explains above that for scores without a unit, it is at most 1/0.7 of this: with a limit of 0.1% the median of the spam.
//
// With Costs, they decide: see byCosts. Without scores of both classes nothing is called spam. The warnings say so. o is valid and the scores are
// finite.
func ChooseThresholds(m Margins, scale Scale, o ThresholdOptions) (Thresholds, []string) {
	hams, spams := m.Ham, m.Spam
	if len(hams) == 0 || len(spams) == 0 {
		return Thresholds{Spam: Beyond}, []string{fmt.Sprintf("nothing is called spam: the held-out mail has %d ham and %d spam, and both are needed",
			len(hams), len(spams))}
	}
	if o.Costs != "" {
		return o.byCosts(m)
	}
	spam, warnings := o.spamThreshold(hams, spams, scale)
	t := Thresholds{Spam: spam}
	ratio := min(0, math.Log(o.SpamMissed))
	switch {
	case o.SpamMissed == 0:
		t.Unsure = -Beyond
		warnings = append(warnings, "nothing is called ham: thresholds.spam_missed is 0")
	case scale.LogOdds > 0:
		t.Unsure = min(t.Spam, scale.score(scale.Apart, ratio))
	default:
		t.Unsure = min(t.Spam, unitOf(-hams[len(hams)/2])*ratio)
	}
	t.Unsure = min(t.Spam, measured(t.Unsure, hams, spams, o.SpamMissed/100))
	return t, warnings
}

// unitOf returns the score that stands for a likelihood ratio of e by the median score of a class, for scores without a unit.
func unitOf(median float64) float64 { return unitShare * max(0, median) / math.Log(1000) }

// spamThreshold returns the spam threshold, see [ChooseThresholds].
func (o ThresholdOptions) spamThreshold(hams, spams []float64, scale Scale) (t float64, warnings []string) {
	if o.HamLost == 0 {
		return Beyond, []string{"nothing is called spam: thresholds.ham_lost is 0"}
	}
	n, median, few := max(scale.Ham, len(hams)), spams[len(spams)/2], fewHamNoUnit
	switch {
	case scale.LogOdds > 0:
		few = fewHam
	case median <= 0 && len(hams) < enoughHam:
		return Beyond, nil // training says that such a model has learned little
	}
	ratio := math.Log(min(100/o.HamLost, math.MaxFloat64)) * (1 + few/float64(n))
	without := unitOf(median) * ratio
	t = without
	if scale.LogOdds > 0 {
		t = scale.score(max(scale.Prior, scale.Apart), scale.LogOdds*ratio)
		if len(hams) >= enoughHam && 2*above(spams, t) < len(spams) && float64(above(hams, without)) <= mislabelled(hams, spams, without) {
			t = min(t, without/unitShare)
		}
	}
	if t = guarded(t, hams, spams, o.HamLost/100); scale.LogOdds > 0 && t >= scale.Bounds[1] {
		warnings = []string{fmt.Sprintf("nothing is called spam: with %d ham no score is high enough for thresholds.ham_lost=%v", n, o.HamLost)}
	}
	return t, warnings
}

// fewHam is how many ham double the logarithm of the ratio that the spam threshold needs: 1 + 2/n with n ham. It was chosen on two corpora: after
// 10 ham and 30 spam of SpamAssassin, 3.1% of new ham was lost without it, and 0.8% with it. Scores without a unit have no bounds, and need more: after
// 10 ham and 30 spam of Enron-Spam, softmax regression lost 28% without it, and 0.1% with it.
const fewHam, fewHamNoUnit = 2., 10.

// unitShare is the share of the median score of a class that stands for a likelihood ratio of 1000, for scores without a unit.
const unitShare = 0.7

// enoughHam is how much ham is needed to lower a threshold. With 30 messages of each class of Enron-Spam, 0.9% of new ham scored above thresholds that
// none of the 30 reached.
const enoughHam = 50

// guardConfidence is the confidence of the test that more ham is lost than the limit and wrong labels explain.
const guardConfidence = 0.95

// guarded returns the least threshold, at least t, above which the ham is no more than a limit and wrong labels explain. Scores ascend.
func guarded(t float64, hams, spams []float64, limit float64) float64 {
	n := len(hams)
	for lost := above(hams, t); lost > 0; lost = above(hams, t) {
		share := min(1, limit+mislabelled(hams, spams, t)/float64(n))
		if mathext.RegIncBeta(float64(lost), float64(n-lost+1), share) >= 1-guardConfidence { // P(at least so many of n)
			break
		}
		t = hams[n-lost]
	}
	return t
}

// unsureHam is the share of the ham that may be unsure so that less spam is ham. Where more is, more spam may be ham.
const unsureHam = 0.02

// measured returns the unsure threshold t, moved by what is measured, with a limit of spam that is called ham. Scores ascend.
func measured(t float64, hams, spams []float64, limit float64) float64 {
	some := int(limit * float64(len(spams)))
	missed := math.Nextafter(spams[min(some, len(spams)-1)], -Beyond) // up to here, that much spam is ham
	doubted := func(wrong float64) float64 {                          // above here, 2% of the ham is unsure, beside wrong labels
		return hams[max(0, len(hams)-1-int(unsureHam*float64(len(hams))+wrong))]
	}
	if len(hams) >= enoughHam {
		t = min(t, max(missed, doubted(0)))
	}
	if some > 0 { // less spam does not prove that less may be unsure
		t = max(t, min(missed, doubted(mislabelled(hams, spams, t))))
	}
	return t
}

// mislabelled returns how many messages above t are spam that is labelled ham: n e times the share of the spam above t, see [ChooseThresholds].
func mislabelled(hams, spams []float64, t float64) float64 {
	k := float64(above(hams, spams[len(spams)/2]))
	return 2 * (k + math.Sqrt(k)) * float64(above(spams, t)) / float64(len(spams))
}

// Promise is what a threshold guarantees about future ham that is like the ham it was measured on.
type Promise struct {
	Ham           int     `json:"ham"`                     // how many were judged
	Lost          int     `json:"lost"`                    // how many of them are above the threshold
	Confidence    float64 `json:"confidence"`              // in percent
	HamLost       float64 `json:"ham_lost"`                // the largest share of future ham that is called spam, in percent
	IfMislabelled float64 `json:"ham_lost_if_mislabelled"` // the same if the lost messages are spam with wrong labels
	Limit         float64 `json:"limit"`                   // the share that was aimed at
	// MoreHam is how many more ham, none of it called spam, would guarantee Limit. It is 0 if Limit is guaranteed, or if no number does so.
	MoreHam int `json:"more_ham,omitempty"`
}

// Promise returns what the thresholds t promise about mail like that with these scores, which had no part in t or only as its guard: the
// [UpperBound] of the share of ham above t.Spam. It assumes no distribution of the scores. It is nil without Confidence, with Costs, or without mail
// of both classes, and if t calls nothing spam.
func (o ThresholdOptions) Promise(t Thresholds, m Margins) *Promise {
	if o.Confidence == 0 || o.Costs != "" || len(m.Ham) == 0 || len(m.Spam) == 0 || t.Spam >= Beyond {
		return nil
	}
	p := Promise{Ham: len(m.Ham), Lost: above(m.Ham, t.Spam), Confidence: o.Confidence, Limit: o.HamLost}
	confidence := o.Confidence / 100
	p.HamLost = 100 * UpperBound(p.Lost, p.Ham, confidence)
	p.IfMislabelled = 100 * UpperBound(0, p.Ham-p.Lost, confidence)
	if n := needed(o.HamLost/100, confidence); p.Lost == 0 && p.HamLost > o.HamLost*(1+rounding) && o.HamLost > 0 && n < mostHam {
		p.MoreHam = int(n) - p.Ham
	}
	return &p
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
		return text + fmt.Sprintf("%v%% if the ham lost, %s of %s, is mislabelled)", roundedUp(p.IfMislabelled), screen.Grouped(p.Lost), screen.Grouped(p.Ham))
	case p.MoreHam > 0:
		return text + fmt.Sprintf("%s ham); %s more ham are needed for %v%%", screen.Grouped(p.Ham), screen.Grouped(p.MoreHam), p.Limit)
	}
	return text + screen.Grouped(p.Ham) + " ham)"
}

// roundedUp rounds a percentage above 0 up to two significant digits.
func roundedUp(percent float64) float64 {
	digits := 1 - math.Floor(math.Log10(percent)) // after the point
	unit := math.Pow(10, -digits)
	return math.Round(math.Ceil(percent/unit-rounding)*unit*1e9) / 1e9
}

// needed returns how many messages without an error guarantee the limit: the least n with (1-limit)^n <= 1 - confidence.
func needed(limit, confidence float64) float64 {
	return max(1, math.Ceil(math.Log1p(-confidence)/math.Log1p(-limit)-rounding))
}

// costs are the costs of one message of each kind, in millionths, so that equal sums are equal. 90 million messages do not overflow.
type costs struct {
	hamLost, spamMissed, unsure int64
}

const (
	millionth   = 1e-6
	highestCost = 100_000
)

// parseCosts reads "lost ham:missed spam:unsure".
func parseCosts(text string) (costs, error) {
	var c costs
	parts := strings.Split(text, ":")
	if len(parts) != 3 {
		return costs{}, fmt.Errorf("costs is %q: must be three numbers, of a lost ham, a missed spam and an unsure message, as 10:1:0.2", text)
	}
	for i, cost := range []*int64{&c.hamLost, &c.spamMissed, &c.unsure} {
		x, err := strconv.ParseFloat(strings.TrimSpace(parts[i]), 64)
		if err != nil || !(x >= 0 && x <= highestCost) { // also refuses NaN
			return costs{}, fmt.Errorf("costs is %q: %q must be a number from 0 to %d", text, parts[i], highestCost)
		}
		*cost = int64(math.Round(x / millionth))
		if float64(*cost)/1e6 != x {
			return costs{}, fmt.Errorf("costs is %q: %q must have at most six decimals", text, parts[i])
		}
	}
	return c, nil
}

func (c costs) sum(lost, missed, unsure int) int64 {
	return c.hamLost*int64(lost) + c.spamMissed*int64(missed) + c.unsure*int64(unsure)
}

// Cost returns the mean cost of the messages with these verdicts, in the unit of Costs; nil without messages or without Costs. o is valid.
func (o ThresholdOptions) Cost(v VerdictCounts) *float64 {
	if o.Costs == "" {
		return nil
	}
	c, _ := parseCosts(o.Costs) // o is valid
	messages, unsure := v.Ham.Messages()+v.Spam.Messages(), v.Ham.Unsure+v.Spam.Unsure
	return orNil(float64(c.sum(v.Ham.Spam, v.Spam.Ham, unsure))/1e6/float64(messages), messages > 0)
}

// byCosts returns the thresholds of all Unsure <= Spam with the least
//
//	lost * (ham with score > Spam) + missed * (spam with score <= Unsure) + unsure * (messages in between)
//
// Ties go to the least ham lost, then to the fewest messages unsure, then to the higher Spam. Among the numbers between two scores, a
// threshold is the one closest to 0. Unsure verdicts pay only if
//
//	unsure < lost * missed / (lost + missed)
//
// because otherwise calling all of those messages ham, or all of them spam, costs no more. Sources: the costs of SpamBayes
// (Options.py, best_cutoff_fp_weight and the like), F. Tortorella: An Optimal Reject Rule for Binary Classifiers (SSPR/SPR 2000, LNCS 1876).
//
// A threshold is a cut: the number of groups below it, each with one score. For the cuts u <= s of Unsure and Spam, the expense is a
// sum of one term for each cut, in lexicographic order, so it is least when both terms are:
//
//	(lost * ham above s  +  unsure * messages below s)  +  (missed * spam below u  -  unsure * messages below u)
func (o ThresholdOptions) byCosts(m Margins) (Thresholds, []string) {
	c, _ := parseCosts(o.Costs) // o is valid
	// The rank of cuts is first the cost, then the ham lost, then the messages unsure.
	rank := func(lost, missed, unsure int) [3]int64 {
		return [3]int64{c.sum(lost, missed, unsure), int64(lost), int64(unsure)}
	}
	isAtMost := func(x, y [3]int64) bool { return slices.Compare(x[:], y[:]) <= 0 }

	groups := m.tallies()
	var u struct{ cut, missed, below int } // the best cut of Unsure so far, with the spam and the messages below it
	lost := len(m.Ham)                     // ham above the cut
	missed, below := 0, 0                  // spam and messages below the cut
	best, unsureCut, spamCut := rank(lost, 0, 0), 0, 0
	for i, group := range groups {
		lost -= group.ham
		missed += group.spam
		below += group.ham + group.spam
		if isAtMost(rank(0, missed, -below), rank(0, u.missed, -u.below)) {
			u.cut, u.missed, u.below = i+1, missed, below
		}
		if r := rank(lost, u.missed, below-u.below); isAtMost(r, best) {
			best, unsureCut, spamCut = r, u.cut, i+1
		}
	}
	var verdict string // of all messages
	switch {
	case spamCut == 0:
		verdict = "spam"
	case unsureCut == len(groups):
		verdict = "ham"
	case unsureCut == 0 && spamCut == len(groups):
		verdict = "unsure"
	}
	t := Thresholds{Unsure: numberAt(unsureCut, groups), Spam: numberAt(spamCut, groups)}
	if verdict == "" {
		return t, nil
	}
	return t, []string{fmt.Sprintf("with the costs %s, all development mail is called %s", o.Costs, verdict)}
}

// numberAt returns the number closest to 0 that is at least the last score below the cut and less than the first score above it.
func numberAt(cut int, groups []tally) float64 {
	if cut > 0 && groups[cut-1].score >= 0 {
		return groups[cut-1].score
	}
	if cut < len(groups) && groups[cut].score <= 0 {
		return math.Nextafter(groups[cut].score, math.Inf(-1))
	}
	return 0
}
