package metrics

// OneMinusROCA returns (1-ROCA)%: 100 * (1 - area under the ROC curve). It is the percentage of pairs of a ham and a spam in which the
// ham has the higher score; a tie counts half. 0 is perfect, 50 is chance. It is not defined without ham or without spam.
//
// Sources: TREC 2005 Spam Track Overview; the number of pairs is the U statistic of Mann and Whitney (1947). Pairs are counted in
// integers, in O(n log n), so the order of the messages does not matter.
func OneMinusROCA(scores []float64, spam []bool) (percent float64, defined bool) {
	return countPairs(scores, spam).percent()
}

// pairs counts the pairs of a ham and a spam in which the ham has the higher score.
type pairs struct {
	ham, spam int64 // messages
	halves    int64 // twice the number of these pairs, so that a tie counts 1
}

func countPairs(scores []float64, spam []bool) pairs {
	var p pairs
	for _, t := range tallies(scores, spam) {
		ham, spam := int64(t.ham), int64(t.spam)
		p.halves += 2*ham*p.spam + ham*spam
		p.ham += ham
		p.spam += spam
	}
	return p
}

// percent returns the percentage of these pairs. It is not defined without ham or without spam.
func (p pairs) percent() (percent float64, defined bool) {
	if p.ham == 0 || p.spam == 0 {
		return 0, false
	}
	return 100 * float64(p.halves) / (2 * float64(p.ham) * float64(p.spam)), true
}
