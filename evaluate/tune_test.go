package evaluate

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/fstest"

	"chaff/corpus"
	"chaff/corpus/sources"
	"chaff/filter"
	"chaff/metrics"
	"chaff/train"
)

// noisyMail returns mail with a known best smoothing for naive Bayes. Each message has five words of its class, two of the other class, and
// one word that at most one other message has, which is of the other class. Without smoothing that word outweighs all others. With too much
// smoothing no word has weight and all mail is classified as ham, the larger class.
func noisyMail() fstest.MapFS {
	rng := rand.New(rand.NewPCG(11, 0))
	files := make(fstest.MapFS)
	count := make(map[string]int) // of each class
	for i := range 200 {
		class, other := "ham", "spam"
		if i%5 > 2 {
			class, other = other, class
		}
		n := count[class]
		count[class]++
		words := []string{fmt.Sprintf("pair%cx%c", 'a'+n%26, 'a'+n/26)}
		for n := range 7 {
			of := class
			if n >= 5 {
				of = other
			}
			words = append(words, fmt.Sprintf("%s%c", of, 'a'+rng.IntN(8)))
		}
		files[fmt.Sprintf("%s/%03d.eml", class, i)] = &fstest.MapFile{Data: []byte("Subject: x\n\n" + strings.Join(words, " ") + "\n")}
	}
	return files
}

func mailOf(files fs.FS) corpus.Source {
	return corpus.Concat(sources.FromFS(files, "ham", "ham"), sources.FromFS(files, "spam", "spam"))
}

func byHash() train.CollectOptions {
	o := train.DefaultCollectOptions()
	o.Split.Method = corpus.SplitByHash
	return o
}

// smoothings returns candidates with these smoothings of multinomial naive Bayes, first with and then without stemming.
func smoothings(values ...float64) []Candidate {
	var all []Candidate
	for _, language := range []string{"english", "none"} {
		for _, value := range values {
			c := Candidate{Model: "multinomial", Reading: filter.DefaultReading(), Features: train.DefaultCollectOptions().Features, Options: train.DefaultOptions()}
			c.Options.Models.Multinomial.Smoothing = value
			c.Reading.Tokenize.Language = language
			all = append(all, c)
		}
	}
	return all
}

func tune(t testing.TB, c *train.Collection, candidates []Candidate, objective string) []Trial {
	t.Helper()
	return must(Tune(t.Context(), c, candidates, objective, func(int, int) {}))(t)
}

func asBytes(t testing.TB, trials []Trial) string {
	t.Helper()
	return string(must(json.Marshal(trials))(t))
}

func TestTuningFindsTheKnownBestPoint(t *testing.T) {
	c := collect(t, mailOf(noisyMail()), byHash(), "ham", "spam")
	candidates := smoothings(0, 1, 1e6)
	trials := tune(t, c, candidates, metrics.ByAccuracy)
	if len(trials) != len(candidates) || trials[0].Candidate != 1 || trials[1].Candidate != 4 {
		t.Fatalf("got %+v, want the candidates 1 and 4, with smoothing 1, first", trials)
	}
	for _, trial := range trials[2:] {
		if trial.Development.Accuracy >= trials[1].Development.Accuracy {
			t.Errorf("candidate %d is as good as the best: the test proves nothing", trial.Candidate)
		}
	}
}

func TestTrialsAreSortedByTheObjective(t *testing.T) {
	c := collect(t, mailOf(noisyMail()), byHash(), "ham", "spam")
	for _, objective := range metrics.Objectives() {
		trials := tune(t, c, smoothings(0, 1, 1e6), objective)
		for i, trial := range trials[1:] {
			if trial.Development.Cost(objective) < trials[i].Development.Cost(objective) {
				t.Errorf("%s: trial %d is better than the one before: %+v", objective, i+1, trials)
			}
			if trial.Development.Cost(objective) == trials[i].Development.Cost(objective) && *trial.Development.LogLoss < *trials[i].Development.LogLoss {
				t.Errorf("%s: trial %d ties with the one before and has a smaller log loss: %+v", objective, i+1, trials)
			}
		}
	}
}

// The test part has other words, exchanged labels, or no mail. No trial may differ in a byte.
func TestTuningNeverUsesTheTestPart(t *testing.T) {
	files := noisyMail()
	clean := collect(t, mailOf(files), byHash(), "ham", "spam")
	members := clean.Members()
	for i, m := range members {
		if m.Part == corpus.Test { // the terms and the label of another message
			members[i].Label = 1 - m.Label
			members[i].Index = len(members) - 1 - i
		}
	}
	poisoned := must(clean.Select(members))(t)
	gone := must(clean.Select(withoutTest(clean.Members())))(t)
	exchanged := make(fstest.MapFS) // the same messages in the folder of the other class
	for _, origin := range clean.Origins(corpus.Test) {
		other := strings.Replace(origin, "spam/", "HAM/", 1)
		if other == origin {
			other = strings.Replace(origin, "ham/", "spam/", 1)
		}
		exchanged[strings.ToLower(other)] = files[origin]
		delete(files, origin)
	}
	for name, file := range files {
		exchanged[name] = file
	}
	relabelled := collect(t, mailOf(exchanged), byHash(), "ham", "spam")
	want := asBytes(t, tune(t, clean, smoothings(0, 0.1, 1, 1e6), metrics.ByAccuracy))
	for poison, c := range map[string]*train.Collection{"other words and labels": poisoned, "no test mail": gone, "exchanged labels": relabelled} {
		if got := asBytes(t, tune(t, c, smoothings(0, 0.1, 1, 1e6), metrics.ByAccuracy)); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", poison, got, want)
		}
	}
	best := smoothings(1)[0]
	before := must(FitCandidate(t.Context(), clean, best))(t)
	after := must(FitCandidate(t.Context(), relabelled, best))(t)
	if before.Result.Test.Accuracy < 80 || after.Result.Test.Accuracy > 20 {
		t.Errorf("test accuracy %v, with exchanged labels %v: the test proves nothing", before.Result.Test.Accuracy, after.Result.Test.Accuracy)
	}
}

func TestTheNumberOfWorkersChangesNoTrial(t *testing.T) {
	c := collect(t, mailOf(noisyMail()), byHash(), "ham", "spam")
	c.Options.Workers = 1
	want := asBytes(t, tune(t, c, smoothings(0, 0.01, 0.1, 1, 10, 1e6), metrics.ByAccuracy))
	c.Options.Workers = 8
	if got := asBytes(t, tune(t, c, smoothings(0, 0.01, 0.1, 1, 10, 1e6), metrics.ByAccuracy)); got != want {
		t.Errorf("with 8 workers\n%s\nwith 1\n%s", got, want)
	}
}
