package sources

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestListFile(t *testing.T) {
	const from = "From ann@example.org Thu Aug 22 12:36:23 2002\n"
	root := tree(t, map[string]string{
		"mail/box": from + "one\n\n" + from + "two\n", "mail/a folder/1": "three", "mail/maildir/cur/1": "four", "mail/maildir/new/": "",
		"mail/old.tar.gz": pack(t, gzipped, makeTar(t, entry{name: "x/5", text: "five"})), "mail/c:6": "six", "mail/#7": "seven",
		"mail/bad.tar": makeTar(t, entry{name: "8", text: "eight"})[:tarBlock+2],
		"lists/list": "\ufeff" + strings.Join([]string{
			"# all of it", "ham:../mail/box", "", "  SPAM : ../mail/a folder\r", " # no mail:here", "ham:../mail/maildir", "spam:../mail/old.tar.gz",
			"spam:../mail/none", "good:../mail/box", "ham:", "../mail/box", "ham:../mail/c:6", "ham:../mail/#7", "ham:../mail/bad.tar", "spam:../mail/a folder/1",
		}, "\n"),
	})
	list := filepath.Join(root, "lists", "list")
	source, err := OpenList(list)
	if err != nil {
		t.Fatal(err)
	}
	bad := filepath.Join(root, "mail", "bad.tar")
	want := []string{
		"ham: " + from + "one\n\n", "ham: " + from + "two\n", "spam: three", "ham: four", "spam: five",
		"spam! " + list + `:8: "../mail/none": no such file or directory`,
		"! " + list + `:9: unknown label "good" (want ham or spam)`,
		"ham! " + list + `:10: no path after the label "ham"`,
		"! " + list + `:11: no label before a path in "../mail/box" (want ham:path or spam:path)`,
		"ham: six", "ham: seven",
		"ham! read " + bad + "/8: the tar archive is cut off in this file",
		"ham! list " + bad + ": the tar archive is cut off: unexpected EOF",
		"spam: three",
	}
	if got := contents(source); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	for n := 1; n <= len(want); n++ {
		seen := 0
		for range source {
			if seen++; seen == n {
				break
			}
		}
	}
}

func TestOpenListErrors(t *testing.T) {
	root := tree(t, map[string]string{"folder/": "", "zip": makeZip(t, entry{name: "1"}), "long": "ham:long\nham:" + strings.Repeat("x", 100_000)})
	_, err := OpenList(filepath.Join(root, "no"))
	checkError(t, err, "no: no such file")
	_, err = OpenList(filepath.Join(root, "folder"))
	checkError(t, err, "folder: is a folder, not a list (a file of lines such as \"spam:old/junk.mbox\")")
	_, err = OpenList(filepath.Join(root, "zip"))
	checkError(t, err, "zip: is a zip archive, not a list")

	source, err := OpenList(filepath.Join(root, "long"))
	if err != nil {
		t.Fatal(err)
	}
	if got := contents(source); len(got) != 2 || !strings.Contains(got[1], "long:2: the line is too long; the rest is not read") {
		t.Errorf("got %.200q, want an error about line 2", got)
	}
}

// FuzzParseListLine: a line is a label and a path that make the same line again,
// or one line of error.
func FuzzParseListLine(f *testing.F) {
	for _, s := range []string{"ham:x", "SPAM : a b", "ham:x \r", "ham", "", ":", "ham:", "good:x", "ham:c:\\x", "\xff:\x00"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, line string) {
		label, name, err := parseListLine(line)
		if err != nil {
			if strings.ContainsAny(err.Error(), "\n\r") {
				t.Errorf("the error has more than one line: %q", err)
			}
			return
		}
		if label != "ham" && label != "spam" || name == "" || name != strings.TrimSpace(name) {
			t.Errorf("got label %q and path %q", label, name)
		}
		if l, n, err := parseListLine(label + ":" + name); l != label || n != name || err != nil {
			t.Errorf("%q %q read again gives %q %q, %v", label, name, l, n, err)
		}
	})
}
