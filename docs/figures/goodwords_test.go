package main

import (
	"slices"
	"strings"
	"testing"

	"chaff/corpus"
	"chaff/train"
)

func TestAKnownAttackReplacesTrainingSpam(t *testing.T) {
	b, _ := inventedBench(t)
	inventedSpamAssassin(t, b)
	before, err := b.spamAssassinApart()
	if err != nil {
		t.Fatal(err)
	}
	seen, err := b.readSpam(before, func(m train.Member) bool { return m.Part == corpus.Train && m.SplitKey%2 == 0 })
	if err != nil {
		t.Fatal(err)
	}
	after, err := wordTest{b}.withAttacked(seen, []string{"zebra"})
	if err != nil {
		t.Fatal(err)
	}
	x, y := before.Summary(), after.Summary()
	if len(seen) == 0 || x.Train != y.Train || x.Test != y.Test || x.Development != y.Development || !slices.Equal(x.Classes, y.Classes) {
		t.Errorf("%d attacked: before %+v, after %+v", len(seen), x, y)
	}
	trained, err := train.Fit(t.Context(), after, "multinomial", b.trainOptions())
	if err != nil {
		t.Fatal(err)
	}
	terms, err := trained.Filter.Terms()
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for id, documents := range terms.Documents {
		if string(terms.Text(id)) == "body:zebra" {
			found = int(documents)
		}
	}
	if found == 0 || found != len(seen) {
		t.Errorf("the pasted word is in %d messages, and was pasted into %d", found, len(seen))
	}
}

func TestGoodWordsAreMeasuredForEveryRival(t *testing.T) {
	b, _ := inventedBench(t)
	inventedSpamAssassin(t, b)
	a, err := wordTest{b}.measureGoodWords()
	if err != nil {
		t.Fatal(err)
	}
	if len(a.rows) != len(b.rivals()) || a.spam == 0 {
		t.Errorf("%d rows of %d spams", len(a.rows), a.spam)
	}
	for _, row := range a.rows {
		if row.before.boundary != a.spam || row.after.boundary > a.spam {
			t.Errorf("%+v of %d spams", row, a.spam)
		}
	}
}

func TestAttackedText(t *testing.T) {
	_, got, _ := strings.Cut(attacked{200, []attackRow{{"softmax", caught{198, 180}, caught{20, 1}, caught{190, 170}, caught{30, 2}}}}.text(), "\n\n")
	check(t, got, `| model | before | attacked | trained on attacks | attacked again |
|---|---|---|---|---|
| softmax | 99.0% | 10.0% | 95.0% | 15.0% |

At the threshold that loses 0.1% of the development ham:

| model | before | attacked | trained on attacks | attacked again |
|---|---|---|---|---|
| softmax | 90.0% | 0.5% | 85.0% | 1.0% |
`)
}
