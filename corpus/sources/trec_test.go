package sources

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestTRECIndex(t *testing.T) {
	root := tree(t, map[string]string{
		"data/inmail.1": "one", "data/in mail.2": "two", "folder/": "",
		"full/index": strings.Join([]string{
			"spam ../data/inmail.1",
			"",
			"HAM\t../data/in mail.2\r",
			"  \r",
			"good ../data/inmail.1",
			"spam",
			"ham ../data/inmail.3",
			"ham ../folder",
			"spam ../data/inmail.1",
		}, "\n"),
	})
	index := filepath.Join(root, "full", "index")
	source, err := OpenTREC(index)
	if err != nil {
		t.Fatal(err)
	}
	got := contents(source)
	want := []string{
		"spam: one",
		"ham: two",
		"! " + index + `:5: unknown label "good" (want ham or spam)`,
		"spam! " + index + `:6: no path after the label "spam"`,
		"ham! " + index + `:7: "../data/inmail.3": no such file or directory`,
		"ham! " + index + `:8: "../folder": is not a file`,
		"spam: one",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestTRECIndexTakesAbsolutePaths(t *testing.T) {
	root := tree(t, map[string]string{"mail": "m"})
	name := filepath.Join(root, "mail")
	index := filepath.Join(tree(t, map[string]string{"index": "ham " + name + "\n"}), "index")
	source, err := OpenTREC(index)
	if err != nil {
		t.Fatal(err)
	}
	for item, err := range source {
		if err != nil || item.Origin != name {
			t.Errorf("got %q, %v, want %q", item.Origin, err, name)
		}
	}
	if got := contents(source); !slices.Equal(got, []string{"ham: m"}) {
		t.Errorf("got %q", got)
	}
}

func TestOpenTRECErrors(t *testing.T) {
	root := tree(t, map[string]string{"folder/": "", "long": "ham x\n" + strings.Repeat("x", 100_000)})
	_, err := OpenTREC(filepath.Join(root, "no"))
	checkError(t, err, "no: no such file")
	_, err = OpenTREC(filepath.Join(root, "folder"))
	checkError(t, err, "folder: is a folder, not an index")

	source, err := OpenTREC(filepath.Join(root, "long"))
	if err != nil {
		t.Fatal(err)
	}
	got := contents(source)
	if len(got) != 2 || !strings.Contains(got[1], "long:2: the line is too long") {
		t.Errorf("got %.200q, want an error about line 2", got)
	}
}

func FuzzParseIndexLine(f *testing.F) {
	for _, s := range []string{"spam ../data/inmail.1", "HAM\tx y\r", "ham", "", "good x", "\xff\x00", "spam  \u00a0"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, line string) {
		label, name, err := parseIndexLine(line)
		if err != nil {
			if strings.ContainsAny(err.Error(), "\n\r") {
				t.Errorf("the error has more than one line: %q", err)
			}
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
