package sources

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestTRECIndex(t *testing.T) {
	elsewhere := filepath.Join(tree(t, map[string]string{"mail": "m"}), "mail")
	root := tree(t, map[string]string{
		"data/inmail.1": "one", "data/in mail.2": "two", "folder/": "",
		"full/index": strings.Join([]string{
			"spam ../data/inmail.1", "", "HAM\t../data/in mail.2\r", "  \r", "good ../data/inmail.1", "spam", "ham ../data/inmail.3", "ham ../folder",
			"spam ../data/inmail.1", "ham " + elsewhere,
		}, "\n"),
	})
	index := filepath.Join(root, "full", "index")
	source, err := openLabelled(index, Index)
	must(t, err)
	check(t, "", contents(source), []string{
		"spam: one", "ham: two",
		"! " + index + `:5: unknown label "good" (want ham or spam)`,
		"spam! " + index + `:6: no path after the label "spam"`,
		"ham! read " + filepath.Join(root, "data", "inmail.3") + ": no such file or directory",
		"ham! read " + filepath.Join(root, "folder") + ": is a folder, not a message",
		"spam: one", "ham: m",
	})
	last := ""
	for item := range source {
		last = item.Origin
	}
	if last != elsewhere {
		t.Errorf("got the origin %q, want %q", last, elsewhere)
	}
}

func TestFilesThatAreNoIndex(t *testing.T) {
	root := tree(t, map[string]string{"folder/": "", "zip": makeZip(t, entry{name: "1"}), "long": "ham long\nham " + strings.Repeat("x", 100_000)})
	for name, want := range map[string]string{
		"no": "no: no such file", "folder": "folder is a folder, not an index (a file of lines such as \"spam", "zip": "zip is a zip archive, not an index",
	} {
		_, err := openLabelled(filepath.Join(root, name), Index)
		checkError(t, err, want)
	}
	source, err := openLabelled(filepath.Join(root, "long"), Index)
	must(t, err)
	if got := contents(source); len(got) != 2 || !strings.Contains(got[1], "long:2: the line is too long; the rest is not read") {
		t.Errorf("got %.200q, want an error about line 2", got)
	}
}

// FuzzParseIndexLine requires that a line is a label and a path that make the same line again, or gives an error of one line.
func FuzzParseIndexLine(f *testing.F) {
	for _, s := range []string{"spam ../data/inmail.1", "HAM\tx y\r", "ham", "", "good x", "\xff\x00", "spam  \u00a0"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, line string) {
		label, name, err := parseIndexLine(strings.TrimSpace(line))
		if err != nil {
			checkError(t, err)
			return
		}
		if label != "ham" && label != "spam" || name == "" || name != strings.TrimSpace(name) {
			t.Errorf("got label %q and path %q", label, name)
		}
		if l, n, err := parseIndexLine(label + " " + name); l != label || n != name || err != nil {
			t.Errorf("%q %q read again gives %q %q, %v", label, name, l, n, err)
		}
	})
}
