package metrics

import (
	"cmp"
	"slices"
)

// OneMinusROCA returns (1-ROCA)%: 100 * (1 - area under the ROC curve), which is the percentage of pairs of a ham and a
// spam that are in the wrong order, ham scored above spam; a tie counts half. 0 is a perfect order, 50 is chance. It is
// not defined without ham or without spam.
//
// Source: TREC 2005 Spam Track Overview; the area as a number of pairs is the U statistic of Mann and Whitney (1947).
// The pairs are counted in whole numbers, in O(n log n), so the result does not depend on the order of the messages.
func OneMinusROCA(scores []float64, spam []bool) (percent float64, defined bool) {
	mustMatch(len(scores), len(spam))
	type message struct {
		score float64
		spam  bool
	}
	messages := make([]message, len(scores))
	for i, score := range scores {
		messages[i] = message{score, spam[i]}
	}
	slices.SortFunc(messages, func(x, y message) int { return cmp.Compare(x.score, y.score) })

	var hams, spams, halves int64 // halves: twice the number of pairs in the wrong order
	for at := 0; at < len(messages); {
		var tiedHams, tiedSpams int64
		for score := messages[at].score; at < len(messages) && messages[at].score == score; at++ {
			if messages[at].spam {
				tiedSpams++
			} else {
				tiedHams++
			}
		}
		halves += 2*tiedHams*spams + tiedHams*tiedSpams
		hams += tiedHams
		spams += tiedSpams
	}
	if hams == 0 || spams == 0 {
		return 0, false
	}
	return 100 * float64(halves) / (2 * float64(hams) * float64(spams)), true
}
