package main

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// atRoot makes the root of the project the working directory.
func atRoot(t *testing.T) {
	t.Helper()
	t.Chdir(filepath.Join("..", ".."))
}

func TestThePagesHaveEveryBlock(t *testing.T) {
	atRoot(t)
	pages, err := readPages()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, p := range pages {
		names = append(names, p.names()...)
	}
	slices.Sort(names)
	want := slices.Sorted(maps.Keys(blocks(measurements{})))
	if diff := cmp.Diff(want, slices.Compact(names)); diff != "" {
		t.Errorf("blocks of the pages (-want +got):\n%s", diff)
	}
}

func TestTheComparisonInTheReadmeIsUpToDate(t *testing.T) {
	dir := os.Getenv("TEST_CORPORA")
	if dir == "" {
		t.Skip("needs real mail: set TEST_CORPORA to a folder with the corpora sa and enron (see docs/inside/results.md)")
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		t.Fatal(err)
	}
	atRoot(t)
	var stdout, stderr bytes.Buffer
	if code := run(t.Context(), []string{"-check", "-only", "spamassassin", dir}, &stdout, &stderr); code != 0 {
		t.Errorf("exit code %d, differs: %s%s; go run ./docs/figures CORPORA writes it anew", code, &stdout, &stderr)
	}
}

func TestRunExits(t *testing.T) {
	tests := map[string]struct {
		args []string
		code int
	}{
		"with 0 if asked for help":           {[]string{"-help"}, 0},
		"with 2 without a folder":            {nil, 2},
		"with 2 for an unknown flag":         {[]string{"-unknown", "mail"}, 2},
		"with 1 for an unknown block":        {[]string{"-only", "unknown", "mail"}, 1},
		"with 1 if the folder has no corpus": {[]string{"-check", "missing"}, 1},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			atRoot(t)
			var stdout, stderr bytes.Buffer
			if code := run(t.Context(), tt.args, &stdout, &stderr); code != tt.code || stderr.Len() == 0 {
				t.Errorf("exit code %d, want %d; told: %s", code, tt.code, &stderr)
			}
		})
	}
}
