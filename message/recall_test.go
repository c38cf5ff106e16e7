package message_test

import (
	"bufio"
	"bytes"
	"cmp"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"chaff/message"
)

const (
	needsCorpora = "needs real mail: set TEST_CORPORA to a folder with the corpora sa and enron (see docs/inside/results.md)"
	needsPython  = "needs Python: install Debian's python3"
)

// corpora are the folders of each corpus, in the folder that TEST_CORPORA names, and how many messages they hold.
func corpora() []struct {
	name, folders string
	messages      int
} {
	return []struct {
		name, folders string
		messages      int
	}{
		{"SpamAssassin", "sa/*", 6046},
		{"Enron-Spam", "enron/enron[1-6]/*am", 33715},
	}
}

// corporaDir returns the folder of the corpora, or skips the test if there is none.
func corporaDir(t testing.TB) string {
	t.Helper()
	dir := os.Getenv("TEST_CORPORA")
	if dir == "" {
		t.Skip(needsCorpora)
	}
	return dir
}

// corpusFiles returns the messages of a corpus, sorted.
func corpusFiles(t testing.TB, dir, folders string) []string {
	t.Helper()
	roots, err := filepath.Glob(filepath.Join(dir, folders))
	if err != nil {
		t.Fatal(err)
	}
	var files []string
	for _, root := range roots {
		err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
			if err == nil && entry.Type().IsRegular() {
				files = append(files, name)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// TestTheWordsThatPythonFindsAreFound compares the words of real mail with those that Python's email package finds
// (testdata/recall.py), and counts repeated words. It prints missing words and counts them, even where Python is wrong:
// Python does not decode base64 with an odd digit at its end, and reads an HTML comment without an end as text. On purpose,
// chaff reads alternative text of images only.
func TestTheWordsThatPythonFindsAreFound(t *testing.T) {
	const want = 0.999
	dir := corporaDir(t)
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip(needsPython)
	}
	for _, c := range corpora() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			files := corpusFiles(t, dir, c.folders)
			if len(files) != c.messages {
				t.Errorf("%d messages, want %d", len(files), c.messages)
			}
			r := recallOf(t, python, files)
			if r.messages != len(files) {
				t.Fatalf("Python read %d of %d messages", r.messages, len(files))
			}
			found := 1 - float64(r.missing)/float64(r.words)
			t.Logf("%.4f%% of %d words in %d messages are found; %d are missing, in %d messages",
				100*found, r.words, r.messages, r.missing, len(r.losses))
			for _, l := range r.losses[:min(len(r.losses), 20)] {
				t.Logf("%s: %d of %d are missing: %.200q", l.file, l.missing.total(), l.words, slices.Sorted(maps.Keys(l.missing)))
			}
			if found < want {
				t.Errorf("%.4f%% of the words are found, want %.1f%%", 100*found, 100*want)
			}
		})
	}
}

// recall is how many words of a corpus are found.
type recall struct {
	messages, words, missing int
	losses                   []loss // messages with missing words, the most first
}

type loss struct {
	file    string
	words   int
	missing wordCounts
}

// recallOf compares the words of messages with those that Python finds.
func recallOf(t *testing.T, python string, files []string) (r recall) {
	script := exec.Command(python, "-X", "utf8", filepath.Join("testdata", "recall.py"))
	script.Stdin = strings.NewReader(strings.Join(files, "\n"))
	var stderr bytes.Buffer
	script.Stderr = &stderr
	stdout, err := script.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := script.Start(); err != nil {
		t.Fatal(err)
	}
	d := message.NewDecoder(message.DefaultOptions())
	lines := bufio.NewScanner(stdout)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		r.add(t, d, lines.Text())
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	if err := script.Wait(); err != nil {
		t.Fatalf("%v\n%s", err, stderr.Bytes())
	}
	slices.SortFunc(r.losses, func(a, b loss) int {
		return cmp.Or(cmp.Compare(b.missing.total(), a.missing.total()), cmp.Compare(a.file, b.file))
	})
	return r
}

// add compares one message; line is what the script printed of it.
func (r *recall) add(t *testing.T, d *message.Decoder, line string) {
	file, text, _ := strings.Cut(line, "\t")
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want := wordCounts{}
	for word := range strings.FieldsSeq(text) {
		want[word]++
	}
	missing := want.without(wordsOf(d.Decode(raw), isASCIILetter))
	r.messages++
	r.words += want.total()
	if n := missing.total(); n > 0 {
		r.missing += n
		r.losses = append(r.losses, loss{file, want.total(), missing})
	}
}
