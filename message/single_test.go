package message

import (
	"testing"

	"golang.org/x/net/html/charset"
)

func TestSingleByteCharsetsAreReadAsTheLibraryReadsThem(t *testing.T) {
	names := []string{"ibm866", "iso-8859-8-i", "koi8-r", "koi8-u", "macintosh", "windows-874", "x-mac-cyrillic"}
	for _, digit := range []string{"2", "3", "4", "5", "6", "7", "8", "10", "13", "14", "15", "16"} {
		names = append(names, "iso-8859-"+digit)
	}
	for _, digit := range []string{"0", "1", "2", "3", "4", "5", "6", "7", "8"} {
		names = append(names, "windows-125"+digit)
	}
	all := []byte("text: ")
	for b := range 256 {
		all = append(all, byte(b))
	}
	for _, name := range names {
		enc, _ := charset.Lookup(name)
		want, err := enc.NewDecoder().Bytes(all)
		if err != nil {
			t.Fatal(err)
		}
		c := newCodec(name)
		if c == nil || c.high == nil {
			t.Errorf("%s is not read as a charset of one byte a character", name)
			continue
		}
		if got := c.appendSingle(nil, all); string(got) != string(want) {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}
