package main

import (
	"strings"
	"testing"
)

func TestInvertedLabelsAreNamed(t *testing.T) {
	b, mail := inventedBench(t)
	for name, size := range map[string]int{"all mail": 0, "a mailbox": 100, "more than there is": 1000} {
		all, err := labelTest{b}.name(mail, size, 1)
		if err != nil {
			t.Fatal(err)
		}
		want := 120
		if size == 100 {
			want = 100
		}
		before := naming{}
		for i, n := range all {
			if n.messages != want || n.found > n.inverted || n.found > n.named || n.inverted < before.inverted || (i == 0) != (n.inverted == 0) && i != 1 {
				t.Errorf("%s, share %v: %+v of %d messages", name, inversions()[i], n, want)
			}
			before = n
		}
		if before.found == 0 || before.named > 2*before.inverted {
			t.Errorf("%s: of 5%% inverted labels %+v", name, before)
		}
	}
}

func TestNamingsText(t *testing.T) {
	n := namings{corpora: []string{"A"}, of: [][][]naming{{
		{{messages: 1200, named: 6}, {1200, 12, 14, 11}, {1200, 36, 36, 36}, {}},
	}}}
	_, got, _ := strings.Cut(n.text(), "\n\n")
	check(t, got, `| mailboxes | no label inverted: named of 1,000 | 1% inverted: found | inverted among those named | 3% inverted: found | inverted among those named | 5% inverted: found | inverted among those named |
|---|---|---|---|---|---|---|---|
| A, 300 messages | 5.0 | 92% | 79% | 100% | 100% | - | - |
`)
}
