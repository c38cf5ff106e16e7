package main

import (
	"testing"

	"chaff/corpus"
	"chaff/train"
)

func TestFlippedChangesTheShareOfLabels(t *testing.T) {
	members := func() []train.Member {
		var all []train.Member
		for i := range 30_000 {
			all = append(all, train.Member{SplitKey: uint64(i) * 0x9e3779b97f4a7c15, Label: i % 2, Part: corpus.Part(i % 3)})
		}
		return all
	}
	before := members()
	flips := make(map[float64]map[int]bool)
	for _, share := range noises() {
		flips[share] = make(map[int]bool)
		for i, m := range flipped(members(), share, 1) {
			if m.Label != before[i].Label {
				flips[share][i] = true
				if m.Part == corpus.Test {
					t.Fatalf("label %d of the test part is wrong", i)
				}
			}
		}
		if got := float64(len(flips[share])) / 20_000; got < share*0.8 || got > share*1.2 {
			t.Errorf("%.1f%% of the labels are wrong, want %.1f%%", 100*got, 100*share)
		}
	}
	for i := range flips[0.01] {
		if !flips[0.10][i] {
			t.Errorf("label %d is wrong among 1%% and right among 10%%", i)
		}
	}
}

func TestNoisyText(t *testing.T) {
	row := []mean{{accuracy: pointer(99), roca: pointer(0.1)}}
	got := noisy{[]string{"softmax"}, noises(), [][]mean{row, row, row, row}}.text()
	check(t, got, `SpamAssassin, test accuracy by the share of wrong labels, means of 5 split seeds:

| model | 0% | 1% | 5% | 10% |
|---|---|---|---|---|
| softmax | **99.00%** | **99.00%** | **99.00%** | **99.00%** |

(1-ROCA)%:

| model | 0% | 1% | 5% | 10% |
|---|---|---|---|---|
| softmax | **0.1000** | **0.1000** | **0.1000** | **0.1000** |
`)
}
