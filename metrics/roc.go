package metrics

// OneMinusROCA returns (1-ROCA)%: 100 * (1 - area under the ROC curve), which is the percentage of pairs of a ham and a
// spam that are in the wrong order, ham scored above spam; a tie counts half. 0 is a perfect order, 50 is chance. It is
// not defined without ham or without spam.
//
// Source: TREC 2005 Spam Track Overview; the area as a number of pairs is the U statistic of Mann and Whitney (1947).
// The pairs are counted in whole numbers, in O(n log n), so the result does not depend on the order of the messages.
func OneMinusROCA(scores []float64, spam []bool) (percent float64, defined bool) {
	var p pairs
	for _, t := range tallies(scores, spam) {
		ham, spam := int64(t.ham), int64(t.spam)
		p.halves += 2*ham*p.spam + ham*spam
		p.ham += ham
		p.spam += spam
	}
	return p.percent()
}

// pairs counts the pairs of a ham and a spam that are in the wrong order.
type pairs struct {
	ham, spam int64 // messages
	halves    int64 // twice the number of pairs in the wrong order, so that a tie counts 1
}

// percent returns the percentage of the pairs that are in the wrong order. It is not defined if there are none.
func (p pairs) percent() (percent float64, defined bool) {
	if p.ham == 0 || p.spam == 0 {
		return 0, false
	}
	return 100 * float64(p.halves) / (2 * float64(p.ham) * float64(p.spam)), true
}
