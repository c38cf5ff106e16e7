package sources

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
)

func TestSparseFilesAreReadWithTheirHoles(t *testing.T) {
	for _, name := range []string{"sparse-gnu.tar.gz", "sparse-pax.tar.gz"} {
		got := listing(t, testdata(t, name))
		if len(got) != 1 || !strings.HasPrefix(got[0], "sp: \x00") || strings.Trim(got[0][len("sp: "):], "\x00") == "" {
			t.Errorf("%s: got %.200q", name, got)
		}
		_, members, damage, err := copyTar("x", reading(t, name), 1000)
		if members != 0 || err != nil || damage == nil {
			t.Errorf("%s: %d members, %v, %v: the holes count for the limit", name, members, damage, err)
		}
	}
}

// reading returns the content of a compressed file of testdata.
func reading(t *testing.T, name string) io.Reader {
	t.Helper()
	plain, err := decompressed(strings.NewReader(testdata(t, name)))
	must(t, err)
	return plain
}

func TestDamagedArchives(t *testing.T) {
	entries := []entry{{name: "1", text: "one"}, {name: "2", text: strings.Repeat("two", 400)}, {name: "3", text: "three"}}
	tarred, zipped := makeTar(t, entries...), makeZip(t, entries...)
	badZip := strings.Replace(zipped, zipped[40:44], "XXXX", 1)
	bad := []byte(tarred)
	copy(bad[4*tarBlock+300:], "no header") // the third one
	for _, tt := range []struct{ about, archive, want string }{
		{"a tar that is cut off in a member", tarred[:3*tarBlock+100], `["1: one" "a/mail! list a/mail: the tar archive is cut off: unexpected EOF"]`},
		{"a tar that is cut off in a header", tarred[:2*tarBlock+100], `["1: one" "a/mail! list a/mail: the tar archive is cut off: unexpected EOF"]`},
		{"a tar without an end", tarred[:2*tarBlock], `["1: one"]`},
		{"a zip that is cut off", zipped[:len(zipped)-10], `["a/mail! list a/mail: the zip archive is cut off or damaged: zip: not a valid zip file"]`},
		{"a zip with a damaged member", badZip, "1! read a/mail/1: zip: checksum error"},
	} {
		t.Run(tt.about, func(t *testing.T) {
			if got := fmt.Sprintf("%q", listing(t, tt.archive)); !strings.Contains(got, tt.want) {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestCompressedTarThatIsCutOff(t *testing.T) {
	var entries []entry
	for i := range 2000 {
		entries = append(entries, entry{name: fmt.Sprintf("%04d", i), text: minutes})
	}
	for _, c := range packers {
		packed := pack(t, c, makeTar(t, entries...))
		got := listing(t, packed[:len(packed)/2])
		if len(got) < 100 || len(got) > 1990 {
			t.Fatalf("%s: got %d messages and errors, want about half of 2000", c, len(got))
		}
		if last := got[len(got)-1]; !strings.Contains(last, "list a/mail: ") || !strings.Contains(last, "the "+string(c)+" data is cut off") {
			t.Errorf("%s: got %q", c, last)
		}
	}
}

func TestZipMembersThatCannotBeRead(t *testing.T) {
	zipped := makeZip(t, entry{name: "1", text: "one"})
	at := strings.Index(zipped, "PK\x01\x02")
	change := func(offset int, value byte) string {
		b := []byte(zipped)
		b[at+offset] = value
		return string(b)
	}
	check(t, "", listing(t, change(8, 9)), []string{"1! read a/mail/1: is encrypted"})
	check(t, "", listing(t, change(10, 97)), []string{"1! read a/mail/1: zip: unsupported compression algorithm"})
}

// FuzzArchive requires that any archive is a file system with valid names, and that no member of a zip is lost.
func FuzzArchive(f *testing.F) {
	entries := []entry{{name: "a/1", text: "one"}, {name: "../a", text: "two"}, {name: "a/2", link: "../a"}, {name: "b/"}}
	f.Add([]byte(makeTar(f, entries...)))
	f.Add([]byte(makeTar(f, entry{name: "a", text: "one"}, entry{name: "b", hard: "a"}, entry{name: "a", link: "b"})))
	f.Add([]byte(makeZip(f, entries...)))
	f.Add([]byte(pack(f, gzipped, makeTar(f, entries...))))
	f.Add([]byte(testdata(f, "sparse-pax.tar.gz")))
	f.Fuzz(func(t *testing.T, data []byte) {
		archive, err := openArchive(fstest.MapFS{"m": {Data: data}}, "m")
		if err != nil && archive == nil {
			return
		}
		files := 0
		walkErr := fs.WalkDir(archive, "m", func(p string, d fs.DirEntry, err error) error {
			if err != nil || !fs.ValidPath(p) {
				t.Errorf("%q: %v", p, err)
				return err
			}
			if !d.IsDir() {
				files++
				if f, err := archive.Open(p); err == nil {
					io.Copy(io.Discard, io.LimitReader(f, 1<<20))
					f.Close()
				}
			}
			return nil
		})
		if walkErr != nil {
			t.Error(walkErr)
		}
		if r, zipErr := zip.NewReader(bytes.NewReader(data), int64(len(data))); err == nil && zipErr == nil && archiveKind(data) == "zip" {
			want := 0
			for _, f := range r.File {
				if !strings.HasSuffix(strings.ReplaceAll(f.Name, `\`, "/"), "/") && f.Mode().IsRegular() {
					want++
				}
			}
			if files < want {
				t.Errorf("%d files, want at least %d", files, want)
			}
		}
	})
}

func BenchmarkTarIndex(b *testing.B) {
	var entries []entry
	for i := range 2000 {
		entries = append(entries, entry{name: fmt.Sprintf("mail/%d.eml", i), text: minutes})
	}
	archive := makeTar(b, entries...)
	fsys := fstest.MapFS{"m": {Data: []byte(archive)}}
	b.SetBytes(int64(len(archive)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := openArchive(fsys, "m"); err != nil {
			b.Fatal(err)
		}
	}
}
