package main

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"chaff/corpus"
	"chaff/filter"
)

func TestALimitOnHamLost(t *testing.T) {
	verdicts := func(ham, lost, spam, caught int) filter.VerdictCounts {
		return filter.VerdictCounts{
			Ham:  filter.ByVerdict{Ham: ham - lost, Spam: lost},
			Spam: filter.ByVerdict{Unsure: spam - caught, Spam: caught},
		}
	}
	// With 0.1% lost of all ham, 1,000 ham lose 2 or more in 26% and 4 or more in 1.9% of cases.
	tests := map[string]struct {
		verdicts filter.VerdictCounts
		want     kept
	}{
		"is held if none is lost":                       {verdicts(1000, 0, 10, 10), kept{held: true}},
		"is held by as many as it allows":               {verdicts(1000, 1, 10, 9), kept{held: true, hamLost: 0.1, spamThrough: 10}},
		"is not held by one more, which may be chance":  {verdicts(1000, 2, 10, 0), kept{hamLost: 0.2, spamThrough: 100}},
		"is refuted where chance is a bad explanation":  {verdicts(1000, 4, 10, 10), kept{refuted: true, hamLost: 0.4}},
		"is refuted where all is lost":                  {verdicts(1000, 1000, 10, 10), kept{refuted: true, hamLost: 100}},
		"is not held by one of too few, but may be yet": {verdicts(100, 1, 10, 10), kept{hamLost: 1}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, keptBy(tt.verdicts, 0.1), cmp.AllowUnexported(kept{})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestAMailboxIsJudgedByTheMailThatItDoesNotHave(t *testing.T) {
	b, _ := inventedBench(t)
	collection, err := b.collect(letters(400), corpus.SplitByHash)
	if err != nil {
		t.Fatal(err)
	}
	got, err := b.keepsIn(collection, rand.New(rand.NewPCG(1, 0)), []string{"multinomial", "majority"})
	if err != nil {
		t.Fatal(err)
	}
	want := []kept{{held: true}, {held: true, spamThrough: 100}} // one is perfect on this mail, the other knows one class
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(kept{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
