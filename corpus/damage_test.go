package corpus

import (
	"fmt"
	"slices"
	"strings"
	"testing"
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
