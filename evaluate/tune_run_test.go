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
	"chaff/metrics"
	"chaff/test/corpustest"
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
	tune(t, c, candidates, metrics.ByAccuracy)
	for _, m := range c.Members() {
		want := 1 // for the second language; the first has been read
		if m.Part == corpus.Test {
			want = 0
		}
		if got := files.opened[m.Origin]; got != want {
			t.Fatalf("%s of the %s part was read %d times, want %d", m.Origin, m.Part, got, want)
		}
	}
}

func TestAnInterruptedSearchReturnsWhatItFound(t *testing.T) {
	c := collect(t, mailOf(noisyMail()), byHash(), "ham", "spam")
	candidates := smoothings(0, 0.01, 0.1, 1, 10, 1e6)
	c.Options.Workers = 1
	stop := errors.New("stopped")
	all := tune(t, c, candidates, metrics.ByAccuracy)
	for _, stopAfter := range []int{1, 7} {
		ctx, cancel := context.WithCancelCause(t.Context())
		found, err := Tune(ctx, c, candidates, metrics.ByAccuracy, func(done, of int) {
			if done == stopAfter && of == len(candidates) {
				cancel(stop)
			}
		})
		if !errors.Is(err, stop) || len(found) != stopAfter {
			t.Fatalf("%d trials, error %v; want %d and the cause", len(found), err, stopAfter)
		}
		want := slices.DeleteFunc(slices.Clone(all), func(trial Trial) bool {
			return !slices.ContainsFunc(found, func(f Trial) bool { return f.Candidate == trial.Candidate })
		})
		if asBytes(t, found) != asBytes(t, want) {
			t.Errorf("after %d trials: got\n%s\nwant\n%s", stopAfter, asBytes(t, found), asBytes(t, want))
		}
	}
}

func TestFitCandidateEqualsFit(t *testing.T) {
	files := mailOf(noisyMail())
	c := collect(t, files, byHash(), "ham", "spam")
	candidate := smoothings(0.1)[1]
	candidate.Features.MinDocumentFrequency = 2
	trial := tune(t, c, []Candidate{candidate}, metrics.ByAccuracy)[0]
	candidateTrained := must(FitCandidate(t.Context(), c, candidate))(t)
	o := byHash()
	o.Reading, o.Features = candidate.Reading, candidate.Features
	fitted := must(train.Fit(t.Context(), collect(t, files, o, "ham", "spam"), candidate.Model, candidate.Options))(t)
	got, want := candidateTrained.Result, fitted.Result
	got.Seconds, want.Seconds = 0, 0
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("result (-Fit +FitCandidate):\n%s", diff)
	}
	if diff := cmp.Diff(want.Development, trial.Development); diff != "" {
		t.Errorf("development (-Fit +trial):\n%s", diff)
	}
}

func TestACandidateThatDivergesIsLast(t *testing.T) {
	c := collect(t, mailOf(noisyMail()), byHash(), "ham", "spam")
	candidates := smoothings(1, 0.1)
	candidates[0].Model, candidates[0].Options.Models.LMS.LearningRate = "lms", 1e6
	trials := tune(t, c, candidates, metrics.ByAccuracy)
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
		about     string
		collect   train.CollectOptions
		classes   []string
		objective string
		want      string
	}{
		{"an objective for spam filters only", byHash(), []string{"a", "b", "c"}, metrics.ByLAM, "needs the classes ham and spam"},
		{"no development mail", noDevelopment, spamAndHam(), metrics.ByAccuracy, "no development mail"},
	}
	for _, tt := range tests {
		t.Run(tt.about, func(t *testing.T) {
			c := collect(t, corpustest.Mailbox(5, 20, tt.classes...), tt.collect, tt.classes...)
			_, err := Tune(t.Context(), c, smoothings(1), tt.objective, nil)
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
	_, err := Tune(t.Context(), c, smoothings(1), metrics.ByAccuracy, func(int, int) {})
	if err == nil || !strings.Contains(err.Error(), changed+" has changed") {
		t.Errorf("got error %v, want that %s has changed", err, changed)
	}
}
