package sources

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestListFile(t *testing.T) {
	const from = "From ann@example.org Thu Aug 22 12:36:23 2002\n"
	root := tree(t, map[string]string{
		"mail/box": from + "one\n\n" + from + "B: two\n", "mail/a folder/1": "To: three", "mail/maildir/cur/1": "four", "mail/maildir/new/": "",
		"mail/old.tar.gz": pack(t, gzipped, makeTar(t, entry{name: "x/5", text: "five"})), "mail/c:6": "To: six", "mail/#7": "To: seven",
		"mail/bad.tar": makeTar(t, entry{name: "8", text: "eight"})[:tarBlock+2],
		"lists/list": "\ufeff" + strings.Join([]string{
			"# all of it", "ham:../mail/box", "", "  SPAM : ../mail/a folder\r", " # no mail:here", "ham:../mail/maildir", "spam:../mail/old.tar.gz",
			"spam:../mail/none", "good:../mail/box", "ham:", "../mail/box", "ham:../mail/c:6", "ham:../mail/#7", "ham:../mail/bad.tar", "spam:../mail/a folder/1",
		}, "\n"),
	})
	list := filepath.Join(root, "lists", "list")
	source, err := openLabelled(list, List)
	must(t, err)
	bad := filepath.Join(root, "mail", "bad.tar")
	want := []string{
		"ham: " + from + "one\n\n", "ham: " + from + "B: two\n", "spam: To: three", "ham: four", "spam: five",
		"spam! " + list + `:8: "../mail/none": no such file or directory`,
		"! " + list + `:9: unknown label "good" (want ham or spam)`,
		"ham! " + list + `:10: no path after the label "ham"`,
		"! " + list + `:11: no label before a path in "../mail/box" (want ham:path or spam:path)`,
		"ham: To: six", "ham: To: seven",
		"ham! list " + bad + ": the tar archive is cut off: unexpected EOF",
		"spam: To: three",
	}
	check(t, "", contents(source), want)
	for n := range want {
		checkStop(t, "a list", source, n+1)
	}
}

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
		"ham! " + index + `:7: "../data/inmail.3": no such file or directory`,
		"ham! " + index + `:8: "../folder": is not a file`,
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

func TestFilesThatAreNoLists(t *testing.T) {
	root := tree(t, map[string]string{"folder/": "", "zip": makeZip(t, entry{name: "1"}), "long": "ham:long\nham:" + strings.Repeat("x", 100_000)})
	for wanted, format := range map[string]Format{"a list": List, "an index": Index} {
		for name, want := range map[string]string{
			"no": "no: no such file", "folder": "folder is a folder, not " + wanted + " (a file of lines such as \"spam", "zip": "zip is a zip archive, not " + wanted,
		} {
			_, err := openLabelled(filepath.Join(root, name), format)
			checkError(t, err, want)
		}
		source, err := openLabelled(filepath.Join(root, "long"), format)
		must(t, err)
		if got := contents(source); len(got) != 2 || !strings.Contains(got[1], "long:2: the line is too long; the rest is not read") {
			t.Errorf("%s: got %.200q, want an error about line 2", wanted, got)
		}
	}
}

// fuzzLine requires that a line is a label and a path that make the same line again, or gives an error of one line.
func fuzzLine(f *testing.F, separator string, parse func(string) (label, name string, err error), seeds ...string) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, line string) {
		label, name, err := parse(line)
		if err != nil {
			checkError(t, err)
			return
		}
		if label != "ham" && label != "spam" || name == "" || name != strings.TrimSpace(name) {
			t.Errorf("got label %q and path %q", label, name)
		}
		if l, n, err := parse(label + separator + name); l != label || n != name || err != nil {
			t.Errorf("%q %q read again gives %q %q, %v", label, name, l, n, err)
		}
	})
}

func FuzzParseListLine(f *testing.F) {
	fuzzLine(f, ":", parseListLine, "ham:x", "SPAM : a b", "ham:x \r", "ham", "", ":", "ham:", "good:x", "ham:c:\\x", "\xff:\x00")
}

func FuzzParseIndexLine(f *testing.F) {
	fuzzLine(f, " ", parseIndexLine, "spam ../data/inmail.1", "HAM\tx y\r", "ham", "", "good x", "\xff\x00", "spam  \u00a0")
}
