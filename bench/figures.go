package main

import (
	"slices"
	"time"

	"chaff/metrics"
)

// median is the one in the middle of the values in their order, the mean of two if there are two; 0 if there are none.
func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	half := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[half]
	}
	return (sorted[half-1] + sorted[half]) / 2
}

// timing is what the runs of one step cost.
type timing struct {
	cpu, wall []float64 // seconds
	peak      int64     // bytes, the most of all runs
}

func (t *timing) add(c cost) {
	t.cpu = append(t.cpu, c.CPU.Seconds())
	t.wall = append(t.wall, c.Wall.Seconds())
	t.peak = max(t.peak, c.Peak)
}

// runs is how many there were.
func (t timing) runs() int { return len(t.cpu) }

// seconds is the CPU time of a run, the median.
func (t timing) seconds() float64 { return median(t.cpu) }

// rate is how much of an amount is done in a second of CPU time; 0 if nothing was measured.
func (t timing) rate(amount float64) float64 {
	if t.seconds() == 0 {
		return 0
	}
	return amount / t.seconds()
}

// slow tells whether a step takes so long that a few runs are enough.
func (t timing) slow(limit time.Duration) bool { return t.seconds() > limit.Seconds() }

// ratio is a over b; it is undefined, and 0, if one of them was not measured.
func ratio(a, b float64) float64 {
	if a == 0 || b == 0 {
		return 0
	}
	return a / b
}

// judged is how right the answers about the test part are.
type judged struct {
	verdicts metrics.Figures // spam is what the program calls so
	middle   metrics.Figures // spam is what has a score above the middle of its scale
	missing  int             // messages that got no answer
}

// judge compares answers with what the letters are. A message without an answer counts as ham, as it would be in a mail
// system, with a score below that of all others.
func judge(letters []letter, answers []answer, middle float64) judged {
	byName := make(map[string]answer)
	lowest := middle
	for _, a := range answers {
		byName[a.name] = a
		lowest = min(lowest, a.score)
	}
	var j judged
	var labels, verdicts, sides []int32
	var scores []float64
	var spam []bool
	for _, l := range letters {
		a, known := byName[l.name]
		if !known {
			j.missing++
			a.score = lowest - 1
		}
		labels, verdicts, sides = append(labels, class(l.spam)), append(verdicts, class(a.spam)), append(sides, class(a.score > middle))
		scores, spam = append(scores, a.score), append(spam, l.spam)
	}
	j.verdicts, j.middle = metrics.Measure(labels, verdicts, 2), metrics.Measure(labels, sides, 2)
	j.verdicts.MeasureSpam(scores, spam)
	j.middle.MeasureSpam(scores, spam)
	return j
}

func class(spam bool) int32 {
	if spam {
		return 1
	}
	return 0
}
