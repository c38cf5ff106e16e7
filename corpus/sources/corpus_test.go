package sources

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// tree writes files, given as path and content; a path that ends in a slash is a
// folder. It returns the folder they are in.
func tree(t testing.TB, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		full := filepath.Join(root, name)
		dir := filepath.Dir(full)
		if strings.HasSuffix(name, "/") {
			dir = full
		}
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if dir == full {
			continue
		}
		if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func symlink(t testing.TB, target, name string) {
	t.Helper()
	if err := os.Symlink(target, name); err != nil {
		t.Fatal(err)
	}
}

// contents reads all messages of a source and writes each as "label: content",
// each error as "label! error".
func contents(source Source) []string {
	var got []string
	var raw []byte
	for item, err := range source {
		if err == nil {
			raw, err = item.Read(raw)
		}
		if err != nil {
			got = append(got, item.Label+"! "+err.Error())
			continue
		}
		got = append(got, item.Label+": "+string(raw))
	}
	return got
}

// checkError checks an error text for what it must say, and that it is one line.
func checkError(t *testing.T, err error, want ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("got no error, want one with %q", want)
	}
	for _, w := range want {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("got error %q, want %q in it", err, w)
		}
	}
	if strings.Contains(err.Error(), "\n") {
		t.Errorf("error %q has more than one line", err)
	}
}

func TestOpenErrors(t *testing.T) {
	root := t.TempDir()
	symlink(t, "nowhere", filepath.Join(root, "dangling"))
	tests := []struct {
		about, name, want string
		is                error
	}{
		{"a path that is not there", filepath.Join(root, "no"), "open " + filepath.Join(root, "no") + ": no such file", fs.ErrNotExist},
		{"a link that leads nowhere", filepath.Join(root, "dangling"), "dangling: no such file", fs.ErrNotExist},
		{"a device", os.DevNull, "is neither a file nor a folder", nil},
		{"no path", "", "the path is empty", nil},
	}
	for _, tt := range tests {
		t.Run(tt.about, func(t *testing.T) {
			_, _, err := Open(tt.name, "ham", "")
			checkError(t, err, tt.want)
			if tt.is != nil && !errors.Is(err, tt.is) {
				t.Errorf("%v is not %v", err, tt.is)
			}
		})
	}
}

func TestOpenMessage(t *testing.T) {
	root := tree(t, map[string]string{"m": "Subject: a\r\n\r\n\x00"})
	source, found, err := Open(filepath.Join(root, "m"), "spam", "")
	if err != nil || found.Format != Message {
		t.Fatal(found, err)
	}
	if got, want := contents(source), []string{"spam: Subject: a\r\n\r\n\x00"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestFolder(t *testing.T) {
	const from = "From a@b.example Thu Aug 22 12:36:23 2002\n"
	root := tree(t, map[string]string{
		"b": "second", "a/z": "first", "c": "third", "d/": "",
		".hidden": "x", ".dir/x": "x", "e/.x": "x",
		"f":             from + "\n\n" + from + "\n",
		"g/cur/1.a:2,S": "in a Maildir", "g/tmp/x": "x",
	})
	symlink(t, "../b", filepath.Join(root, "d", "link"))
	symlink(t, "..", filepath.Join(root, "d", "loop"))
	symlink(t, "nowhere", filepath.Join(root, "h"))
	source, found, err := Open(root, "ham", "")
	if err != nil || found.Format != Folder {
		t.Fatal(found, err)
	}
	want := []string{
		"ham: first", "ham: second", "ham: third", "ham: second",
		"ham: " + from + "\n\n" + from + "\n", // one message although it looks like two
		"ham: in a Maildir",
		"ham! list " + filepath.Join(root, "h") + ": follow the link: no such file or directory",
	}
	for range 2 { // a source may be ranged over again
		if got := contents(source); !slices.Equal(got, want) {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	}
}

// Names from the days before UTF-8 are what io/fs refuses and mail folders have.
func TestFolderWithNamesThatAreNotUTF8(t *testing.T) {
	root := tree(t, map[string]string{"Entw\xfcrfe/\xe9": "a"})
	source, _, err := Open(root, "ham", "")
	if err != nil {
		t.Fatal(err)
	}
	if got := contents(source); !slices.Equal(got, []string{"ham: a"}) {
		t.Errorf("got %q, want one message", got)
	}
}

func TestFolderWithoutMessagesIsEmpty(t *testing.T) {
	source, _, err := Open(t.TempDir(), "ham", "")
	if err != nil {
		t.Fatal(err)
	}
	if got := contents(source); len(got) != 0 {
		t.Errorf("got %q, want nothing", got)
	}
}

func TestSourcesStopWhenTheCallerStops(t *testing.T) {
	const from = "From a@b.example Thu Aug 22 12:36:23 2002\n"
	root := tree(t, map[string]string{
		"folder/1": "a", "folder/2": "a", "folder/sub/3": "a",
		"maildir/cur/1": "a", "maildir/cur/2": "a", "maildir/new/3": "a",
		"mbox":  from + "\n" + from + "\n" + from,
		"index": "ham folder/1\nspam folder/2\nbad line\n",
	})
	sources := map[string]Source{}
	for _, name := range []string{"folder", "maildir", "mbox"} {
		source, _, err := Open(filepath.Join(root, name), "ham", "")
		if err != nil {
			t.Fatal(err)
		}
		sources[name] = source
	}
	var err error
	if sources["index"], err = OpenTREC(filepath.Join(root, "index")); err != nil {
		t.Fatal(err)
	}
	for name, source := range sources {
		for stop := 1; stop <= 3; stop++ {
			n := 0
			for range source {
				if n++; n == stop {
					break
				}
			}
			if n != stop {
				t.Errorf("%s: got %d messages, want %d", name, n, stop)
			}
		}
	}
}

func TestNothingIsWritten(t *testing.T) {
	root := tree(t, map[string]string{"cur/1.a:2,": "a", "new/2.b": "b", "tmp/": ""})
	list := func() (names []string) {
		err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := d.Info()
			names = append(names, p+" "+info.ModTime().String())
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return names
	}
	before := list()
	source, _, err := Open(root, "ham", "")
	if err != nil {
		t.Fatal(err)
	}
	if got := contents(source); len(got) != 2 {
		t.Fatalf("got %q, want two messages", got)
	}
	if after := list(); !slices.Equal(before, after) {
		t.Errorf("before %q\nafter  %q", before, after)
	}
}
