package sources

import (
	"os"
	"path/filepath"
	"testing"
)

func TestClassFolders(t *testing.T) {
	root := tree(t, map[string]string{
		"work/1": "w1", "work/sub/2": "w2", "friends/1": "f1",
		"news/cur/1.a:2,": "n1", "news/tmp/x": "x",
		"Summary.txt": "x", "README": "x", ".git/x": "x", ".hidden": "x",
	})
	elsewhere := tree(t, map[string]string{"1": "l1"})
	must(t, os.Symlink(elsewhere, filepath.Join(root, "linked")))
	c, err := OpenLabelled(root+"/", Options{Format: Subfolders})
	must(t, err)
	check(t, "", c.Classes, []string{"friends", "linked", "news", "work"})
	check(t, "", c.Notes, []string{root + "/: a folder for each class: friends, linked, news, work; files beside them, which are left out: 2"})
	check(t, "", contents(c.Source), []string{"friends: f1", "linked: l1", "news: n1", "work: w1", "work: w2"})
}

func TestClassFoldersNamedHamAndSpam(t *testing.T) {
	for _, tt := range []struct {
		about     string
		files     map[string]string
		want, all []string
	}{
		{"in small letters", map[string]string{"ham/1": "h", "spam/1": "s"}, []string{"ham", "spam"}, []string{"ham: h", "spam: s"}},
		{"in any case", map[string]string{"ham/1": "h", "SPAM/1": "s"}, []string{"ham", "spam"}, []string{"ham: h", "spam: s"}},
		{"with a third class the names stay", map[string]string{"Ham/1": "h", "SPAM/1": "s", "x/1": "x"}, []string{"Ham", "SPAM", "x"}, []string{"Ham: h", "SPAM: s", "x: x"}},
	} {
		c, err := OpenLabelled(tree(t, tt.files), Options{Format: Subfolders})
		must(t, err)
		check(t, tt.about, c.Classes, tt.want)
		check(t, tt.about, contents(c.Source), tt.all)
	}
}

func TestClassFoldersErrors(t *testing.T) {
	root := tree(t, map[string]string{"none/1": "a", "one/class/1": "a", "maildir/cur/": "", "maildir/new/": "", "file": ""})
	open := func(name string) error {
		_, err := openLabelled(filepath.Join(root, name), Subfolders)
		return err
	}
	checkErrors(t, open, [][3]string{
		{"no subfolder", "none", "needs at least two subfolders and has 0"},
		{"one subfolder", "one", "needs at least two subfolders and has 1"},
		{"a Maildir is no folder of classes", "maildir", "is a Maildir, not a folder"},
		{"a file", "file", "not a directory"},
		{"a path that is not there", "no", "open " + filepath.Join(root, "no") + ": no such file"},
	})
}

func TestFoldersOfHamAndSpam(t *testing.T) {
	root := tree(t, map[string]string{
		"easy-ham-1/1": "a", "Junk/1": "b", "Summary.txt": "x", ".git/x": "x", "spam-2004/a.ham/1": "c", "spam-2004/a.spam/2": "d", "spam-2004/README": "x",
		"Inbox/cur/1.a:2,S": "e", "Inbox/new/": "",
	})
	c, err := OpenLabelled(root, Options{})
	must(t, err)
	if want := root + ": a folder for each class: ham, spam; files beside them, which are left out: 2"; c.Notes[0] != want || len(c.Notes) != 6 {
		t.Errorf("got %q", c.Notes)
	}
	check(t, "", c.Classes, []string{"ham", "spam"})
	check(t, "", contents(c.Source), []string{"ham: e", "spam: b", "ham: a", "ham: c", "spam: d"})
	for about, files := range map[string]map[string]string{
		"one class":           {"ham/1": "a", "inbox/1": "a"},
		"another folder":      {"ham/1": "a", "spam/1": "a", "news/1": "a"},
		"two levels deeper":   {"a/b/ham/1": "a", "a/b/spam/1": "a"},
		"a Maildir":           {"cur/": "", "new/": "", "ham/1": "a", "spam/1": "a"},
		"files and no folder": {"ham": "a", "spam": "a"},
	} {
		p, err := find(system{}, tree(t, files), nil)
		must(t, err)
		if _, ok := p.hamAndSpam(); ok {
			t.Errorf("%s: is one", about)
		}
	}
}
