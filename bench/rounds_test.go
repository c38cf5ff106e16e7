package main

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"
)

// fake is a program that runs the given script for each step: everything is spam, with the score 1.
func fake(id, train, bulk string) entrant {
	script := func(s string) func(job) []command {
		return func(j job) []command { return []command{shell("db=" + j.db + "; " + s)} }
	}
	return entrant{
		id: id, name: id, debian: id,
		present:  func() bool { return id != "absent" },
		train:    script(train),
		bulk:     script(bulk),
		one:      func(_ job, l mailFile) command { return command{args: []string{"cat"}, stdin: l.name} },
		answers:  func(_ job, out []byte) ([]answer, error) { return fromLines(out, readNamed) },
		database: []string{"model"},
	}
}

func runFakes(t *testing.T, r runner, entrants ...entrant) (results []result, progress string) {
	t.Helper()
	m := testMeter(t)
	dir := t.TempDir()
	writeCorpus(t, dir, "", 40)
	mail, err := split("made", dir, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	r.progress = &log
	if results, err = r.run(t.Context(), mail, m, entrants); err != nil {
		t.Fatal(err)
	}
	return results, log.String()
}

const (
	train = "test -z \"$(ls $db)\" && echo model > $db/model"
	bulk  = "sed 's/$/ 1/' " + testList
)

func TestAProgramThatFailsDoesNotEndTheRun(t *testing.T) {
	unprepared := fake("unprepared", train, bulk)
	unprepared.prepare = func(context.Context, job) error { return context.DeadlineExceeded }
	r := runner{rounds: 2, singles: 3, slow: time.Minute, heavy: time.Minute}
	results, progress := runFakes(t, r, fake("untrained", "echo full >&2; exit 1", bulk), fake("absent", train, bulk), unprepared,
		fake("mute", train, "true"), fake("babbling", train, "echo hello"), fake("good", train, bulk))
	for i, want := range []string{
		"train: sh: exits with 1: full",
		"not installed: apt-get install --no-install-recommends absent",
		"prepare: context deadline exceeded",
		"", "measure the databases and the accuracy: answer \"hello\": EOF", "",
	} {
		got := ""
		if results[i].failure != nil {
			got = results[i].failure.Error()
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", results[i].id, got, want)
		}
	}
	if !strings.Contains(progress, "untrained: train: sh: exits with 1: full") {
		t.Errorf("the failure is not logged: %s", progress)
	}
	good, mute := results[5], results[3]
	if good.training.runs() != 2 || good.classifying.runs() != 2 || good.single.runs() != 3 || good.bytes != 6 {
		t.Errorf("runs %d, %d, %d, database %d", good.training.runs(), good.classifying.runs(), good.single.runs(), good.bytes)
	}
	if good.judged.missing != 0 || *good.judged.verdicts.SM != 0 || *good.judged.verdicts.HM != 100 {
		t.Errorf("judged as %+v", good.judged)
	}
	if mute.judged.missing == 0 || *mute.judged.verdicts.SM != 100 {
		t.Errorf("one that says nothing is judged as %+v", mute.judged)
	}
}

func TestWhatIsSlowIsRunOnce(t *testing.T) {
	r := runner{rounds: 3, singles: 2 * fewSingles, slow: 0, heavy: 0}
	results, _ := runFakes(t, r, fake("slow", train, bulk))
	s := results[0]
	if s.failure != nil || s.training.runs() != 1 || s.classifying.runs() != 1 || s.single.runs() != fewSingles {
		t.Errorf("runs %d, %d, %d: %v", s.training.runs(), s.classifying.runs(), s.single.runs(), s.failure)
	}
}

func TestARunThatIsInterruptedEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	dir := t.TempDir()
	writeCorpus(t, dir, "", 40)
	mail, err := split("made", dir, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r := runner{rounds: 1, singles: 1, progress: &bytes.Buffer{}}
	if _, err := r.run(ctx, mail, testMeter(t), []entrant{fake("a", train, bulk)}); err == nil {
		t.Error("it goes on")
	}
}
