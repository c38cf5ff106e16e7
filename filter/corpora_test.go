package filter

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"chaff/corpus"
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
	var sources []corpus.Source
	for _, folder := range [][2]string{
		{"easy-ham-1", "ham"}, {"easy-ham-2", "ham"}, {"hard-ham-1", "ham"}, {"spam-1", "spam"}, {"spam-2", "spam"},
	} {
		source, _, err := corpus.Open(filepath.Join(dir, "sa", folder[0]), folder[1], "")
		if err != nil {
			t.Fatal(err)
		}
		sources = append(sources, source)
	}
	return corpus.Concat(sources...), true
}

func enronCorpus(t testing.TB, dir string, n int) corpus.Source {
	t.Helper()
	classes, err := corpus.ClassFolders(filepath.Join(dir, "enron", fmt.Sprintf("enron%d", n)))
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

// TestSpamAssassinAccuracy holds the defaults to what the project promises.
func TestSpamAssassinAccuracy(t *testing.T) {
	source, ok := spamAssassinCorpus(t)
	if !ok {
		t.Skip(needsCorpora)
	}
	c := collect(t, source, DefaultCollectOptions(), "ham", "spam")
	best := 0.0
	for _, model := range []string{"bernoulli", "multinomial"} {
		_, r := train(t, c, model)
		t.Logf("%s: test accuracy %.2f%%", model, r.Test.Accuracy)
		best = max(best, r.Test.Accuracy)
	}
	if best < 98.5 {
		t.Errorf("the better naive Bayes has a test accuracy of %.2f%%, want at least 98.5%%", best)
	}
}
