package main

import (
	"slices"
	"time"

	"chaff/metrics"
)

// median returns the median of values, 0 if there are none.
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

// timing has the cost of each run of a step.
type timing struct {
	cpu, wall []float64 // seconds
	peak      int64     // bytes, maximum of all runs
}

func (t *timing) add(c cost) {
	t.cpu = append(t.cpu, c.CPU.Seconds())
	t.wall = append(t.wall, c.Wall.Seconds())
	t.peak = max(t.peak, c.Peak)
}

// runs returns the number of runs.
func (t timing) runs() int { return len(t.cpu) }

// seconds returns the median CPU time of a run.
func (t timing) seconds() float64 { return median(t.cpu) }

// rate returns the amount processed per second of CPU time, 0 without runs.
func (t timing) rate(amount float64) float64 {
	if t.seconds() == 0 {
		return 0
	}
	return amount / t.seconds()
}

// slow reports whether a step takes longer than limit.
func (t timing) slow(limit time.Duration) bool { return t.seconds() > limit.Seconds() }

// ratio returns a over b, or 0 if one of them was not measured.
func ratio(a, b float64) float64 {
	if a == 0 || b == 0 {
		return 0
	}
	return a / b
}

// judged has the accuracy of the answers about the test part.
type judged struct {
	verdicts metrics.Figures // of the verdicts of the program
	middle   metrics.Figures // with spam above the middle of its scores
	missing  int             // messages without an answer
}

// judge compares answers with the classes of the files. A message without an answer counts as ham, as in a mail system, with
// a score below all others.
func judge(files []mailFile, answers []answer, middle float64) judged {
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
	for _, l := range files {
		a, known := byName[l.name]
		if !known {
			j.missing++
			a.score = lowest - 1
		}
		labels, verdicts, sides = append(labels, class(l.spam)), append(verdicts, class(a.spam)), append(sides, class(a.score > middle))
		scores, spam = append(scores, a.score), append(spam, l.spam)
	}
	j.verdicts, j.middle = metrics.Measure(labels, verdicts, 2), metrics.Measure(labels, sides, 2)
	j.verdicts.MeasureSpam(metrics.NewMargins(scores, spam))
	j.middle.MeasureSpam(metrics.NewMargins(scores, spam))
	return j
}

func class(spam bool) int32 {
	if spam {
		return 1
	}
	return 0
}
