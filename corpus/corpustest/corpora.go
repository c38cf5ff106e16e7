package corpustest

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"chaff/corpus"
	"chaff/corpus/sources"
)

// NeedsCorpora says why a test is skipped and how to run it. Some tests use two public corpora of real mail, unpacked in the folder
// that TEST_CORPORA names: sa, the SpamAssassin public corpus, and enron, Enron-Spam.
const NeedsCorpora = "needs real mail: set TEST_CORPORA to a folder with the corpora sa and enron (see docs/results.md)"

// CorporaDir returns the folder of the corpora, if there is one.
func CorporaDir(t testing.TB) (string, bool) {
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

// SpamAssassin returns the SpamAssassin public corpus, if there is a folder of corpora.
func SpamAssassin(t testing.TB) (corpus.Source, bool) {
	t.Helper()
	dir, ok := CorporaDir(t)
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

// Enron returns the n-th of the six parts of Enron-Spam in the folder of corpora.
func Enron(t testing.TB, dir string, n int) corpus.Source {
	t.Helper()
	classes, err := sources.ClassFolders(filepath.Join(dir, "enron", fmt.Sprintf("enron%d", n)))
	if err != nil {
		t.Fatal(err)
	}
	return classes.Source()
}
