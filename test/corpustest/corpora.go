package corpustest

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"chaff/corpus"
	"chaff/corpus/sources"
)

// NeedsCorpora is the message of a skipped test. Some tests need two public corpora of real mail in the folder $TEST_CORPORA: the
// SpamAssassin public corpus in sa, and Enron-Spam in enron.
const NeedsCorpora = "needs real mail: set TEST_CORPORA to a folder with the corpora sa and enron (see docs/inside/results.md)"

// CorporaDir returns $TEST_CORPORA, and false if it is not set.
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

// SpamAssassin returns the SpamAssassin public corpus, and false if TEST_CORPORA is not set.
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
		mail, err := sources.OpenLabelled(filepath.Join(dir, "sa", folder[0]), sources.Options{Label: folder[1]})
		if err != nil {
			t.Fatal(err)
		}
		opened = append(opened, mail.Source)
	}
	return corpus.Concat(opened...), true
}

// Enron returns part n, from 1 to 6, of Enron-Spam in the folder of corpora.
func Enron(t testing.TB, dir string, n int) corpus.Source {
	t.Helper()
	mail, err := sources.OpenLabelled(filepath.Join(dir, "enron", fmt.Sprintf("enron%d", n)), sources.Options{Format: sources.Subfolders})
	if err != nil {
		t.Fatal(err)
	}
	return mail.Source
}
