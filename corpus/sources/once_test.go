package sources

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

const fromLine1 = "From ann@example.org Thu Aug 22 12:36:23 2002\n"

func TestOpenOnceListsTheMailThatOpenLists(t *testing.T) {
	mbox := fromLine1 + "To: b\n\n>From x\n\n" + fromLine1 + "X-Mozilla-Status: 0008\n\n\n" + fromLine1 + "To: b\n\nb\n"
	root := tree(t, map[string]string{
		"one": fromLine1 + "To: b\n\na\n", "several": mbox, "packed": pack(t, gzipped, mbox), "nothing": "", "joined": "x" + fromLine1,
		"message": "To: b\n\nFrom here on\n", "message.gz": pack(t, gzipped, "To: b\n\na\n"), "1.emlx": "6\nTo: b\n\n<?xml",
		"large": "To: b\n\n" + strings.Repeat("text\n", 1<<18), "large.mbox": mbox + strings.Repeat("text\n", 1<<18) + "\n" + mbox,
		"folder/a": "a", "folder/b": fromLine1, "maildir/cur/1.a:2,S": "a", "maildir/new/": "",
		"old.tar": makeTar(t, entry{name: "1", text: "a"}), "cut.gz": pack(t, gzipped, mbox)[:40],
	})
	entries, err := os.ReadDir(root)
	must(t, err)
	var buffer []byte
	for _, e := range append(entries, entries...) {
		for _, as := range []Format{"", Mbox, Message} {
			path := filepath.Join(root, e.Name())
			source, _, err := openFound(path, "", as)
			again, errAgain := OpenOnce(path, as, &buffer)
			if (err == nil) != (errAgain == nil) || err != nil && err.Error() != errAgain.Error() {
				t.Errorf("%s as %q: got %v, want %v", e.Name(), as, errAgain, err)
				continue
			}
			if err != nil {
				continue
			}
			origin := func(i Item) string { return i.Origin }
			if got, want := contentsOf(again, origin), contentsOf(source, origin); !slices.Equal(got, want) {
				t.Errorf("%s as %q: got %.500q, want %.500q", e.Name(), as, got, want)
			}
		}
	}
	for _, path := range []string{"", filepath.Join(root, "no")} {
		_, _, want := openFound(path, "", "")
		if _, err := OpenOnce(path, "", &buffer); err == nil || err.Error() != want.Error() {
			t.Errorf("%q: got %v, want %v", path, err, want)
		}
	}
}

func TestOpenOnceReadsAFileOnce(t *testing.T) {
	root := tree(t, map[string]string{"mbox": fromLine1 + "To: b\n\na\n\n" + fromLine1 + "To: b\n\nb\n", "message": "To: b\n\nc\n"})
	var buffer []byte
	for _, tt := range []struct {
		name string
		want []string
	}{
		{"mbox", []string{fromLine1 + "To: b\n\na\n\n", fromLine1 + "To: b\n\nb\n"}},
		{"message", []string{"To: b\n\nc\n"}},
	} {
		path := filepath.Join(root, tt.name)
		source, err := OpenOnce(path, "", &buffer)
		must(t, err)
		must(t, os.Rename(path, path+".kept"))
		var all sync.WaitGroup
		items := itemsOf(t, source)
		for i, item := range items {
			all.Go(func() {
				if got, err := readAny(item, nil); err != nil || string(got) != tt.want[i] {
					t.Errorf("%s: got %q, %v, want %q", item.Origin, got, err, tt.want[i])
				}
			})
		}
		all.Wait()
		if len(items) != len(tt.want) {
			t.Fatalf("%s: got %d items, want %d", tt.name, len(items), len(tt.want))
		}
	}
}

// The system reads link/../x beside the folder that the link leads to. Sources take it for x, whenever they read it.
func TestAPathThroughALinkIsOneFileForAllReads(t *testing.T) {
	root := tree(t, map[string]string{"x": "To: b\n\none\n", "elsewhere/x": "To: b\n\ntwo\n", "elsewhere/folder/a": "a"})
	if err := os.Symlink(filepath.Join(root, "elsewhere", "folder"), filepath.Join(root, "link")); err != nil {
		t.Skip(err)
	}
	source, _, err := openFound(root+"/link/../x", "ham", "")
	must(t, err)
	if got := string(read(t, itemsOf(t, source)[0])); got != "To: b\n\none\n" {
		t.Errorf("got %q", got)
	}
}
