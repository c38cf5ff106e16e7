package store

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"chaff/metrics"
	"chaff/test/corpustest"
)

func TestProblemsOfALog(t *testing.T) {
	now := time.Unix(2e9, 0)
	ham := func(messages, days int) []ClassStatus {
		last := now.AddDate(0, 0, -days)
		return []ClassStatus{{Class: "ham", Messages: messages, Last: &last}}
	}
	for _, test := range []struct {
		name string
		s    Status
		want string
	}{
		{"it learned a message 30 days ago", Status{Classes: ham(1, 30)}, ""},
		{"it learned a message 31 days ago", Status{Classes: ham(1, 31)}, "it has learned no ham for 31 days"},
		{"it has no message", Status{Classes: ham(0, 31)}, "it has no ham: learn some"},
		{"its messages left", Status{Classes: ham(0, 0), Expired: 1}, "it has no ham: store.max_messages or store.max_age left no room for any"},
		{"it was never fitted", Status{Messages: 1, Thresholds: &metrics.Thresholds{}}, "it calls every message unsure until it is fitted, by itself from 20 messages of each class on"},
		{"it was never fitted, and has no message", Status{Thresholds: &metrics.Thresholds{}}, ""},
		{"it was fitted", Status{Messages: 1, Thresholds: &metrics.Thresholds{}, Fitted: &now}, ""},
		{"it has no thresholds", Status{Messages: 1}, ""},
	} {
		if got := strings.Join(test.s.problems(now), "\n"); got != test.want {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
}

func TestAStatusCountsTheMessagesOfTheLog(t *testing.T) {
	v, err := Look(trained(t, "multinomial", corpustest.Mailbox(1, 10, "ham", "spam")))
	noError(t, err)
	defer v.Close()
	now, hour := time.Unix(2e9, 0).UTC(), time.Hour
	l := v.ledger
	l.entries = nil
	add := func(what op, label int, way Way, age time.Duration, class int, score float64) {
		e := Entry{Learned: now.Add(-age), Way: way, Class: class, Score: score, what: what}
		e.Fingerprint, e.Label, e.Confirmed = uint64(len(l.entries)), label, way == ByServer
		l.entries = append(l.entries, e)
	}
	add(learn, 0, ByTraining, 0, -1, math.NaN())
	add(learn, 1, ByImport, hour, -1, math.NaN())
	add(learn, 1, ByServer, 24*hour, 1, 2)
	add(learn, 0, ByMaildir, 24*hour-1, 0, -2)
	add(learn, 0, ByMaildir, 30*24*hour, 0, -2)
	add(learn, 1, ByMaildir, 30*24*hour-1, 1, 2)
	for range 100 {
		add(learn, 0, ByMaildir, 3000*hour, 0, -2)
	}
	for i := range 50 { // they are older than the others, and were all judged wrong
		add(learn, 0, ByHand, time.Duration(4000+i)*hour, 1, 2)
	}
	l.learned = len(l.entries)
	add(forget, 0, ByTraining, 0, -1, 0)
	l.facts.Fitted, l.facts.FitSeconds, l.facts.Changed = now.Unix(), 1.5, 7
	s := v.Status(now)
	got := fmt.Sprint(s.Messages, s.Forgotten, s.Ways, s.ByHand, s.Confirmed, s.Changed, s.FitSeconds, s.Fitted.Equal(now))
	if want := "156 1 map[by hand:50 import:1 mailbox:103 server:1 training:1] 50 1 7 1.5 true"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	for i, want := range []string{"ham 153 1 1 0s", "spam 3 0 2 1h0m0s"} {
		if c := s.Classes[i]; fmt.Sprint(c.Class, " ", c.Messages, c.Today, c.Month, " ", now.Sub(*c.Last)) != want {
			t.Errorf("got %+v, want %s", c, want)
		}
	}
	var windows []string
	for _, w := range s.Windows {
		windows = append(windows, fmt.Sprintf("%s: %.1f", w.Name(), w.Figures.Accuracy))
	}
	if got, want := strings.Join(windows, ", "), "last 100: 100.0, last 154: 67.5, all 154: 67.5"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if telling := s.Telling(); len(telling) != 2 || telling[0].Last != 100 || telling[1].Last != 0 {
		t.Errorf("these windows tell different things: %v", telling)
	}
}

func TestNumbersThatAnEntryHasNoRoomForAreTheLargest(t *testing.T) {
	for doubt, want := range map[float64]uint8{0: 0, 0.126: 13, 2.55: 255, 2.56: 255, 1000: 255} {
		if got := hundredths(doubt); got != want {
			t.Errorf("a doubt of %v is %d hundredths, want %d", doubt, got, want)
		}
	}
	if got := Way(200).String() + ", " + ByImport.String(); got != "unknown, import" {
		t.Errorf("the ways are %s", got)
	}
}
