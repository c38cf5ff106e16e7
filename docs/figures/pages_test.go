package main

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// always makes figures that are the same text.
func always(text string) figures {
	return func() (string, error) { return text, nil }
}

const twoBlocks = `before
<!-- figures: a -->
old
<!-- end of figures -->
between
<!-- figures: b -->
<!-- end of figures -->
after`

// filledBlocks is twoBlocks with the figures A and B.
const filledBlocks = `before
<!-- figures: a -->

A

<!-- end of figures -->
between
<!-- figures: b -->

B

<!-- end of figures -->
after`

func TestSplit(t *testing.T) {
	tests := map[string]struct {
		text  string
		names []string
		err   error
	}{
		"an empty page has no block":                {"", nil, nil},
		"a page without markers has no block":       {"# Title\n\ntext\n", nil, nil},
		"blocks come in their order":                {twoBlocks, []string{"a", "b"}, nil},
		"the same block can come twice":             {strings.Repeat("<!-- figures: a -->\n<!-- end of figures -->\n", 2), []string{"a", "a"}, nil},
		"lines can end in CRLF":                     {"<!-- figures: a -->\r\nx\r\n<!-- end of figures -->\r\n", []string{"a"}, nil},
		"a marker within a line is text":            {"as `<!-- figures: a -->` is\n", nil, nil},
		"a block whose end is missing is an error":  {"<!-- figures: a -->\nx\n", nil, errNoEnd},
		"a block within a block is an error":        {"<!-- figures: a -->\n<!-- figures: b -->\n<!-- end of figures -->\n", nil, errNoEnd},
		"an end without a block is an error":        {"x\n<!-- end of figures -->\n", nil, errNoBegin},
		"a second end of the same block is one too": {"<!-- figures: a -->\n" + strings.Repeat("<!-- end of figures -->\n", 2), nil, errNoBegin},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			parts, err := split(tt.text)
			if !errors.Is(err, tt.err) {
				t.Fatalf("error %v, want %v", err, tt.err)
			}
			if err != nil {
				return
			}
			p := page{parts: parts}
			if diff := cmp.Diff(tt.names, p.names()); diff != "" {
				t.Errorf("blocks (-want +got):\n%s", diff)
			}
			if p.text() != tt.text {
				t.Errorf("the parts together are %q, want %q", p.text(), tt.text)
			}
		})
	}
}

// FuzzSplit wants the parts of any page to be that page again, and a page that was filled to be the same when it is filled
// once more.
func FuzzSplit(f *testing.F) {
	f.Add(twoBlocks)
	f.Add("<!-- figures: a -->\r\n<!-- end of figures -->")
	f.Add("<!-- end of figures -->\n")
	f.Fuzz(func(t *testing.T, text string) {
		parts, err := split(text)
		if err != nil {
			return
		}
		p := page{parts: parts}
		if p.text() != text {
			t.Fatalf("the parts together are %q, want %q", p.text(), text)
		}
		known := make(map[string]figures)
		for _, name := range p.names() {
			known[name] = always("new\n")
		}
		all := func(string) bool { return true }
		if _, err := p.fill(known, all); err != nil {
			t.Fatal(err)
		}
		again, err := split(p.text())
		if err != nil {
			t.Fatal(err)
		}
		if changed, err := (page{parts: again}).fill(known, all); err != nil || changed != nil {
			t.Errorf("filled once more, %q changed: %v", changed, err)
		}
	})
}

// inProject makes a project with the given README the working directory.
func inProject(t *testing.T, readme string) {
	t.Helper()
	t.Chdir(t.TempDir())
	if err := os.Mkdir("docs", 0o700); err != nil {
		t.Fatal(err)
	}
	for file, text := range map[string]string{"README.md": readme, filepath.Join("docs", "more.md"): "nothing to measure\n"} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestRegenerate(t *testing.T) {
	outdated := strings.Replace(filledBlocks, "B", "old", 1)
	tests := map[string]struct {
		readme, only string
		check        bool
		differ       []string
		err          string
		want         string // the page afterwards; "" if it stays as it is
	}{
		"blocks are written anew":                     {readme: twoBlocks, differ: []string{"README.md: a", "README.md: b"}, want: filledBlocks},
		"what is up to date stays":                    {readme: filledBlocks},
		"a page without blocks stays":                 {readme: "text\n"},
		"a check changes nothing and names blocks":    {readme: twoBlocks, check: true, differ: []string{"README.md: a", "README.md: b"}},
		"a check of what is up to date names nothing": {readme: filledBlocks, check: true},
		"other blocks than the one wanted stay":       {readme: outdated, only: "a"},
		"the block wanted is written anew":            {readme: outdated, only: "b", differ: []string{"README.md: b"}, want: filledBlocks},
		"an unknown name is an error":                 {readme: strings.Replace(twoBlocks, "figures: b", "figures: c", 1), err: `README.md: there are no figures "c"`},
		"a wanted block that no page has is an error": {readme: filledBlocks, only: "c", err: `no page has figures "c"`},
		"a missing end is an error":                   {readme: "<!-- figures: a -->\n", err: `README.md: figures "a": the block has no end`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			inProject(t, tt.readme)
			differ, err := regenerate(map[string]figures{"a": always("A\n"), "b": always("B\n")}, tt.only, tt.check)
			if err != nil && err.Error() != tt.err || err == nil && tt.err != "" {
				t.Fatalf("error %v, want %q", err, tt.err)
			}
			if !slices.Equal(differ, tt.differ) {
				t.Errorf("%q differ, want %q", differ, tt.differ)
			}
			if tt.want == "" {
				tt.want = tt.readme
			}
			checkFile(t, "README.md", tt.want)
		})
	}
}

func TestWhatCannotBeMeasuredChangesNoPage(t *testing.T) {
	inProject(t, twoBlocks)
	failed := errors.New("no mail")
	known := map[string]figures{"a": always("A\n"), "b": func() (string, error) { return "", failed }}
	if _, err := regenerate(known, "", false); !errors.Is(err, failed) {
		t.Errorf("error %v, want %v", err, failed)
	}
	checkFile(t, "README.md", twoBlocks)
}

func checkFile(t *testing.T, file, want string) {
	t.Helper()
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}
