package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"chaff/evaluate"
	"chaff/internal/screen"
	"chaff/metrics"
	"chaff/train"
)

// madeUp is a result with the given accuracies on development and test mail. The other figures are those of the test,
// divided by 10.
func madeUp(model string, development, test float64) train.Result {
	tenth := test / 10
	return train.Result{
		Model: model, Kind: "bits",
		Train:       &metrics.Figures{Accuracy: 100},
		Development: &metrics.Figures{Accuracy: development},
		Test: &metrics.Figures{
			Accuracy: test, AccuracyLow: test - 1, AccuracyHigh: test + 1,
			HM: &tenth, SM: &tenth, OneMinusROCA: &tenth, LogLoss: &tenth, Brier: &tenth,
		},
	}
}

func check(t *testing.T, got, want string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestSpamAssassinText(t *testing.T) {
	second := madeUp("lms", 98, 90)
	second.Test.OneMinusROCA = nil
	second.AgainstBest = &metrics.McNemar{Better: 1, Worse: 20, P: 0.00001}
	m := measured{train.Summary{Listing: &train.Listing{Listed: 1200}, Used: 1100}, []train.Result{madeUp("softmax", 99, 95.125), second}}
	check(t, spamAssassinText(m, madeUp("multinomial", 0, 91)), `SpamAssassin public corpus (1,100 messages):

| model | features | train | development | test (95% interval) | hm% | sm% | (1-ROCA)% | against the best | log loss | Brier |
|---|---|---|---|---|---|---|---|---|---|---|
| softmax * | bits | 100.00% | 99.00% | 95.12% (94.12-96.12) | 9.51 | 9.51 | 9.5125 | - | 9.5125 | 9.5125 |
| lms | bits | 100.00% | 98.00% | 90.00% (89.00-91.00) | 9.00 | 9.00 | - | +1 -20 worse (p <0.001) | 9.0000 | 9.0000 |

With `+"`--set models.multinomial.features=counts`"+` multinomial has 91.00%.
`)
}

// twoSets are two corpora on which lms is the best on development mail, and the others are equal.
func twoSets() []measured {
	return []measured{
		{train.Summary{Listing: &train.Listing{Listed: 900}, Used: 800, Grouped: 700, Groups: 70}, []train.Result{
			madeUp("lms", 99, 90), madeUp("multinomial", 98, 80), madeUp("bernoulli", 90, 70)}},
		{train.Summary{Listing: &train.Listing{Listed: 700}, Used: 600, Grouped: 500, Groups: 50}, []train.Result{
			madeUp("bernoulli", 98, 50), madeUp("lms", 97, 80), madeUp("multinomial", 90, 60)}},
	}
}

func TestEnronText(t *testing.T) {
	check(t, enronText(twoSets()), `Enron-Spam, test accuracy. 1,600 messages, 1,400 without copies; hm%, sm% and (1-ROCA)% are means of the six corpora:

| model | enron1 | enron2 | mean | hm% | sm% | (1-ROCA)% |
|---|---|---|---|---|---|---|
| lms | 90.00% | 80.00% | 85.00% | 8.50 | 8.50 | 8.5000 |
| bernoulli | 70.00% | 50.00% | 60.00% | 6.00 | 6.00 | 6.0000 |
| multinomial | 80.00% | 60.00% | 70.00% | 7.00 | 7.00 | 7.0000 |
`)
}

func TestNearDuplicatesText(t *testing.T) {
	folds := func(grouped, groups int, lms, multinomial, bernoulli float64) validated {
		return validated{train.Summary{Grouped: grouped, Groups: groups}, []evaluate.CrossValidation{
			{Model: "multinomial", Test: metrics.Figures{Accuracy: multinomial}},
			{Model: "lms", Test: metrics.Figures{Accuracy: lms}},
			{Model: "bernoulli", Test: metrics.Figures{Accuracy: bernoulli}},
		}}
	}
	n := nearDuplicates{folds(0, 0, 99, 98, 97), folds(1234, 56, 96, 95, 94), twoSets(), twoSets()[:1]}
	check(t, n.text(), `1,234 messages of SpamAssassin are in 56 groups of near-duplicates, and 700 of Enron-Spam in 70. Test accuracy, split by hash and
grouped:

| model | SpamAssassin, 10 folds: hash | grouped | Enron-Spam, mean of the six test parts: hash | grouped |
|---|---|---|---|---|
| lms | 99.00% | 96.00% | 85.00% | 90.00% |
| bernoulli | 97.00% | 94.00% | 60.00% | 70.00% |
| multinomial | 98.00% | 95.00% | 70.00% | 80.00% |
`)
}

func TestReplayText(t *testing.T) {
	hm, sm, lam, roca := 1.5, 2.25, 1.875, 0.03
	replay := func(model string, confusion metrics.Confusion) evaluate.Replay {
		return evaluate.Replay{Model: model, Figures: metrics.Figures{
			Messages: 20, Accuracy: 5 * float64(confusion.Correct()), Confusion: confusion,
			HM: &hm, SM: &sm, LAM: &lam, OneMinusROCA: &roca,
		}}
	}
	check(t, replayText([]evaluate.Replay{replay("bernoulli", metrics.Confusion{{5, 5}, {1, 9}}), replay("lms", metrics.Confusion{{9, 1}, {0, 10}})}),
		`| model | accuracy | errors | hm% | sm% | lam% | (1-ROCA)% |
|---|---|---|---|---|---|---|
| lms | 95.00% | 1 | 1.50 | 2.25 | 1.88 | 0.0300 |
| bernoulli | 70.00% | 6 | 1.50 | 2.25 | 1.88 | 0.0300 |
`)
}

func TestAgainst(t *testing.T) {
	tests := map[string]struct {
		m    *metrics.McNemar
		want string
	}{
		"the best has nothing to be compared with": {nil, "-"},
		"a likely difference is chance":            {&metrics.McNemar{Better: 2, Worse: 1, P: 1}, "+2 -1 chance (p 1.000)"},
		"so is one at the limit":                   {&metrics.McNemar{Better: 1, Worse: 2, P: 0.05}, "+1 -2 chance (p 0.050)"},
		"an unlikely one is not":                   {&metrics.McNemar{Better: 9, Worse: 1, P: 0.021}, "+9 -1 better (p 0.021)"},
		"a small probability is told by its order": {&metrics.McNemar{Better: 0, Worse: 30, P: 1e-9}, "+0 -30 worse (p <0.001)"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) { check(t, against(tt.m), tt.want) })
	}
}

func TestThousands(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 33043: "33,043", 1002003: "1,002,003"} {
		check(t, screen.Grouped(n), want)
	}
}
