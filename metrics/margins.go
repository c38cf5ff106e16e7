package metrics

import (
	"slices"
	"sort"
)

// Margins are the scores of spam over ham of labelled messages, those of each label in ascending order.
type Margins struct{ Ham, Spam []float64 }

// NewMargins sorts the scores of messages by their labels.
func NewMargins(scores []float64, spam []bool) (m Margins) {
	mustMatch(len(scores), len(spam))
	for i, score := range scores {
		if spam[i] {
			m.Spam = append(m.Spam, score)
		} else {
			m.Ham = append(m.Ham, score)
		}
	}
	slices.Sort(m.Ham)
	slices.Sort(m.Spam)
	return m
}

// above returns how many of the ascending scores are above t.
func above(scores []float64, t float64) int {
	return len(scores) - sort.Search(len(scores), func(i int) bool { return scores[i] > t })
}

// VerdictCounts counts the messages of each class by the verdict of a spam filter.
type VerdictCounts struct {
	Ham  ByVerdict `json:"ham"`
	Spam ByVerdict `json:"spam"`
}

// ByVerdict counts messages by verdict.
type ByVerdict struct {
	Ham    int `json:"ham"`
	Unsure int `json:"unsure"`
	Spam   int `json:"spam"`
}

// Messages returns the sum over the verdicts.
func (b ByVerdict) Messages() int { return b.Ham + b.Unsure + b.Spam }

func (b ByVerdict) plus(other ByVerdict) ByVerdict {
	return ByVerdict{b.Ham + other.Ham, b.Unsure + other.Unsure, b.Spam + other.Spam}
}

// Plus returns the counts of the messages of both.
func (v VerdictCounts) Plus(other VerdictCounts) VerdictCounts {
	return VerdictCounts{v.Ham.plus(other.Ham), v.Spam.plus(other.Spam)}
}

// Verdicts counts the messages by the verdicts that thresholds give them.
func (m Margins) Verdicts(t Thresholds) *VerdictCounts {
	count := func(scores []float64) ByVerdict {
		spam, notHam := above(scores, t.Spam), above(scores, t.Unsure)
		return ByVerdict{Ham: len(scores) - notHam, Unsure: notHam - spam, Spam: spam}
	}
	return &VerdictCounts{count(m.Ham), count(m.Spam)}
}

// oneMinusROCA returns (1-ROCA)%: 100 * (1 - area under the ROC curve). It is the percentage of pairs of a ham and a spam in which the ham has
// the higher score; a tie counts half. 0 is perfect, 50 is chance. It is nil without ham or without spam.
//
// Sources: TREC 2005 Spam Track Overview; the number of pairs is the U statistic of Mann and Whitney (1947). Pairs are counted in
// integers, in O(n log n), so the order of the messages does not matter.
func (m Margins) oneMinusROCA() *float64 {
	halves := 0 // twice the number of these pairs, so that a tie counts 1
	for _, ham := range m.Ham {
		below, notAbove := sort.SearchFloat64s(m.Spam, ham), len(m.Spam)-above(m.Spam, ham)
		halves += below + notAbove
	}
	pairs := float64(len(m.Ham)) * float64(len(m.Spam))
	return orNil(100*float64(halves)/(2*pairs), pairs > 0)
}
