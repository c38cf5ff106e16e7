package sources

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"chaff/message"
)

// brokenFS fails to open or to read one file, like a damaged disk.
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

func TestReadErrors(t *testing.T) {
	disk := errors.New("input/output error")
	files := fstest.MapFS{"mail/a": {Data: []byte("a")}, "mail/dir/b": {Data: []byte("b")}}
	large := filepath.Join(tree(t, map[string]string{"large": ""}), "large")
	must(t, os.Truncate(large, message.MaxSize+1))
	for _, tt := range []struct {
		about string
		at    location
		want  []any
	}{
		{"a file that is gone", location{fsys: files, path: "mail/no"}, []any{"read o: file does not exist", fs.ErrNotExist}},
		{"a file that must not be read", location{fsys: brokenFS{files, "mail/a", false, fs.ErrPermission}, path: "mail/a"}, []any{"read o: permission denied", fs.ErrPermission}},
		{"a disk that fails", location{fsys: brokenFS{files, "mail/a", true, disk}, path: "mail/a"}, []any{"read o: input/output error", disk}},
		{"a folder in place of a file", location{fsys: files, path: "mail/dir"}, []any{"read o: is a folder, not a message"}},
		{"a file that is too large", location{fsys: system{}, path: large}, []any{"more than 36 MiB are too large for a message"}},
		{"a message of an mbox that is too large", location{fsys: files, path: "mail/a", size: message.MaxSize + 1}, []any{"more than 36 MiB are too large for a message"}},
	} {
		t.Run(tt.about, func(t *testing.T) {
			got, err := Item{Origin: "o", Content: tt.at}.Read(make([]byte, 3, 100))
			checkError(t, err, append(tt.want, "read o: ")...)
			if len(got) != 0 || cap(got) < 100 {
				t.Errorf("got a result of %d bytes and capacity %d, want the empty buffer", len(got), cap(got))
			}
		})
	}
	_, err := Item{Origin: "o"}.Read(nil)
	checkError(t, err, "read o: no message")
}

func TestListErrorsAreYieldedAndTheStreamGoesOn(t *testing.T) {
	files := fstest.MapFS{"m/a/1": {Data: []byte("1")}, "m/b/2": {Data: []byte("2")}, "m/c": {Data: []byte("3")}}
	source := FromFS(brokenFS{files, "m/a", false, fs.ErrPermission}, "m", "ham")
	check(t, "", contents(source), []string{"ham! list m/a: permission denied", "ham: 2", "ham: 3"})
}

func TestReadUsesTheBufferAgain(t *testing.T) {
	root := tree(t, map[string]string{"m": "Subject: a\n\nbody\n"})
	item := Item{Content: location{fsys: system{}, path: filepath.Join(root, "m"), message: unpackMessage}}
	buf := make([]byte, 0, 1000)
	got, err := readAny(item, buf)
	if err != nil || string(got) != "Subject: a\n\nbody\n" {
		t.Fatalf("got %q, %v", got, err)
	}
	if &got[0] != &buf[:1][0] {
		t.Error("the message is in another buffer")
	}
}

func TestMboxThatChangedIsNoticed(t *testing.T) {
	const one = "From a@b.example Thu Aug 22 12:36:23 2002\nSubject: a\n\na\n\n"
	root := tree(t, map[string]string{"mbox": one + one})
	name := filepath.Join(root, "mbox")
	source := open(t, name, "")
	for _, now := range []string{one, "X" + one + one} {
		second := itemsOf(t, source)[1]
		if !second.Time.IsZero() {
			t.Errorf("got time %v: it is for DeliveryTime to find", second.Time)
		}
		must(t, os.WriteFile(name, []byte(now), 0o644))
		_, err := readAny(second, nil)
		checkError(t, err, "read "+name+"#2: the file has changed since it was listed")
		must(t, os.WriteFile(name, []byte(one+one), 0o644))
	}
}
