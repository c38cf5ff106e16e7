package main

import (
	"path/filepath"
	"testing"

	"chaff/corpus"
	"chaff/metrics"
	"chaff/train"
)

func TestAcrossTestsOnlyOnTheOtherMail(t *testing.T) {
	b, _ := inventedBench(t)
	var members []train.Member
	for i, folder := range []string{"sa/spam-1", "sa/easy-ham-1", "enron/enron1/ham", "enron/enron6/spam", "enron/enron60/ham"} {
		members = append(members, train.Member{Origin: filepath.Join(b.corpora, filepath.FromSlash(folder), "1"), SplitKey: uint64(i)})
	}
	want := map[string]string{
		"SpamAssassin to Enron-Spam": "ttTTT",
		"Enron-Spam to SpamAssassin": "TTttt",
		"enron1 to 5 to enron6":      "--tTt",
	}
	for _, c := range crossings() {
		got := []byte("-----")
		for _, m := range (crossTest{b}).across(members, c) {
			got[m.SplitKey] = 0
			for i := range members {
				if members[i].SplitKey == m.SplitKey {
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
	c := crossed{[]string{"softmax", "lms"}, [][]metrics.Figures{
		{figures(90), figures(80)}, {figures(91), figures(81)}, {figures(92), figures(82)},
	}}
	check(t, c.text(), `Trained on four fifths of the first corpus, tested on all of the second:

| model | SpamAssassin to Enron-Spam: accuracy | (1-ROCA)% | Enron-Spam to SpamAssassin: accuracy | (1-ROCA)% | enron1 to 5 to enron6: accuracy | (1-ROCA)% |
|---|---|---|---|---|---|---|
| softmax | 90.00% | 1.0000 | 91.00% | 1.0000 | 92.00% | 1.0000 |
| lms | 80.00% | 1.0000 | 81.00% | 1.0000 | 82.00% | 1.0000 |
`)
}
