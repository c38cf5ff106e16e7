package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"chaff/corpus/sample"
	"chaff/test/corpustest"
	"chaff/test/testmain"
)

// writeSample writes the invented mail as a corpus.
func writeSample(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "sample")
	for item, raw := range corpustest.Each(t, sample.Source()) {
		name := filepath.Join(dir, filepath.FromSlash(item.Origin))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, raw, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestTheProgramsThatAreThereTakePart runs the benchmark on the invented mail with the programs that are quick, as far as
// they are installed. fastText is not among them: its model is close to a gigabyte.
func TestTheProgramsThatAreThereTakePart(t *testing.T) {
	if !testmain.IsLong() {
		t.Skip("other filters take some seconds: set TEST_CORPORA to a folder with the corpora sa and enron (see docs/inside/results.md)")
	}
	if !bogofilter().present() {
		t.Skip("needs bogofilter: apt-get install bogofilter")
	}
	corpus := writeSample(t)
	t.Chdir("..")
	t.Setenv("GOFLAGS", "-buildvcs=false")
	output := filepath.Join(t.TempDir(), "page.md")
	only := leanChaff() + ",bogofilter,crm114,spamprobe,liblinear,sklearn-sgd"
	args := []string{"-rounds", "1", "-singles", "1", "-install=false", "-o", output}
	var stdout, stderr bytes.Buffer
	args = append(args, "-only", only, corpus)
	if code := run(t.Context(), args, &stdout, &stderr); code != 0 {
		t.Fatalf("exits with %d: %s", code, stderr.String())
	}
	page, err := os.ReadFile(output)
	if err != nil || !bytes.Equal(page, stdout.Bytes()) {
		t.Errorf("the page is not what was printed: %v", err)
	}
	_, costs, _ := strings.Cut(string(page), "| notes |\n")
	costs, _, _ = strings.Cut(costs, "\n\n")
	took := 0
	for row := range strings.Lines(costs) {
		cells := strings.Split(strings.TrimSpace(row), " | ")
		switch note := strings.TrimSuffix(cells[len(cells)-1], " |"); {
		case strings.HasPrefix(row, "|---"):
		case strings.HasPrefix(note, "not installed"):
			t.Log(strings.Trim(row, "|\n"))
		case note != "|" && note != "":
			t.Errorf("it says %q: %s", note, row)
		case cells[1] == "-" || cells[4] == "-" || cells[6] == "-" || cells[7] == "-" || cells[10] == "-":
			t.Errorf("something was not measured: %s", row)
		default:
			took++
		}
	}
	if took < 2 {
		t.Errorf("%d programs took part:\n%s", took, page)
	}
}

func TestThereIsNoBenchmarkOfNoMail(t *testing.T) {
	t.Chdir("..")
	var stdout, stderr bytes.Buffer
	if code := run(t.Context(), []string{"-install=false", "-only", "none", "-o", filepath.Join(t.TempDir(), "page"), t.TempDir()}, &stdout, &stderr); code != 1 || !strings.Contains(stderr.String(), "unknown program") {
		t.Errorf("exits with %d: %s", code, stderr.String())
	}
}
