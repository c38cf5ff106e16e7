package sources

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"chaff/message"
	"chaff/test/testmain"
)

func TestMain(m *testing.M) { testmain.Run(m) }

// tree writes files, given by path and content, into a new folder and returns the folder. A path that ends in a slash
// is a folder.
func tree(t testing.TB, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		full := filepath.Join(root, name)
		if strings.HasSuffix(name, "/") {
			must(t, os.MkdirAll(full, 0o755))
			continue
		}
		must(t, os.MkdirAll(filepath.Dir(full), 0o755))
		must(t, os.WriteFile(full, []byte(text), 0o644))
	}
	return root
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// openFound lists the mail at a path, and returns what was found there.
func openFound(path, label string, as Format) (Source, Format, error) {
	p, err := find(system{}, path, nil)
	if err != nil {
		return nil, "", err
	}
	source, err := p.source(label, as)
	return source, p.format, err
}

func open(t testing.TB, name string, as Format) Source {
	t.Helper()
	source, _, err := openFound(name, "ham", as)
	must(t, err)
	return source
}

// openLabelled opens a path of labelled mail in a format.
func openLabelled(path string, format Format) (Source, error) {
	mail, err := OpenLabelled(path, Options{Format: format})
	return mail.Source, err
}

// openAs opens a path whose detected format must be want.
func openAs(t testing.TB, name string, want Format) Source {
	t.Helper()
	source, found, err := openFound(name, "ham", "")
	if err != nil || found != want {
		t.Fatalf("got format %q, %v, want %q", found, err, want)
	}
	return source
}

func itemsOf(t testing.TB, source Source) (items []Item) {
	t.Helper()
	for item, err := range source {
		must(t, err)
		items = append(items, item)
	}
	return items
}

// readAny reads an item whether or not it is mail: most tests are about where messages are and use words for them.
func readAny(item Item, dst []byte) ([]byte, error) {
	item.Text = true
	return item.Read(dst)
}

func read(t testing.TB, item Item) []byte {
	t.Helper()
	raw, err := readAny(item, nil)
	must(t, err)
	return raw
}

// contents reads all messages of a source: "label: content" for each, "label! error" for an error.
func contents(source Source) []string {
	return contentsOf(source, func(i Item) string { return i.Label })
}

func contentsOf(source Source, name func(Item) string) (got []string) {
	var raw []byte
	for item, err := range source {
		if err == nil {
			raw, err = readAny(item, raw)
		}
		if err != nil {
			got = append(got, name(item)+"! "+err.Error())
			continue
		}
		got = append(got, name(item)+": "+string(raw))
	}
	return got
}

func check(t testing.TB, about string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s\ngot  %.2000q\nwant %.2000q", about, got, want)
	}
}

// checkStop checks that a source of at least n messages yields no more after the caller stops at the message n.
func checkStop(t testing.TB, about string, source Source, n int) {
	t.Helper()
	got := 0
	for range source {
		if got++; got == n {
			break
		}
	}
	if got != n {
		t.Errorf("%s: got %d messages, want %d", about, got, n)
	}
}

// checkErrors checks a function that returns errors in cases of a name, an argument and the text of the error.
func checkErrors(t *testing.T, f func(string) error, cases [][3]string) {
	for _, c := range cases {
		t.Run(c[0], func(t *testing.T) { checkError(t, f(c[1]), c[2]) })
	}
}

// checkError checks that an error is one line, contains the texts and wraps the errors in want.
func checkError(t testing.TB, err error, want ...any) {
	t.Helper()
	if err == nil {
		t.Fatalf("got no error, want one with %q", want)
	}
	for _, w := range want {
		if target, ok := w.(error); ok && !errors.Is(err, target) || !ok && !strings.Contains(err.Error(), w.(string)) {
			t.Errorf("got error %q, want %q in it", err, w)
		}
	}
	if strings.Contains(err.Error(), "\n") {
		t.Errorf("error %q has more than one line", err)
	}
}

func TestOpenErrors(t *testing.T) {
	root := t.TempDir()
	must(t, os.Symlink("nowhere", filepath.Join(root, "dangling")))
	for name, want := range map[string][]any{
		filepath.Join(root, "no"):       {"open " + filepath.Join(root, "no") + ": no such file", fs.ErrNotExist},
		filepath.Join(root, "dangling"): {"dangling: no such file", fs.ErrNotExist},
		os.DevNull:                      {"is neither a file nor a folder"},
		"":                              {"the path is empty"},
	} {
		_, _, err := openFound(name, "ham", "")
		checkError(t, err, want...)
	}
}

func TestOpenMessage(t *testing.T) {
	root := tree(t, map[string]string{"m": "Subject: a\r\n\r\n\x00"})
	check(t, "", contents(openAs(t, filepath.Join(root, "m"), Message)), []string{"ham: Subject: a\r\n\r\n\x00"})
}

func TestFolder(t *testing.T) {
	const from = "From a@b.example Thu Aug 22 12:36:23 2002\n"
	root := tree(t, map[string]string{
		"b": "second", "a/z": "first", "c": "third", "d/": "",
		".hidden": "x", ".dir/x": "x", "e/.x": "x",
		"f":             from + "\n>From c\n",
		"g/cur/1.a:2,S": "in a Maildir", "g/tmp/x": "x",
	})
	must(t, os.Symlink("../b", filepath.Join(root, "d", "link")))
	must(t, os.Symlink("..", filepath.Join(root, "d", "loop")))
	must(t, os.Symlink("nowhere", filepath.Join(root, "h")))
	source := openAs(t, root, Folder)
	want := []string{
		"ham: first", "ham: second", "ham: third", "ham: second",
		"ham: " + from + "\n>From c\n", // as it is, unlike in an mbox
		"ham: in a Maildir",
		"ham! " + filepath.Join(root, "h") + " is a link to a file that does not exist",
	}
	for range 2 { // a source may be ranged over again
		check(t, "", contents(source), want)
	}
}

// Mutt, Pine and Dovecot keep a folder of mail in a file without a suffix, and mail servers that of each user.
func TestAFileOfSeveralMessagesInAFolderIsAnMbox(t *testing.T) {
	const one, two = "From a@b.example Thu Aug 22 12:36:23 2002\nSubject: a\n\n\n", "From a@b.example Thu Aug 22 12:36:24 2002\nSubject: b\n\n"
	root := tree(t, map[string]string{"mail/lists/go": one + two, "mail/old": pack(t, gzipped, one+two), "mail/single": one, "mail/later": "A text.\n\n" + one + two})
	mail := filepath.Join(root, "mail")
	want := []string{"ham: A text.\n\n" + one + two, "ham: " + one, "ham: " + two, "ham: " + one, "ham: " + two, "ham: " + one}
	check(t, "as it is found", contents(open(t, mail, "")), want)
	check(t, "asked for as a folder", contents(open(t, mail, Folder)), []string{want[0], "ham: " + one + two, "ham: " + one + two, "ham: " + one})
	packed := makeZip(t, entry{name: "lists/go", text: one + two})
	check(t, "in an archive", contents(archived(t, "mail.zip", packed)), want[1:3])
}

// A small file may unpack to gigabytes.
func TestOfAPackedFileNoMoreIsUnpackedThanAMessageHas(t *testing.T) {
	const one, two = "From a@b.example Thu Aug 22 12:36:23 2002\nSubject: a\n\n", "\nFrom a@b.example Thu Aug 22 12:36:24 2002\nSubject: b\n\n"
	long := strings.Repeat("a\n", message.MaxSize/2)
	files := fstest.MapFS{}
	for name, text := range map[string]string{"several": one + two, "another text before them": "Subject: c\n\n" + one + two, "a first message that is too large": one + long + two} {
		files[name] = &fstest.MapFile{Data: []byte(pack(t, gzipped, text))}
		if got := hasSeveral(files, name); got != (name == "several") {
			t.Errorf("%s: got %v", name, got)
		}
	}
}

// Old mail folders have names that are not UTF-8, which io/fs rejects.
func TestFolderWithNamesThatAreNotUTF8(t *testing.T) {
	root := tree(t, map[string]string{"Entw\xfcrfe/\xe9": "a"})
	check(t, "", contents(open(t, root, "")), []string{"ham: a"})
}

func TestFolderWithoutMessagesIsEmpty(t *testing.T) {
	check(t, "", contents(open(t, t.TempDir(), "")), nil)
	root := tree(t, map[string]string{"sent": "", "drafts": "", "inbox": "a"})
	check(t, "mboxes before they have mail", contents(open(t, root, "")), []string{"ham: a"})
	empty := func(name string) string { return "ham! read " + filepath.Join(root, name) + ": the file is empty" }
	check(t, "messages, as a flag says", contents(open(t, root, Folder)), []string{empty("drafts"), "ham: a", empty("sent")})
}

func TestSourcesStopWhenTheCallerStops(t *testing.T) {
	const from = "From a@b.example Thu Aug 22 12:36:23 2002\n"
	root := tree(t, map[string]string{
		"folder/1": "a", "folder/2": "a", "folder/sub/3": "a",
		"maildir/cur/1": "a", "maildir/cur/2": "a", "maildir/new/3": "a",
		"mbox":  from + "\n" + from + "\n" + from,
		"index": "ham folder/1\nspam folder/2\nbad line\n",
	})
	index, err := openLabelled(filepath.Join(root, "index"), Index)
	must(t, err)
	for name, source := range map[string]Source{
		"folder": open(t, filepath.Join(root, "folder"), ""), "maildir": open(t, filepath.Join(root, "maildir"), ""),
		"mbox": open(t, filepath.Join(root, "mbox"), ""), "index": index,
	} {
		for stop := 1; stop <= 3; stop++ {
			checkStop(t, name, source, stop)
		}
	}
}

func TestNothingIsWritten(t *testing.T) {
	root := tree(t, map[string]string{"cur/1.a:2,": "a", "new/2.b": "b", "tmp/": ""})
	list := func() (names []string) {
		must(t, filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
			must(t, err)
			info, err := d.Info()
			names = append(names, p+" "+info.ModTime().String())
			return err
		}))
		return names
	}
	before := list()
	check(t, "", contents(open(t, root, "")), []string{"ham: a", "ham: b"})
	check(t, "the folder", list(), before)
}
