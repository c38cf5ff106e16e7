package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"chaff/evaluate"
	"chaff/filter"
	"chaff/metrics"
	"chaff/train"
)

func TestLabelsAreWrongAsOftenAsSaid(t *testing.T) {
	var members []train.Member
	for i := range 1000 {
		members = append(members, train.Member{Origin: fmt.Sprintf("%04d", (i*7)%1000), Label: i % 2})
	}
	for name, test := range map[string]struct {
		wrong     mislabelling
		ham, spam int // that are called the other
	}{
		"right labels":        {mislabelling{}, 0, 0},
		"in the ham only":     {mislabelling{share: 0.03, ham: true}, 15, 0},
		"in the spam only":    {mislabelling{share: 0.03, spam: true}, 0, 15},
		"a folder of the ham": {mislabelling{share: 0.03, ham: true, folder: true}, 30, 0},
	} {
		got := [2]int{}
		var origins []string
		for i, m := range test.wrong.of(members, rand.New(rand.NewPCG(1, 0))) {
			if m.Label != members[i].Label {
				got[members[i].Label]++
				origins = append(origins, m.Origin)
			}
		}
		if got != [2]int{test.ham, test.spam} {
			t.Errorf("%s: %v are wrong, want %d and %d", name, got, test.ham, test.spam)
		}
		if test.wrong.folder && !areNeighbours(origins, 2*30) {
			t.Errorf("%s: %v are no neighbours", name, origins)
		}
	}
}

func TestOneClassHasAMessageForTwentyOthers(t *testing.T) {
	var members []train.Member
	for i := range 1000 {
		members = append(members, train.Member{Label: min(i%4, 1)})
	}
	for i, want := range [][2]int{{250, 12}, {37, 750}} { // 250 ham and 750 spam
		var got [2]int
		for _, m := range unequal()[i].of(members, nil) {
			got[m.Label]++
		}
		if got != want {
			t.Errorf("%s: %v, want %v", unequal()[i].name, got, want)
		}
	}
}

// areNeighbours reports whether numbers span at most so many.
func areNeighbours(origins []string, span int) bool {
	least, greatest := 1<<30, 0
	for _, origin := range origins {
		var n int
		fmt.Sscanf(origin, "%d", &n)
		least, greatest = min(least, n), max(greatest, n)
	}
	return greatest-least <= span
}

func TestAMailboxIsJudgedOnTheMailThatIsNotInIt(t *testing.T) {
	b := newBench(t.Context(), t.TempDir(), t.Output())
	writeLetters(t, 60, b.corpora, map[string]string{"ham": "ham", "spam": "spam"})
	source := letters(60)
	mail, err := b.collect(source, b.settings.Split.Method)
	if err != nil {
		t.Fatal(err)
	}
	d, err := mailboxTest{b}.draw(mail.Members(), itemsByOrigin(source), first(80), 1)
	if err != nil || len(d.box) != 80 || len(d.others) != 40 {
		t.Fatalf("%d in the box, %d others, %v", len(d.box), len(d.others), err)
	}
	in := map[string]bool{}
	for _, m := range d.box {
		in[m.Origin] = true
	}
	for _, m := range d.others {
		if in[m.Origin] {
			t.Errorf("%s is on both sides", m.Origin)
		}
	}
	s, err := mailboxTest{b}.judgeBy(judge{"multinomial", mislabelling{}}, d)
	if err != nil || s.lost != 0 || s.found < 50 {
		t.Errorf("%+v, %v: want all ham kept, and half of the spam found", s, err)
	}
	if _, err := exec.LookPath("bogofilter"); err != nil {
		t.Skip("needs bogofilter: apt-get install bogofilter")
	}
	for _, members := range [][]train.Member{d.box, d.others} {
		for i := range members {
			members[i].Origin = filepath.Join(b.corpora, members[i].Origin)
		}
	}
	if s, err := (mailboxTest{b}).judgeBy(judge{"", mislabelling{}}, d); err != nil || s.lost != 0 || s.found+s.unsure == 0 {
		t.Errorf("bogofilter: %+v, %v", s, err)
	}
}

func TestMailboxesHaveTheCountsOfTheirRow(t *testing.T) {
	b := newBench(t.Context(), t.TempDir(), t.Output())
	mail, err := b.collect(letters(60), b.settings.Split.Method)
	if err != nil {
		t.Fatal(err)
	}
	for _, quick := range []bool{false, true} {
		s, err := mailboxTest{b}.judgeCounted(counted{ham: 30, spam: 40, model: "multinomial", quick: quick}, mail.Members(), itemsByOrigin(letters(60)), 1)
		if err != nil || s.lost != 0 || s.found < 50 {
			t.Errorf("quick %t: %+v, %v: want all ham kept, and half of the spam found", quick, s, err)
		}
	}
	// With the limit of the row, the rule for few ham needs the ratio of the usual limit.
	o := metrics.DefaultThresholdOptions()
	if got, want := (1+2./10)*math.Log(100/counted{ham: 10, few: 2}.thresholds(o).HamLost), math.Log(1000); math.Abs(got-want) > 1e-9 {
		t.Errorf("the logarithm of the ratio is %v, want %v", got, want)
	}
}

func TestTheLastVerdictsCountByTheRightLabels(t *testing.T) {
	var r evaluate.Replay
	for i := range lastOnline + 1 {
		r.Messages = append(r.Messages, evaluate.Replayed{Path: fmt.Sprint(i), Label: "spam", Verdict: filter.Spam})
	}
	labels := map[string]int{"0": 1, "2": 1}
	if s := lastVerdicts(r, labels); s.lost != 100 || s.found != 100 {
		t.Errorf("%+v", s)
	}
}

func TestMeanShares(t *testing.T) {
	v := verdicts{{"mail", []int{1000}, []verdictRow{{"a", [][]shares{{{0.1, 1, 90, 0}, {0.3, 2, 91, 0}}}}, {"b", [][]shares{nil}}}, nil}}
	text := v.text()
	for _, want := range []string{"| a | 0.20 / 1.5 / 90.5 |", "| b | - |", "mail | 1,000 messages"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

func TestManyMailboxesHaveStandardErrors(t *testing.T) {
	m := mailboxes{{"mail", []int{1000}, []verdictRow{{"a", [][]shares{{{0.1, 1, 90, 1}, {0.3, 2, 91, 2}, {0.2, 3, 92, 2}, {0.2, 3, 91, 1}}}}, {"b", [][]shares{nil}}}, nil}}
	text := m.text()
	for _, want := range []string{"24 random mailboxes", "| a | 0.20 ± 0.04 / 91.0 ± 0.4, 1.5 |", "| b | - |", "mail | 1,000 messages"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}
