package main

import (
	"path/filepath"
	"strings"
	"testing"

	"chaff/corpus"
	"chaff/filter"
	"chaff/metrics"
)

func TestFirstOfBoth(t *testing.T) {
	tests := map[string]struct {
		labels []int
		n      int
		want   []int
	}{
		"both classes are there":          {[]int{0, 1, 0, 1}, 3, []int{0, 1, 0}},
		"the last one makes room":         {[]int{0, 0, 0, 0, 1, 1}, 3, []int{0, 0, 1}},
		"there are fewer":                 {[]int{0, 1}, 5, []int{0, 1}},
		"there is no other class at all":  {[]int{1, 1, 1}, 2, []int{1, 1}},
		"all are taken and of one class":  {[]int{1, 1}, 2, []int{1, 1}},
		"of none nothing can be returned": {nil, 3, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var members []filter.Member
			for _, label := range tt.labels {
				members = append(members, filter.Member{Label: label})
			}
			first := firstOfBoth(members, tt.n)
			if len(first) != len(tt.want) {
				t.Fatalf("%d members, want %d", len(first), len(tt.want))
			}
			for i, m := range first {
				if m.Label != tt.want[i] || members[i].Label != tt.labels[i] {
					t.Errorf("member %d is of class %d, want %d", i, m.Label, tt.want[i])
				}
			}
		})
	}
}

func TestCurvesRiseWithTheMail(t *testing.T) {
	b, collection := inventedBench(t)
	means, err := b.curves([]*filter.Collection{collection}, 2, []string{"majority", "multinomial"})
	if err != nil {
		t.Fatal(err)
	}
	last := means[len(sizes())-1]
	if len(means) != len(sizes()) || *last[1].accuracy < 95 || *last[1].accuracy <= *last[0].accuracy {
		t.Errorf("%d sizes, in the end %.1f%% and %.1f%%", len(means), *last[0].accuracy, *last[1].accuracy)
	}
}

func TestRivalry(t *testing.T) {
	means := [][]mean{
		{{accuracy: pointer(90.001), roca: pointer(2)}, {accuracy: pointer(90), roca: pointer(1)}, {accuracy: pointer(80)}},
		{{accuracy: pointer(95)}, {accuracy: pointer(96)}, {accuracy: pointer(97)}},
	}
	models, columns := []string{"arow", "lms", "tanh"}, []string{"20", "50"}
	check(t, rivalry(models, columns, means, byAccuracy()), `| model | 20 | 50 |
|---|---|---|
| arow | **90.00%** | 95.00% |
| lms | **90.00%** | 96.00% |
| tanh | 80.00% | **97.00%** |
`)
	check(t, rivalry(models, columns, means, byROCA()), `| model | 20 | 50 |
|---|---|---|
| arow | 2.0000 | - |
| lms | **1.0000** | - |
| tanh | - | - |
`)
}

func TestFlippedChangesTheShareOfLabels(t *testing.T) {
	members := func() []filter.Member {
		var all []filter.Member
		for i := range 30_000 {
			all = append(all, filter.Member{Fingerprint: uint64(i) * 0x9e3779b97f4a7c15, Label: i % 2, Part: corpus.Part(i % 3)})
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
	got := noisy{[]string{"arow"}, [][]mean{row, row, row, row}}.text()
	check(t, got, `SpamAssassin, test accuracy by the share of wrong labels, means of 5 split seeds:

| model | 0% | 1% | 5% | 10% |
|---|---|---|---|---|
| arow | **99.00%** | **99.00%** | **99.00%** | **99.00%** |

(1-ROCA)%:

| model | 0% | 1% | 5% | 10% |
|---|---|---|---|---|
| arow | **0.1000** | **0.1000** | **0.1000** | **0.1000** |
`)
}

func TestLearningCurvesHaveAColumnForEachSize(t *testing.T) {
	var means [][]mean
	for range sizes() {
		means = append(means, []mean{{accuracy: pointer(99), roca: pointer(0.1)}})
	}
	got := learningCurves{[]string{"arow"}, means, means}.text()
	if tables := strings.Count(got, "| model | 20 | 50 | 100 | 200 | 500 | 1,000 | 2,000 |\n"); tables != 4 {
		t.Errorf("%d tables, want 4:\n%s", tables, got)
	}
}

func TestAcrossTestsOnlyOnTheOtherMail(t *testing.T) {
	b, _ := inventedBench(t)
	var members []filter.Member
	for i, folder := range []string{"sa/spam-1", "sa/easy-ham-1", "enron/enron1/ham", "enron/enron6/spam", "enron/enron60/ham"} {
		members = append(members, filter.Member{Origin: filepath.Join(b.corpora, filepath.FromSlash(folder), "1"), Fingerprint: uint64(i)})
	}
	want := map[string]string{
		"SpamAssassin to Enron-Spam": "ttTTT",
		"Enron-Spam to SpamAssassin": "TTttt",
		"enron1 to 5 to enron6":      "--tTt",
	}
	for _, c := range crossings() {
		got := []byte("-----")
		for _, m := range b.across(members, c) {
			got[m.Fingerprint] = 0
			for i := range members {
				if members[i].Fingerprint == m.Fingerprint {
					got[i] = map[bool]byte{true: 'T', false: 't'}[m.Part == corpus.Test]
				}
			}
		}
		if string(got) != want[c.what] {
			t.Errorf("%s: %s, want %s", c.what, got, want[c.what])
		}
	}
}

func TestCrossedText(t *testing.T) {
	figures := func(accuracy float64) metrics.Figures {
		return metrics.Figures{Accuracy: accuracy, OneMinusROCA: pointer(1)}
	}
	c := crossed{[]string{"arow", "lms"}, [][]metrics.Figures{
		{figures(90), figures(80)}, {figures(91), figures(81)}, {figures(92), figures(82)},
	}}
	check(t, c.text(), `Trained on four fifths of the one and tested on all of the other:

| model | SpamAssassin to Enron-Spam: accuracy | (1-ROCA)% | Enron-Spam to SpamAssassin: accuracy | (1-ROCA)% | enron1 to 5 to enron6: accuracy | (1-ROCA)% |
|---|---|---|---|---|---|---|
| arow | 90.00% | 1.0000 | 91.00% | 1.0000 | 92.00% | 1.0000 |
| lms | 80.00% | 1.0000 | 81.00% | 1.0000 | 82.00% | 1.0000 |
`)
}
