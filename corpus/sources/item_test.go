package sources

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"chaff/corpus"
)

// brokenFS fails to open or to read one file, as a damaged disk does.
type brokenFS struct {
	fs.FS
	name   string
	opens  bool
	reason error
}

func (b brokenFS) Open(name string) (fs.File, error) {
	f, err := b.FS.Open(name)
	if name != b.name || err != nil {
		return f, err
	}
	if !b.opens {
		f.Close()
		return nil, &fs.PathError{Op: "open", Path: name, Err: b.reason}
	}
	return brokenFile{f, b.reason}, nil
}

type brokenFile struct {
	fs.File
	reason error
}

func (b brokenFile) Read([]byte) (int, error) { return 0, b.reason }

// largeFile is a file that says it has any size.
type largeFile struct{ fs.FileInfo }

func (largeFile) Size() int64                  { return corpus.MaxMessageBytes + 1 }
func (l largeFile) Stat() (fs.FileInfo, error) { return l, nil }
func (largeFile) IsDir() bool                  { return false }
func (largeFile) Mode() fs.FileMode            { return 0 }
func (largeFile) Read([]byte) (int, error)     { return 0, errors.New("was read") }
func (largeFile) Close() error                 { return nil }
func (l largeFile) Open(string) (fs.File, error) {
	return l, nil
}

func TestReadErrors(t *testing.T) {
	disk := errors.New("input/output error")
	files := fstest.MapFS{"mail/a": {Data: []byte("a")}, "mail/dir/b": {Data: []byte("b")}}
	tests := []struct {
		about string
		item  Item
		want  string
		is    error
	}{
		{"a file that is gone", Item{Origin: "o", Place: location{fsys: files, path: "mail/no"}}, "read o: file does not exist", fs.ErrNotExist},
		{"a file that must not be read", Item{Origin: "o", Place: location{fsys: brokenFS{files, "mail/a", false, fs.ErrPermission}, path: "mail/a"}}, "read o: permission denied", fs.ErrPermission},
		{"a disk that fails", Item{Origin: "o", Place: location{fsys: brokenFS{files, "mail/a", true, disk}, path: "mail/a"}}, "read o: input/output error", disk},
		{"a folder in place of a file", Item{Origin: "o", Place: location{fsys: files, path: "mail/dir"}}, "read o: is a folder, not a message", nil},
		{"a file that is too large", Item{Origin: "o", Place: location{fsys: largeFile{}, path: "x"}}, "bytes are too large for a message", nil},
		{"a message of an mbox that is too large", Item{Origin: "o", Place: location{fsys: files, path: "mail/a", size: corpus.MaxMessageBytes + 1}}, "bytes are too large for a message", nil},
		{"an item that no source made", Item{Origin: "o"}, "read o: no message", nil},
	}
	for _, tt := range tests {
		t.Run(tt.about, func(t *testing.T) {
			buf := make([]byte, 3, 100)
			got, err := tt.item.Read(buf)
			checkError(t, err, tt.want)
			if tt.is != nil && !errors.Is(err, tt.is) {
				t.Errorf("%v is not %v", err, tt.is)
			}
			if len(got) != 0 || cap(got) < 100 {
				t.Errorf("got a result of %d bytes and capacity %d, want the empty buffer", len(got), cap(got))
			}
		})
	}
}

func TestListErrorsAreYieldedAndTheStreamGoesOn(t *testing.T) {
	files := fstest.MapFS{"m/a/1": {Data: []byte("1")}, "m/b/2": {Data: []byte("2")}, "m/c": {Data: []byte("3")}}
	source := FromFS(brokenFS{files, "m/a", false, fs.ErrPermission}, "m", "ham")
	got := fmt.Sprintf("%q", contents(source))
	if want := `["ham! list m/a: permission denied" "ham: 2" "ham: 3"]`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestReadUsesTheBufferAgain(t *testing.T) {
	root := tree(t, map[string]string{"m": "Subject: a\n\nbody\n"})
	item := Item{Place: location{path: filepath.Join(root, "m")}}
	buf := make([]byte, 0, 1000)
	got, err := item.Read(buf)
	if err != nil || string(got) != "Subject: a\n\nbody\n" {
		t.Fatalf("got %q, %v", got, err)
	}
	if &got[0] != &buf[:1][0] {
		t.Error("the message is in another buffer")
	}
}

func TestMaildirMessageIsFoundUnderItsNewName(t *testing.T) {
	root := tree(t, map[string]string{"cur/1002345678.b.h:2,": "b", "new/1001234567.a.h": "a", "tmp/": ""})
	source := open(t, root, "")
	items := itemsOf(t, source)
	rename := func(from, to string) {
		must(t, os.Rename(filepath.Join(root, from), filepath.Join(root, to)))
	}
	rename("cur/1002345678.b.h:2,", "cur/1002345678.b.h:2,RS")
	rename("new/1001234567.a.h", "cur/1001234567.a.h:2,S")
	for i, want := range []string{"a", "b"} {
		if raw, err := items[i].Read(nil); err != nil || string(raw) != want {
			t.Errorf("got %q, %v, want %q", raw, err, want)
		}
	}
	must(t, os.Remove(filepath.Join(root, "cur/1001234567.a.h:2,S")))
	_, err := items[0].Read(nil)
	checkError(t, err, "1001234567.a.h: no such file")
}

// TestAMessageOfAMailboxIsFoundUnderItsNewName marks and moves messages between
// listing and reading, in folders of both layouts.
func TestAMessageOfAMailboxIsFoundUnderItsNewName(t *testing.T) {
	root := tree(t, map[string]string{
		".Junk/new/1000000001.a.h": "a", ".Junk/cur/": "",
		"Lists/Go/new/1000000002.b.h,S=1": "b", "Lists/Go/cur/1000000003.c.h:2,": "c", "Lists/Go/cur/1000000004.d.h:2,S": "d",
	})
	plan, err := MaildirTree(root)
	must(t, err)
	items := itemsOf(t, plan.Source())
	for from, to := range map[string]string{
		".Junk/new/1000000001.a.h":        ".Junk/cur/1000000001.a.h:2,S",
		"Lists/Go/new/1000000002.b.h,S=1": "Lists/Go/cur/1000000002.b.h,S=1:2,",
		"Lists/Go/cur/1000000003.c.h:2,":  "Lists/Go/cur/1000000003.c.h:2,FRS",
		"Lists/Go/cur/1000000004.d.h:2,S": "Lists/Go/new/1000000004.d.h",
	} {
		must(t, os.Rename(filepath.Join(root, from), filepath.Join(root, to)))
	}
	got := ""
	for _, item := range items {
		raw, err := item.Read(nil)
		if err != nil {
			t.Error(err)
		}
		got += string(raw)
	}
	if got != "abcd" {
		t.Errorf("got %q, want abcd", got)
	}
}

func TestMboxThatChangedIsNoticed(t *testing.T) {
	const one = "From a@b.example Thu Aug 22 12:36:23 2002\nSubject: a\n\na\n\n"
	root := tree(t, map[string]string{"mbox": one + one})
	name := filepath.Join(root, "mbox")
	source := open(t, name, "")
	for _, now := range []string{one, "X" + one + one} {
		var second Item
		for item, err := range source {
			must(t, err)
			second = item
		}
		if !second.Time.IsZero() {
			t.Errorf("got time %v: it is for DeliveryTime to find", second.Time)
		}
		must(t, os.WriteFile(name, []byte(now), 0o644))
		_, err := second.Read(nil)
		checkError(t, err, "read "+name+"#2: the file has changed since it was listed")
		must(t, os.WriteFile(name, []byte(one+one), 0o644))
	}
}
