package evaluate

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"chaff/corpus"
	"chaff/corpus/corpustest"
	"chaff/metrics"
	"chaff/train"
)

// countingFS counts how often files are opened.
type countingFS struct {
	fs.FS
	mu     sync.Mutex
	opened map[string]int
}

func (c *countingFS) Open(name string) (fs.File, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if strings.HasSuffix(name, ".eml") {
		c.opened[name]++
	}
	return c.FS.Open(name)
}

func TestMailIsReadOnceForEachReading(t *testing.T) {
	files := &countingFS{FS: noisyMail(), opened: make(map[string]int)}
	c := collect(t, mailOf(files), byHash(), "ham", "spam")
	candidates := append(smoothings(0, 0.1, 1), smoothings(0, 1)...)
	candidates[4].Features.MinDocumentFrequency, candidates[5].Model = 2, "softmax"
	clear(files.opened)
	for _, o := range []TuneOptions{{}, {Folds: 3}, {Halving: true}} {
		clear(files.opened)
		tune(t, c, candidates, o)
		for _, m := range c.Members() {
			want := 1 // for the second language; the first has been read
			if m.Part == corpus.Test {
				want = 0
			}
			if got := files.opened[m.Origin]; got != want {
				t.Fatalf("%+v: %s of the %s part was read %d times, want %d", o, m.Origin, m.Part, got, want)
			}
		}
	}
}

func TestHalvingKeepsTheBetterHalf(t *testing.T) {
	o := byHash()
	o.Split.Similarity = 1
	c := collect(t, corpustest.Mailbox(4, 400, "ham", "spam"), o, "ham", "spam")
	var steps []Trial
	candidates := smoothings(0, 1e-3, 0.1, 1, 1e6)
	trials := tune(t, c, candidates, TuneOptions{Halving: true, Workers: 1, Finished: func(trial Trial) error {
		steps = append(steps, trial)
		return nil
	}})
	shares := HalvingShares(len(candidates), c.Summary().Train)
	if diff := cmp.Diff([]float64{0.25, 0.5, 1}, shares); diff != "" {
		t.Fatalf("shares (-want +got):\n%s", diff)
	}
	var sizes [3]int
	for _, s := range steps {
		sizes[s.Rung]++
		if s.Share != shares[s.Rung] {
			t.Errorf("rung %d was trained on %v, want %v", s.Rung, s.Share, shares[s.Rung])
		}
	}
	if sizes != [3]int{10, 5, 3} {
		t.Errorf("rungs of %v trials, want 10, 5, 3", sizes)
	}
	for rung := range 2 {
		worstKept, bestDropped := -1000.0, 1000.0
		for _, s := range steps {
			if s.Rung != rung {
				continue
			}
			cost := s.Development.Cost(metrics.ByAccuracy)
			if slices.ContainsFunc(steps, func(n Trial) bool { return n.Rung == rung+1 && n.Candidate == s.Candidate }) {
				worstKept = max(worstKept, cost)
			} else {
				bestDropped = min(bestDropped, cost)
			}
		}
		if worstKept > bestDropped {
			t.Errorf("rung %d kept a trial of cost %v and dropped one of %v", rung, worstKept, bestDropped)
		}
	}
	if len(trials) != len(candidates) || trials[0].Share != 1 || trials[len(trials)-1].Share != 0.25 {
		t.Errorf("got %+v", trials)
	}
}

func TestHalvingShares(t *testing.T) {
	tests := []struct {
		candidates, training int
		want                 []float64
	}{
		{60, 10_000, []float64{0.0625, 0.125, 0.25, 0.5, 1}},
		{3, 10_000, []float64{0.5, 1}},
		{1, 10_000, []float64{1}},
		{60, 500, []float64{0.25, 0.5, 1}},
		{60, 50, []float64{1}},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, HalvingShares(tt.candidates, tt.training)); diff != "" {
			t.Errorf("%d candidates, %d messages (-want +got):\n%s", tt.candidates, tt.training, diff)
		}
	}
}

// divided returns the first round of c.
func divided(t *testing.T, c *train.Collection, share float64, folds, round int) *train.Collection {
	t.Helper()
	d, err := newDivisions(c, share, folds).divide(division{c.Options().Features, round})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestALargerShareHasAllMessagesOfASmallerOne(t *testing.T) {
	c := collect(t, corpustest.Mailbox(5, 100, "ham", "spam"), byHash(), "ham", "spam")
	var larger []string
	for _, share := range []float64{1, 0.5, 0.25} {
		part := divided(t, c, share, 0, 0)
		origins := part.Origins(corpus.Train)
		n := float64(len(c.Origins(corpus.Train)))
		if got := float64(len(origins)) / n; got < share-0.12 || got > share+0.12 {
			t.Errorf("a share of %v has %v of the messages", share, got)
		}
		for _, origin := range origins {
			if larger != nil && !slices.Contains(larger, origin) {
				t.Errorf("%s is in the share of %v and not in the larger one", origin, share)
			}
		}
		if len(part.Origins(corpus.Development)) != len(c.Origins(corpus.Development)) {
			t.Errorf("a share of %v changes the development part", share)
		}
		larger = origins
	}
}

func TestEachMessageIsInTheDevelopmentPartOnce(t *testing.T) {
	c := collect(t, corpustest.Mailbox(5, 200, "ham", "spam"), byHash(), "ham", "spam")
	const folds = 5
	all := len(withoutTest(c.Members()))
	count := make(map[string]int)
	for round := range folds {
		part := divided(t, c, 1, folds, round).Origins(corpus.Development)
		for _, origin := range part {
			count[origin]++
		}
		if mean := all / folds; len(part) < mean/2 || len(part) > 2*mean {
			t.Errorf("fold %d has %d messages of %d: the folds are uneven", round, len(part), all)
		}
	}
	for origin, n := range count {
		if n != 1 {
			t.Errorf("%s is in the development part %d times", origin, n)
		}
	}
	if len(count) != all {
		t.Errorf("%d messages are in a development part, want all %d", len(count), all)
	}
}

func TestAResumedSearchFindsTheSame(t *testing.T) {
	c := collect(t, mailOf(noisyMail()), byHash(), "ham", "spam")
	candidates := smoothings(0, 0.01, 0.1, 1, 10, 1e6)
	stop := errors.New("stopped")
	for _, o := range []TuneOptions{{}, {Folds: 3}, {Halving: true}} {
		want := tune(t, c, candidates, o)
		for stopAfter := 1; stopAfter < len(candidates); stopAfter += 5 {
			ctx, cancel := context.WithCancelCause(t.Context())
			var kept []Trial
			first := o
			first.Objective, first.Workers = metrics.ByAccuracy, 1
			first.Finished = func(trial Trial) error {
				kept = append(kept, trial)
				if len(kept) == stopAfter {
					cancel(stop)
				}
				return nil
			}
			found, err := Tune(ctx, c, candidates, first)
			if !errors.Is(err, stop) || len(found) != stopAfter {
				t.Fatalf("%+v: %d trials, error %v; want %d and the cause", o, len(found), err, stopAfter)
			}
			again, ran := o, 0
			again.Known = kept
			again.Finished = func(Trial) error { ran++; return nil }
			if got := asBytes(t, tune(t, c, candidates, again)); got != asBytes(t, want) {
				t.Errorf("after %d trials: got\n%s\nwant\n%s", stopAfter, got, asBytes(t, want))
			}
			if !o.Halving && ran != len(candidates)-stopAfter {
				t.Errorf("%d trials were run after %d of %d", ran, stopAfter, len(candidates))
			}
		}
	}
}

func TestFitCandidateEqualsFit(t *testing.T) {
	files := mailOf(noisyMail())
	c := collect(t, files, byHash(), "ham", "spam")
	candidate := smoothings(0.1)[1]
	candidate.Features.MinDocumentFrequency = 2
	trial := tune(t, c, []Candidate{candidate}, TuneOptions{})[0]
	candidateTrained, err := FitCandidate(t.Context(), c, candidate)
	if err != nil {
		t.Fatal(err)
	}
	o := byHash()
	o.Reading, o.Features = candidate.Reading, candidate.Features
	fitted, err := train.Fit(t.Context(), collect(t, files, o, "ham", "spam"), candidate.Model, candidate.Options)
	if err != nil {
		t.Fatal(err)
	}
	got, want := candidateTrained.Result, fitted.Result
	got.Seconds, want.Seconds = 0, 0
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("result (-Fit +FitCandidate):\n%s", diff)
	}
	if diff := cmp.Diff(metrics.MeanOutcome([]*metrics.Figures{want.Development}), trial.Development); diff != "" {
		t.Errorf("development (-Fit +trial):\n%s", diff)
	}
}

func TestACandidateThatDivergesIsLast(t *testing.T) {
	c := collect(t, mailOf(noisyMail()), byHash(), "ham", "spam")
	candidates := smoothings(1, 0.1)
	candidates[0].Model, candidates[0].Options.Models.LMS.LearningRate = "lms", 1e6
	trials := tune(t, c, candidates, TuneOptions{})
	last := trials[len(trials)-1]
	if last.Candidate != 0 || !strings.Contains(last.Error, "diverges") {
		t.Errorf("got %+v, want the first candidate last, with an error", trials)
	}
}

func TestTuneRefuses(t *testing.T) {
	byTime, noDevelopment := byHash(), byHash()
	byTime.Split.Method = corpus.SplitByTime
	noDevelopment.Split.Train, noDevelopment.Split.Development = 0.8, 0
	tests := []struct {
		about   string
		collect train.CollectOptions
		classes []string
		options TuneOptions
		want    string
	}{
		{"an unknown objective", byHash(), spamAndHam(), TuneOptions{Objective: "beauty"}, `objective "beauty": must be one of`},
		{"an objective for spam filters only", byHash(), []string{"a", "b", "c"}, TuneOptions{Objective: metrics.ByLAM}, "needs the classes ham and spam"},
		{"too few folds", byHash(), spamAndHam(), TuneOptions{Objective: metrics.ByAccuracy, Folds: 2}, "at least 3"},
		{"folds of a split by time", byTime, spamAndHam(), TuneOptions{Objective: metrics.ByAccuracy, Folds: 3}, "by time has no folds"},
		{"no development mail", noDevelopment, spamAndHam(), TuneOptions{Objective: metrics.ByAccuracy}, "no development mail"},
	}
	for _, tt := range tests {
		t.Run(tt.about, func(t *testing.T) {
			c := collect(t, corpustest.Mailbox(5, 20, tt.classes...), tt.collect, tt.classes...)
			_, err := Tune(t.Context(), c, smoothings(1), tt.options)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got error %v, want %q in it", err, tt.want)
			}
		})
	}
}

func spamAndHam() []string { return []string{"ham", "spam"} }

func TestMailThatChangedIsAnError(t *testing.T) {
	files := noisyMail()
	c := collect(t, mailOf(files), byHash(), "ham", "spam")
	changed := c.Origins(corpus.Train)[0]
	files[changed] = &fstest.MapFile{Data: []byte("Subject: y\n\nother text\n")}
	_, err := Tune(t.Context(), c, smoothings(1), TuneOptions{Objective: metrics.ByAccuracy})
	if err == nil || !strings.Contains(err.Error(), changed+" has changed") {
		t.Errorf("got error %v, want that %s has changed", err, changed)
	}
}
