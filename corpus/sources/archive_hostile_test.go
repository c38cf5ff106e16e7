package sources

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"chaff/internal/cputime"
)

func TestSparseFilesAreErrors(t *testing.T) {
	for _, name := range []string{"sparse-gnu.tar.gz", "sparse-pax.tar.gz"} {
		got := listing(t, testdata(t, name))
		if want := []string{"sp! read a/mail/sp: is stored as a sparse file, which mail is not"}; !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

func TestDamagedArchives(t *testing.T) {
	entries := []entry{{name: "1", text: "one"}, {name: "2", text: strings.Repeat("two", 400)}, {name: "3", text: "three"}}
	tarred, zipped := makeTar(t, entries...), makeZip(t, entries...)
	badZip := strings.Replace(zipped, zipped[40:44], "XXXX", 1)
	bad := []byte(tarred)
	copy(bad[4*tarBlock+300:], "no header") // the third one
	tests := []struct{ about, archive, want string }{
		{"a tar that is cut off in a member", tarred[:3*tarBlock+100], `["1: one" "2! read a/mail/2: the tar archive is cut off in this file" "a/mail! list a/mail: the tar archive is cut off: unexpected EOF"]`},
		{"a tar that is cut off in a header", tarred[:2*tarBlock+100], `["1: one" "a/mail! list a/mail: the tar archive is cut off: unexpected EOF"]`},
		{"a tar without an end", tarred[:2*tarBlock], `["1: one"]`},
		{"a zip that is cut off", zipped[:len(zipped)-10], `["a/mail! list a/mail: the zip archive is cut off or damaged: zip: not a valid zip file"]`},
		{"a zip with a damaged member", badZip, "the data in the zip archive is damaged"},
	}
	for _, tt := range tests {
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
	if got, want := listing(t, change(8, 9)), []string{"1! read a/mail/1: is encrypted"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := listing(t, change(10, 97)), []string{"1! read a/mail/1: is compressed with zip's method 97, which is not known here"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Work on hostile archives is linear in their size.
func TestWorkIsLinearInTheSizeOfHostileArchives(t *testing.T) {
	many := func(make func(testing.TB, ...entry) string, e func(i int) entry) func(int) string {
		return func(n int) string {
			var entries []entry
			for i := range n {
				entries = append(entries, e(i))
			}
			return make(t, entries...)
		}
	}
	shapes := []struct {
		about string
		make  func(n int) string
	}{
		{"one name", many(makeZip, func(int) entry { return entry{name: "a"} })},
		{"names that become one", many(makeTar, func(i int) entry { return entry{name: strings.Repeat("./", i%40) + fmt.Sprintf("../%d/../a", i)} })},
		{"deep names", many(makeTar, func(i int) entry { return entry{name: strings.Repeat("a/", 500) + fmt.Sprint(i)} })},
		{"a folder in place of a file", many(makeTar, func(i int) entry { return entry{name: "a" + strings.Repeat("/a", i%50) + fmt.Sprint(i%7)} })},
		{"links in a chain", many(makeTar, func(i int) entry { return entry{name: fmt.Sprint(i), link: fmt.Sprint(i + 1)} })},
	}
	const n, factor = 500, 4
	for _, shape := range shapes {
		t.Run(shape.about, func(t *testing.T) {
			small, large := shape.make(n), shape.make(factor*n)
			for range 4 {
				once, more := timeOf(func() { listing(t, small) }), timeOf(func() { listing(t, large) })
				if more <= 10*once+3*time.Millisecond {
					return
				}
			}
			t.Errorf("%d times the size took over 10 times as long", factor)
		})
	}
}

// timeOf returns how long f takes at best.
func timeOf(f func()) time.Duration {
	best := time.Hour
	for range 2 {
		best = min(best, cputime.Of(f))
	}
	return best
}

// FuzzArchive opens any bytes as an archive: it is a file system with valid names,
// and no member of a tar or zip that package archive can list is lost.
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
		if r, zipErr := zip.NewReader(bytes.NewReader(data), int64(len(data))); err == nil && zipErr == nil && isZip(string(data[:4])) {
			want := 0
			for _, f := range r.File {
				if !strings.HasSuffix(strings.ReplaceAll(f.Name, `\`, "/"), "/") && f.Mode()&(fs.ModeType&^fs.ModeSymlink) == 0 {
					want++
				}
			}
			if files != want {
				t.Errorf("%d files, want %d", files, want)
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
