package main

import (
	"testing"
	"time"
)

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		name   string
		values []float64
		want   float64
	}{
		{"of nothing is 0", nil, 0},
		{"of one is that", []float64{3}, 3},
		{"of two is between them", []float64{4, 1}, 2.5},
		{"is not moved by one that is far away", []float64{1, 1000, 2}, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := median(c.values); got != c.want {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

func TestRatesAreOfTheMedian(t *testing.T) {
	var tm timing
	if tm.rate(10) != 0 || tm.slow(0) {
		t.Error("what was not run has a rate, or is slow")
	}
	for _, s := range []time.Duration{1, 2, 9} {
		tm.add(cost{CPU: s * time.Second, Peak: int64(s)})
	}
	if tm.rate(10) != 5 || tm.peak != 9 || tm.runs() != 3 {
		t.Errorf("rate %v, peak %v, runs %v", tm.rate(10), tm.peak, tm.runs())
	}
	if !tm.slow(time.Second) || tm.slow(2*time.Second) {
		t.Error("a median of 2 s is slow from less than 2 s on")
	}
}

func TestARatioOfWhatWasNotMeasuredIsNone(t *testing.T) {
	if got := []float64{ratio(3, 2), ratio(0, 2), ratio(3, 0)}; got[0] != 1.5 || got[1] != 0 || got[2] != 0 {
		t.Errorf("got %v", got)
	}
}

func TestJudge(t *testing.T) {
	files := []mailFile{{"a", true, 1}, {"b", true, 1}, {"c", false, 1}, {"d", false, 1}}
	answers := []answer{{"a", true, 0.999}, {"b", false, 0.9}, {"c", false, 0.6}, {"d", false, 0.1}}
	j := judge(files, answers, 0.5)
	if j.verdicts.Accuracy != 75 || *j.verdicts.SM != 50 || *j.verdicts.HM != 0 {
		t.Errorf("verdicts: %v, sm %v, hm %v", j.verdicts.Accuracy, *j.verdicts.SM, *j.verdicts.HM)
	}
	if j.middle.Accuracy != 75 || *j.middle.SM != 0 || *j.middle.HM != 50 {
		t.Errorf("middle: %v, sm %v, hm %v", j.middle.Accuracy, *j.middle.SM, *j.middle.HM)
	}
	if *j.verdicts.OneMinusROCA != 0 || j.missing != 0 {
		t.Errorf("(1-ROCA)%% %v, missing %d", *j.verdicts.OneMinusROCA, j.missing)
	}
}

func TestAMessageWithoutAnAnswerIsLetThrough(t *testing.T) {
	files := []mailFile{{"a", true, 1}, {"b", true, 1}, {"c", false, 1}}
	j := judge(files, []answer{{"b", true, 9}, {"c", false, -5}}, 0)
	if j.missing != 1 || *j.verdicts.SM != 50 || *j.verdicts.OneMinusROCA != 50 {
		t.Errorf("missing %d, sm %v, (1-ROCA)%% %v", j.missing, *j.verdicts.SM, *j.verdicts.OneMinusROCA)
	}
}
