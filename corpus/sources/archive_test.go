package sources

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
)

// entry is a member of a test archive.
type entry struct {
	name, text string
	link       string // symbolic
	hard       string
}

func makeTar(t testing.TB, entries ...entry) string {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, e := range entries {
		h := &tar.Header{Name: e.name, Mode: 0o644, Size: int64(len(e.text)), Typeflag: tar.TypeReg, Format: tar.FormatGNU}
		switch {
		case e.link != "":
			h.Typeflag, h.Linkname = tar.TypeSymlink, e.link
		case e.hard != "":
			h.Typeflag, h.Linkname = tar.TypeLink, e.hard
		case strings.HasSuffix(e.name, "/"):
			h.Typeflag = tar.TypeDir
		}
		must(t, w.WriteHeader(h))
		if _, err := io.WriteString(w, e.text); err != nil {
			t.Fatal(err)
		}
	}
	must(t, w.Close())
	return b.String()
}

func makeZip(t testing.TB, entries ...entry) string {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, e := range entries {
		h := &zip.FileHeader{Name: e.name, Method: zip.Deflate}
		if e.link != "" {
			h.SetMode(fs.ModeSymlink | 0o777)
			e.text = e.link
		}
		f, err := w.CreateHeader(h)
		if err == nil && !strings.HasSuffix(e.name, "/") {
			_, err = io.WriteString(f, e.text)
		}
		must(t, err)
	}
	must(t, w.Close())
	return b.String()
}

// inBoth makes a tar and a zip with the same members.
func inBoth(t testing.TB, entries ...entry) map[string]string {
	return map[string]string{"tar": makeTar(t, entries...), "zip": makeZip(t, entries...)}
}

// archived lists the messages of an archive at a path.
func archived(t testing.TB, path, archive string) Source {
	t.Helper()
	p, err := find(fstest.MapFS{path: {Data: []byte(archive)}}, path, nil)
	must(t, err)
	if p.format != Archive {
		t.Fatalf("it is a %s", p.format)
	}
	return p.list("ham")
}

// listing reads all messages of an archive: "path: content" for each, "path! error" for an error.
func listing(t testing.TB, archive string) []string {
	t.Helper()
	return contentsOf(archived(t, "a/mail", archive), func(i Item) string { return strings.TrimPrefix(i.Origin, "a/mail/") })
}

func TestArchiveIsReadAsAFolder(t *testing.T) {
	long := strings.Repeat("long/", 30) + strings.Repeat("x", 150)
	entries := []entry{
		{name: "mail/inbox/cur/1001234567.a.h:2,S", text: "a"}, {name: "mail/inbox/new/1001234568.b.h", text: "b"},
		{name: "mail/inbox/tmp/1001234569.c.h", text: "never finished"},
		{name: "mail/lists/2.eml", text: "two"}, {name: "mail/lists/1.eml", text: "one"},
		{name: "mail/lists/.hidden", text: "h"}, {name: "mail/empty/"}, {name: long, text: "deep"}, {name: "mail/lists/packed", text: pack(t, gzipped, minutes)},
	}
	want := []string{
		long + ": deep",
		"mail/inbox/cur/1001234567.a.h:2,S: a", "mail/inbox/new/1001234568.b.h: b",
		"mail/lists/1.eml: one", "mail/lists/2.eml: two", "mail/lists/packed: " + minutes,
	}
	archives := inBoth(t, entries...)
	for _, c := range packers {
		archives["tar with "+string(c)] = pack(t, c, archives["tar"])
		archives["zip with "+string(c)] = pack(t, c, archives["zip"])
	}
	for about, archive := range archives {
		t.Run(about, func(t *testing.T) {
			check(t, "", listing(t, archive), want)
			name := filepath.Join(tree(t, map[string]string{"mail": archive}), "mail")
			source, found, err := openFound(name, "ham", "")
			if err != nil || found != Archive {
				t.Fatalf("got %v, %v", found, err)
			}
			for item, err := range source {
				if err != nil || !strings.HasPrefix(item.Origin, name+string(filepath.Separator)) {
					t.Errorf("got %s, %v", item.Origin, err)
				}
			}
		})
	}
}

func TestTarThatIsCompressedWithBzip2(t *testing.T) {
	check(t, "", listing(t, testdata(t, "mail.tar.bz2")), []string{"mail/1.eml: " + minutes})
}

func TestNamesInAnArchiveStayInside(t *testing.T) {
	for _, tt := range []struct{ name, want string }{
		{"plain", "plain"}, {"/etc/passwd", "etc/passwd"}, {"../../x", "x"}, {"a/../../b", "b"}, {"./a//b", "a/b"},
		{"a\xffb", "a\ufffdb"}, {"..", ""}, {"/", ""}, {"a\x00b", "a\x00b"}, {"...", "..."}, {"a/...", "a/..."},
		{strings.Repeat("d/", 1000) + "x", strings.Repeat("d/", maxNameParts-1) + "x"},
		{strings.Repeat("n", 1000), strings.Repeat("n", maxNamePart)},
	} {
		got := cleanName(tt.name)
		if got != tt.want || got != "" && !fs.ValidPath(got) {
			t.Errorf("%.40q: got %.80q, want %.80q", tt.name, got, tt.want)
		}
	}
}

func TestNoMemberIsLost(t *testing.T) {
	entries := []entry{
		{name: "a", text: "1"}, {name: "../a", text: "2"}, {name: "/a", text: "3"}, {name: "a/b", text: "4"}, {name: "a/c", text: "5"},
		{name: "d/e", text: "6"}, {name: "./d", text: "7"}, {name: "..", text: "8"},
	}
	want := []string{"a/b: 4", "a/c: 5", "a~2: 1", "a~3: 2", "a~4: 3", "d/e: 6", "d~2: 7", "unnamed: 8"}
	for about, archive := range inBoth(t, entries...) {
		check(t, about, listing(t, archive), want)
	}
}

func TestMemberThatIsThereTwice(t *testing.T) {
	entries := []entry{{name: "a", text: "old"}, {name: "b", text: "b"}, {name: "a", text: "new"}}
	check(t, "of a tar the last one counts, as tar extracts it", listing(t, makeTar(t, entries...)), []string{"a: new", "b: b"})
	check(t, "of a zip both are kept", listing(t, makeZip(t, entries...)), []string{"a: old", "a~2: new", "b: b"})
}

func TestZipOfWindows(t *testing.T) {
	check(t, "", listing(t, makeZip(t, entry{name: `C:\mail\1.eml`, text: "one"}, entry{name: `C:\mail\sub\`}, entry{name: `\\host\2.eml`, text: "two"})), []string{"C:/mail/1.eml: one", "host/2.eml: two"})
}

func TestLinksInAnArchive(t *testing.T) {
	entries := []entry{
		{name: "m/1", text: "one"}, {name: "m/3", link: "1"}, {name: "m/4", link: "../n/5"}, {name: "n/5", text: "five"},
		{name: "m/6", link: "/n/5"}, {name: "m/7", link: "../../../n/5"}, {name: "m/8", link: "../n"}, {name: "m/9", link: "nowhere"}, {name: "m/loop", link: "loop"},
	}
	want := []string{
		"m/1: one", "m/3: one", "m/4: five", "m/6: five", "m/7: five",
		"m/9! a/mail/m/9 is a link to a file that does not exist",
		"m/loop! a/mail/m/loop is a link to a file that does not exist", "n/5: five",
	}
	for about, archive := range inBoth(t, entries...) {
		check(t, about, listing(t, archive), want)
	}
	hard := makeTar(t, entry{name: "m/1", text: "one"}, entry{name: "m/2", hard: "m/1"}, entry{name: "m/lost", hard: "m/none"})
	check(t, "hard links", listing(t, hard), []string{
		"m/1: one", "m/2: one", "m/lost! a/mail/m/lost is a link to a file that does not exist",
	})
}

func TestMailboxAndClassesInAnArchive(t *testing.T) {
	files := func(dir string) []entry {
		return []entry{
			{name: dir + "cur/1001234567.a.h:2,S", text: "a"}, {name: dir + "new/"}, {name: dir + ".Junk/cur/1001234568.b.h:2,S", text: "b"}, {name: dir + ".Junk/new/"},
		}
	}
	root := tree(t, map[string]string{
		"bare.tar": makeTar(t, files("")...), "whole.tgz": pack(t, gzipped, makeTar(t, files("home/Maildir/")...)), "z.zip": makeZip(t, files("Maildir/")...),
		"macOS.zip":   makeZip(t, append(files("Maildir/"), entry{name: "__MACOSX/"}, entry{name: "__MACOSX/Maildir/cur/._1001234567.a.h:2,S", text: "x"})...),
		"classes.zip": makeZip(t, entry{name: "__MACOSX/corpus/Ham/._1", text: "x"}, entry{name: "corpus/Ham/1", text: "a"}, entry{name: "corpus/Spam/1", text: "b"}),
		"damaged":     makeTar(t, files("")...)[:tarBlock], "one.zip": makeZip(t, entry{name: "ham/1", text: "a"}),
	})
	want := []string{"ham: a", "spam: b"}
	for _, name := range []string{"bare.tar", "whole.tgz", "z.zip", "macOS.zip"} {
		plan, err := MaildirTree(filepath.Join(root, name))
		must(t, err)
		if got := contents(plan.Source()); !slices.Equal(got, want) || plan.Folders[0].Name != "INBOX" {
			t.Errorf("%s: got %q in %v, want %q", name, got, plan.Folders, want)
		}
	}
	source, err := openLabelled(filepath.Join(root, "classes.zip"), Subfolders)
	must(t, err)
	check(t, "", contents(source), want)
	_, err = MaildirTree(filepath.Join(root, "damaged"))
	checkError(t, err, "open "+root, "the tar archive is cut off")
	_, err = openLabelled(filepath.Join(root, "one.zip"), Subfolders)
	checkError(t, err, "needs at least two subfolders and has 0")
}

func TestMboxFilesInFoldersAndArchives(t *testing.T) {
	const from = "From ann@example.org Thu Aug 22 12:36:23 2002\n"
	mbox := from + "A: one\n\n\n" + from + "A: two\n\n"
	want := []string{"old.mbox.gz#1: " + from + "A: one\n\n\n", "old.mbox.gz#2: " + from + "A: two\n\n", "plain.mbox#1: " + from + "A: one\n\n\n", "plain.mbox#2: " + from + "A: two\n\n"}
	entries := []entry{{name: "old.mbox.gz", text: pack(t, gzipped, mbox)}, {name: "plain.mbox", text: mbox}}
	for about, archive := range inBoth(t, entries...) {
		check(t, about, listing(t, archive), want)
	}
	mh := makeTar(t, entry{name: "inbox/10", text: "ten"}, entry{name: "inbox/9", text: "nine"}, entry{name: "inbox/.mh_sequences", text: "x"})
	check(t, "MH", listing(t, mh), []string{"inbox/9: nine", "inbox/10: ten"})
}

func TestArchiveAmongMessagesIsAnError(t *testing.T) {
	inner := entry{name: "1", text: "one"}
	for about, archive := range map[string]string{
		"zip": makeZip(t, inner), "tar": makeTar(t, inner), "tar ": pack(t, gzipped, makeTar(t, inner)), "zip ": pack(t, zstandard, makeZip(t, inner)),
	} {
		const reason = " is no mail but an archive"
		name := tree(t, map[string]string{"a": minutes, "b": archive, "c": minutes})
		check(t, about, contents(FromFS(system{}, name, "ham")), []string{"ham: " + minutes, "ham! " + name + "/b" + reason, "ham: " + minutes})
		check(t, about+" in a tar", listing(t, makeTar(t, entry{name: "in", text: archive})), []string{"in! a/mail/in" + reason})
	}
}

func TestWhatAnArchiveIsCalled(t *testing.T) {
	one := entry{name: "1", text: "one"}
	for about, file := range map[string]string{
		"zip archive": makeZip(t, one), "zip archive of nothing": makeZip(t), "tar archive": makeTar(t, one),
		"tar archive, compressed with xz": pack(t, xzipped, makeTar(t, one)), "tar archive, compressed with bzip2": testdata(t, "mail.tar.bz2"),
		"message with the mark of a zip": "Subject: a\n\nPK\x03\x04",
	} {
		found, err := find(system{}, filepath.Join(tree(t, map[string]string{"file": file}), "file"), nil)
		if err != nil || (found.format == Archive) != strings.Contains(about, "archive") {
			t.Errorf("%s: got %s, %v", about, found.format, err)
		}
	}
}

func TestArchiveIsAFileSystem(t *testing.T) {
	entries := []entry{{name: "a/b/1", text: "one"}, {name: "a/2", text: "two"}, {name: "3", text: "three"}}
	for about, archive := range inBoth(t, entries...) {
		fsys, err := openArchive(fstest.MapFS{"m": {Data: []byte(archive)}}, "m")
		must(t, err)
		inside, err := fs.Sub(fsys, "m")
		must(t, err)
		if err := fstest.TestFS(inside, "a/b/1", "a/2", "3"); err != nil {
			t.Errorf("%s: %v", about, err)
		}
		if _, err := fsys.Open("elsewhere"); err == nil {
			t.Errorf("%s: a path outside of the archive was opened", about)
		}
	}
}

func TestItemsOfAnArchiveAreReadAtTheSameTime(t *testing.T) {
	var entries []entry
	for i := range 50 {
		entries = append(entries, entry{name: fmt.Sprintf("%02d", i), text: fmt.Sprintf("text %02d", i)})
	}
	for about, archive := range map[string]string{"zip": makeZip(t, entries...), "tar": pack(t, gzipped, makeTar(t, entries...))} {
		var all sync.WaitGroup
		for item, err := range archived(t, "m", archive) {
			must(t, err)
			all.Go(func() {
				if raw, err := readAny(item, nil); err != nil || string(raw) != "text "+item.Origin[2:] {
					t.Errorf("%s: %s: got %q, %v", about, item.Origin, raw, err)
				}
			})
		}
		all.Wait()
	}
}

func TestTarOfTheSeventhEdition(t *testing.T) {
	b := []byte(makeTar(t, entry{name: "1", text: "one"}))
	clear(b[257:tarBlock])
	sum := 0
	copy(b[148:156], "        ")
	for _, c := range b[:tarBlock] {
		sum += int(c)
	}
	copy(b[148:156], fmt.Sprintf("%06o\x00 ", sum))
	check(t, "", listing(t, string(b)), []string{"1: one"})
}
