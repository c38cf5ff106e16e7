package filter

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"chaff/corpus"
	"chaff/corpus/sources"
	"chaff/models"
)

// The tests in this file use two public corpora of real mail, unpacked in the folder that TEST_CORPORA names: sa, the
// SpamAssassin public corpus, and enron, Enron-Spam. README.md says where they come from.

const needsCorpora = "needs real mail: set TEST_CORPORA to a folder with the corpora sa and enron (see README.md)"

// corporaDir returns the folder of the corpora, if there is one.
func corporaDir(t testing.TB) (string, bool) {
	t.Helper()
	dir := os.Getenv("TEST_CORPORA")
	if dir == "" {
		return "", false
	}
	if _, err := os.Stat(dir); err != nil {
		t.Fatalf("TEST_CORPORA: %v", err)
	}
	return dir, true
}

func spamAssassinCorpus(t testing.TB) (corpus.Source, bool) {
	t.Helper()
	dir, ok := corporaDir(t)
	if !ok {
		return nil, false
	}
	var opened []corpus.Source
	for _, folder := range [][2]string{
		{"easy-ham-1", "ham"}, {"easy-ham-2", "ham"}, {"hard-ham-1", "ham"}, {"spam-1", "spam"}, {"spam-2", "spam"},
	} {
		source, _, err := sources.Open(filepath.Join(dir, "sa", folder[0]), folder[1], "")
		if err != nil {
			t.Fatal(err)
		}
		opened = append(opened, source)
	}
	return corpus.Concat(opened...), true
}

func enronCorpus(t testing.TB, dir string, n int) corpus.Source {
	t.Helper()
	classes, err := sources.ClassFolders(filepath.Join(dir, "enron", fmt.Sprintf("enron%d", n)))
	if err != nil {
		t.Fatal(err)
	}
	return classes.Source()
}

func TestEveryMessageOfTheCorporaIsRead(t *testing.T) {
	dir, ok := corporaDir(t)
	if !ok {
		t.Skip(needsCorpora)
	}
	check := func(name string, source corpus.Source, messages int) {
		s := collect(t, source, DefaultCollectOptions(), "ham", "spam").Summary()
		if s.Listed != messages || s.Unreadable != 0 {
			t.Errorf("%s: %d messages, %d of them unreadable: want %d and 0", name, s.Listed, s.Unreadable, messages)
		}
		t.Logf("%s: %d messages, %d needed repair, %d are copies", name, s.Listed, s.Mended, s.Duplicates)
		for _, r := range s.Repairs {
			t.Logf("%s: %5d %s", name, r.Messages, r.Repair)
		}
	}
	spamAssassin, _ := spamAssassinCorpus(t)
	check("SpamAssassin", spamAssassin, 6046)
	for i, messages := range []int{5172, 5857, 5512, 5999, 5175, 6000} {
		check(fmt.Sprintf("enron%d", i+1), enronCorpus(t, dir, i+1), messages)
	}
}

// TestTheBestClassifierIsAccurateOnRealMail holds the defaults to what the project promises, on the split by hash that
// other filters are measured on.
func TestTheBestClassifierIsAccurateOnRealMail(t *testing.T) {
	dir, ok := corporaDir(t)
	if !ok {
		t.Skip(needsCorpora)
	}
	o := DefaultCollectOptions()
	o.Split.Method = corpus.SplitByHash
	accuracy := func(source corpus.Source) map[string]float64 {
		c := collect(t, source, o, "ham", "spam")
		comparison, err := Compare(t.Context(), c, models.Names(), DefaultTrainOptions())
		if err != nil || len(comparison.Failed) > 0 {
			t.Fatalf("failed: %v, %v", comparison.Failed, err)
		}
		all := make(map[string]float64)
		for _, m := range comparison.Models {
			all[m.Result.Model] = m.Result.Test.Accuracy
		}
		return all
	}
	best := func(corpus string, all map[string]float64, least float64) {
		highest := 0.0
		for _, model := range models.Names() {
			t.Logf("%s: %s: test accuracy %.2f%%", corpus, model, all[model])
			highest = max(highest, all[model])
		}
		if highest < least {
			t.Errorf("%s: the best has a test accuracy of %.2f%%, want at least %v%%", corpus, highest, least)
		}
	}
	spamAssassin, _ := spamAssassinCorpus(t)
	best("SpamAssassin", accuracy(spamAssassin), 99.2)
	mean := make(map[string]float64)
	for n := range 6 {
		for model, percent := range accuracy(enronCorpus(t, dir, n+1)) {
			mean[model] += percent / 6
		}
	}
	best("mean of Enron", mean, 98.9)
}

// TestTenEpochsCostLessThanReading compares the CPU time of training with that of reading and tokenising the same mail.
func TestTenEpochsCostLessThanReading(t *testing.T) {
	source, ok := spamAssassinCorpus(t)
	if !ok {
		t.Skip(needsCorpora)
	}
	o := DefaultCollectOptions()
	o.Split.Method = corpus.SplitByHash
	o.Workers = 1
	began := cpuTime()
	c := collect(t, source, o, "ham", "spam")
	share := float64(c.Summary().Train) / float64(c.Summary().Used)
	reading := time.Duration(share * float64(cpuTime()-began)) // of the training part
	epochs := DefaultTrainOptions()
	epochs.Models.AveragedPerceptron.Epochs, epochs.Models.Softmax.Epochs = 10, 10
	for _, model := range []string{"averaged-perceptron", "softmax"} {
		_, r, err := Train(t.Context(), c, model, epochs)
		if err != nil {
			t.Fatal(err)
		}
		training := time.Duration(r.Seconds * float64(time.Second))
		t.Logf("%s: %d epochs in %v of CPU, reading and tokenising %v", model, len(r.Epochs), training, reading)
		if training >= reading {
			t.Errorf("%s: %d epochs cost %v of CPU, reading and tokenising the same mail %v", model, len(r.Epochs), training, reading)
		}
	}
}

// TestAReplayCostsLittleBesideReading wants a replay of the default model, in the order of time, to cost at most twice the
// CPU time of reading and tokenising the mail once, and to be right about most of it.
func TestAReplayCostsLittleBesideReading(t *testing.T) {
	source, ok := spamAssassinCorpus(t)
	if !ok {
		t.Skip(needsCorpora)
	}
	o := DefaultReplayOptions()
	o.ByTime, o.Workers = true, 1
	m, err := ReadForReplay(t.Context(), source, []string{"ham", "spam"}, o)
	if err != nil {
		t.Fatal(err)
	}
	r, err := m.Replay(t.Context(), "hybrid")
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("replay: %.2f s of CPU beside %.2f s for reading and tokenising, lam%% %.2f, (1-ROCA)%% %.4f", r.Seconds, m.Seconds, *r.Figures.LAM, *r.Figures.OneMinusROCA)
	if r.Seconds > m.Seconds { // both together are twice the reading
		t.Errorf("the replay took %.2f s of CPU, reading and tokenising %.2f s", r.Seconds, m.Seconds)
	}
	if r.Figures.Accuracy < 98 {
		t.Errorf("accuracy %.2f%%, want at least 98%%", r.Figures.Accuracy)
	}
}
