package metrics

import (
	"cmp"
	"slices"
)

// tally counts the messages with one score.
type tally struct {
	score     float64
	ham, spam int
}

func (t tally) messages() int { return t.ham + t.spam }

// tallies returns one tally for each distinct score, in ascending order.
func tallies(scores []float64, spam []bool) []tally {
	mustMatch(len(scores), len(spam))
	all := make([]tally, len(scores))
	for i, score := range scores {
		if spam[i] {
			all[i] = tally{score: score, spam: 1}
		} else {
			all[i] = tally{score: score, ham: 1}
		}
	}
	slices.SortFunc(all, func(x, y tally) int { return cmp.Compare(x.score, y.score) })

	distinct := all[:0]
	for _, t := range all {
		if last := len(distinct) - 1; last >= 0 && distinct[last].score == t.score {
			distinct[last].ham += t.ham
			distinct[last].spam += t.spam
			continue
		}
		distinct = append(distinct, t)
	}
	return distinct
}

// totals returns how many messages are ham and how many are spam.
func totals(tallies []tally) (ham, spam int) {
	for _, t := range tallies {
		ham += t.ham
		spam += t.spam
	}
	return ham, spam
}
