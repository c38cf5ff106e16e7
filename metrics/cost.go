package metrics

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// costs are the costs of one message of each kind, in millionths. Integers make equal sums equal, and do not overflow for 90 million
// messages at the highest cost.
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

// Cost returns the mean cost of the messages with the thresholds t, in the unit of Costs. It is not defined without messages or
// without Costs. o is valid.
func (o ThresholdOptions) Cost(t Thresholds, scores []float64, spam []bool) (perMessage float64, defined bool) {
	mustMatch(len(scores), len(spam))
	c, err := parseCosts(o.Costs)
	if err != nil || len(scores) == 0 {
		return 0, false
	}
	lost, missed, unsure := 0, 0, 0
	for i, score := range scores {
		switch {
		case score > t.Spam:
			if !spam[i] {
				lost++
			}
		case score > t.Unsure:
			unsure++
		case spam[i]:
			missed++
		}
	}
	return float64(c.sum(lost, missed, unsure)) / 1e6 / float64(len(scores)), true
}

// expense is the rank of thresholds: first the cost, then the ham lost, then the messages unsure.
type expense struct {
	cost         int64
	lost, unsure int
}

func (e expense) plus(x expense) expense {
	return expense{e.cost + x.cost, e.lost + x.lost, e.unsure + x.unsure}
}

func (e expense) compare(x expense) int {
	return cmp.Or(cmp.Compare(e.cost, x.cost), cmp.Compare(e.lost, x.lost), cmp.Compare(e.unsure, x.unsure))
}

// byCosts returns the thresholds with the least cost; see [ChooseThresholds].
//
// A threshold is a cut: the number of groups below it, each with one score. For the cuts u <= s of Unsure and Spam, the expense is a
// sum of one term for each cut:
//
//	(lost * ham above s  +  unsure * messages below s)  +  (missed * spam below u  -  unsure * messages below u)
//
// Expenses are in lexicographic order, so the sum is least when both terms are. One pass from below, which remembers the best u so
// far, finds the best pair.
func (o ThresholdOptions) byCosts(groups []tally) (Thresholds, []string) {
	c, err := parseCosts(o.Costs)
	if err != nil {
		return Thresholds{}, []string{fmt.Sprintf("thresholds stay at 0: %v", err)}
	}
	lost, _ := totals(groups) // ham above the cut
	missed, below := 0, 0     // spam and messages below the cut
	unsureOf := func() expense { return expense{c.sum(0, missed, -below), 0, -below} }
	spamOf := func() expense { return expense{c.sum(lost, 0, below), lost, below} }

	bestUnsure, cut := unsureOf(), 0
	best, unsureCut, spamCut := spamOf().plus(bestUnsure), 0, 0
	for i, group := range groups {
		lost -= group.ham
		missed += group.spam
		below += group.messages()
		if e := unsureOf(); e.compare(bestUnsure) <= 0 {
			bestUnsure, cut = e, i+1
		}
		if e := spamOf().plus(bestUnsure); e.compare(best) <= 0 {
			best, unsureCut, spamCut = e, cut, i+1
		}
	}
	return Thresholds{Unsure: numberAt(unsureCut, groups), Spam: numberAt(spamCut, groups)}, o.oneSided(unsureCut, spamCut, len(groups))
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

// oneSided returns a warning if the cuts give all messages the same verdict.
func (o ThresholdOptions) oneSided(unsureCut, spamCut, groups int) []string {
	verdict := ""
	switch {
	case spamCut == 0:
		verdict = "spam"
	case unsureCut == groups:
		verdict = "ham"
	case unsureCut == 0 && spamCut == groups:
		verdict = "unsure"
	default:
		return nil
	}
	return []string{fmt.Sprintf("with the costs %s, all development mail is called %s", o.Costs, verdict)}
}
