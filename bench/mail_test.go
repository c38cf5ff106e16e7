package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestTheClassIsInTheNameOfAFolder(t *testing.T) {
	for folder, want := range map[string]string{
		"easy-ham-1": "ham", "spam_2": "spam", "enron1/ham": "ham", "2007/Spam/01": "spam", "spamassassin/easy_ham": "ham",
		"enron1": "none", ".": "none",
	} {
		spam, known := classOf(folder)
		got := "none"
		if known {
			got = className(spam)
		}
		if got != want {
			t.Errorf("%s: got %s, want %s", folder, got, want)
		}
	}
}

// writeCorpus writes n messages of each class into dir/ham and dir/spam, with names that begin with prefix.
func writeCorpus(t *testing.T, dir, prefix string, n int) {
	t.Helper()
	for _, class := range []string{"ham", "spam"} {
		if err := os.MkdirAll(filepath.Join(dir, class), 0o755); err != nil {
			t.Fatal(err)
		}
		for i := range n {
			text := fmt.Sprintf("From: %s@example.org\nSubject: number %d\n\nMessage %d of the class %s.\n", class, i, i, class)
			if err := os.WriteFile(filepath.Join(dir, class, fmt.Sprintf("%s%03d", prefix, i)), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestTheContentDecidesTheDealAndCopiesCountOnce(t *testing.T) {
	first, second := t.TempDir(), t.TempDir()
	writeCorpus(t, first, "a", 40)
	writeCorpus(t, second, "z", 40)
	writeCorpus(t, second, "copy-of-", 10)
	if err := os.WriteFile(filepath.Join(second, "README"), []byte("no mail"), 0o644); err != nil {
		t.Fatal(err)
	}
	a, err := split("a", first, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	b, err := split("b", second, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(a.train, b.train) || !slices.Equal(a.test, b.test) {
		t.Error("the same messages are dealt in another way")
	}
	if len(a.train)+len(a.test) != 80 || a.copies != 0 || b.copies != 20 {
		t.Errorf("%d and %d messages, %d and %d copies", len(a.train), len(a.test), a.copies, b.copies)
	}
	for _, m := range []*mail{a, b} {
		for _, l := range slices.Concat(m.train, m.test) {
			text, err := os.ReadFile(filepath.Join(m.dir, filepath.FromSlash(l.name)))
			if err != nil || !strings.Contains(string(text), "class "+className(l.spam)) || int64(len(text)) != l.size {
				t.Errorf("%s: %q, %v", l.name, text, err)
			}
		}
		list, err := os.ReadFile(filepath.Join(m.dir, trainOrder))
		if err != nil || countLines(list) != len(m.train) {
			t.Errorf("%s has %d lines: %v", trainOrder, countLines(list), err)
		}
	}
}

func TestACorpusNeedsBothClasses(t *testing.T) {
	dir := t.TempDir()
	writeCorpus(t, dir, "", 30)
	if err := os.RemoveAll(filepath.Join(dir, "ham")); err != nil {
		t.Fatal(err)
	}
	if _, err := split("half", dir, t.TempDir()); err == nil || !strings.Contains(err.Error(), "needs ham and spam") {
		t.Errorf("got %v", err)
	}
}

func TestAnArchiveIsUnpacked(t *testing.T) {
	if _, err := exec.LookPath("tar"); err != nil {
		t.Skip("needs tar")
	}
	dir, scratch := t.TempDir(), t.TempDir()
	writeCorpus(t, filepath.Join(dir, "set"), "", 1)
	archive := filepath.Join(dir, "set.tar.gz")
	if out, err := exec.Command("tar", "-C", dir, "-czf", archive, "set").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	root, err := unpack(t.Context(), archive, scratch)
	if err != nil {
		t.Fatal(err)
	}
	all, err := find(root)
	if err != nil || len(all) != 2 {
		t.Errorf("%d messages: %v", len(all), err)
	}
	if name := (options{corpora: []string{archive}}).nameOf(0); name != "set" {
		t.Errorf("it is called %q", name)
	}
	if _, err := unpack(t.Context(), filepath.Join(dir, "set", "ham", "000"), scratch); err == nil {
		t.Error("a message is no archive")
	}
}

func TestASampleIsSpreadOverTheTestPart(t *testing.T) {
	m := &mail{test: make([]mailFile, 10)}
	for i := range m.test {
		m.test[i].size = int64(i)
	}
	if got := m.sample(3); len(got) != 3 || got[0].size != 0 || got[1].size != 3 || got[2].size != 6 {
		t.Errorf("got %v", got)
	}
	if got := m.sample(99); len(got) != 10 {
		t.Errorf("got %d of 10", len(got))
	}
}

func TestTextThatFollowsTheHeaderAtOnce(t *testing.T) {
	for raw, want := range map[string]bool{
		"Subject: a\n\nText.\n":                              false,
		"From x Mon\r\nSubject: a\r\n b: c\r\n\r\nText.\r\n": false,
		"Subject: only":                                      false,
		"Subject: a\nText.\n":                                true,
		"Subject: a\nas I said: text\n\nMore.\n":             true,
	} {
		if got := joined([]byte(raw)); got != want {
			t.Errorf("%q: got %v, want %v", raw, got, want)
		}
	}
}
