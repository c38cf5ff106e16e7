package main

import (
	"strings"
	"testing"

	"chaff/metrics"
)

func TestAShareOfLostHam(t *testing.T) {
	tests := map[string]struct {
		lost, ham       int
		percent         float64
		within, refuted bool
	}{
		"nothing is lost":                {0, 1000, 0.1, true, false},
		"as much is lost as is promised": {1, 1000, 0.1, true, false},
		// P(2 or more of 1,000 at 0.1%) = 1 - 0.999^1000 - 1000 0.001 0.999^999 = 1 - 0.3677 - 0.3681 = 0.264.
		"more is lost, which may be chance": {2, 1000, 0.1, false, false},
		// P(4 or more) = 0.264 - 0.1840 - 0.0613 = 0.019.
		"more is lost than chance explains": {4, 1000, 0.1, false, true},
		// P(1 or more of 51 at 0.1%) = 1 - 0.999^51 = 0.0498.
		"one of few is too many":     {1, 51, 0.1, false, true},
		"one of a few more is not":   {1, 52, 0.1, false, false},
		"any share may be all there": {10, 10, 100, true, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := threshold{lost: tt.lost, ham: tt.ham}
			if got.within(tt.percent) != tt.within || got.refuted(tt.percent) != tt.refuted {
				t.Errorf("%d of %d, %v%%: within is %v, refuted is %v", tt.lost, tt.ham, tt.percent, got.within(tt.percent), got.refuted(tt.percent))
			}
		})
	}
}

func TestMailboxesHaveAllSizes(t *testing.T) {
	bounds := sizesOfMailboxes()
	count := make([]int, len(bounds)-1)
	for seed := range uint64(900) {
		n := mailboxSize(seed)
		if n < smallest || n > largest {
			t.Fatalf("seed %d: %d messages", seed, n)
		}
		for i := range count {
			if n >= bounds[i] && n < bounds[i+1] {
				count[i]++
			}
		}
	}
	// A third of 900 is 300; three standard deviations are 42.
	for i, n := range count {
		if n < 258 || n > 342 {
			t.Errorf("%d of 900 mailboxes have %d to %d messages, want about a third", n, bounds[i], bounds[i+1]-1)
		}
	}
}

func TestAMailboxIsMeasuredOnTheMailThatIsNotInIt(t *testing.T) {
	b, _ := inventedBench(t)
	b.settings.Model = "multinomial"
	mail, err := b.collect(letters(300), "grouped")
	if err != nil {
		t.Fatal(err)
	}
	seed := uint64(1)
	for mailboxSize(seed) > 500 {
		seed++
	}
	got, err := b.mailbox(mail, seed)
	if err != nil {
		t.Fatal(err)
	}
	if got.messages != mailboxSize(seed) || len(got.of) != 2 {
		t.Fatalf("%+v", got)
	}
	for _, th := range got.of {
		if th.ham != 300-got.ham {
			t.Errorf("measured on %d ham, want the %d that are not in the mailbox", th.ham, 300-got.ham)
		}
	}
	if none := (metrics.Promise{}); got.of[0].promise != none || got.of[1].promise.Ham != got.ham {
		t.Errorf("promises %+v and %+v: want none, and one by %d ham", got.of[0].promise, got.of[1].promise, got.ham)
	}
}

func TestPromisesText(t *testing.T) {
	box := func(messages int, lost, lostWithout int) kept {
		return kept{messages: messages, ham: messages / 2, of: []threshold{
			{lost: lostWithout, ham: 1000, missed: 0.1},
			{lost: lost, ham: 1000, missed: 0.3, promise: metrics.Promise{HamLost: 1}},
		}}
	}
	p := promises{confidences: []float64{0, 95}, limit: 0.1, corpora: []string{"A"}, boxes: [][]kept{{box(300, 0, 2), box(645, 4, 4), box(1392, 0, 0), box(3000, 0, 0)}}}
	_, got, _ := strings.Cut(p.text(), "\n\n")
	check(t, got, `| mailboxes | number | mean ham in one | confidence 0: limit kept | mean ham lost | mean spam unsure or missed | confidence 95: limit kept | guarantee kept | mean ham lost | mean spam unsure or missed |
|---|---|---|---|---|---|---|---|---|---|
| A, 300 to 645 messages | 2 | 236 | 0%, 50% | 0.300% | 10.0% | 50%, 50% | 100%, 100% | 0.200% | 30.0% |
| A, 646 to 1391 messages | 0 | 0 | 0%, 0% | 0.000% | 0.0% | 0%, 0% | 0%, 0% | 0.000% | 0.0% |
| A, 1392 to 3000 messages | 2 | 1098 | 100%, 100% | 0.000% | 10.0% | 100%, 100% | 100%, 100% | 0.000% | 30.0% |
| **A** | 4 | 667 | 50%, 75% | 0.150% | 10.0% | 75%, 75% | 100%, 100% | 0.100% | 30.0% |
`)
}
