package message

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
)

// knownLabels returns all labels of golang.org/x/text/encoding/htmlindex and ianaindex, in lower case.
func knownLabels(t *testing.T) []string {
	t.Helper()
	list, err := os.ReadFile("testdata/charsets.txt")
	if err != nil {
		t.Fatal(err)
	}
	labels := strings.Fields(string(list))
	if len(labels) < 900 {
		t.Fatalf("%d labels", len(labels))
	}
	return append(labels, "", "utf-9", "replacement", "windows-1259", "x-unknown", "iso-8859-", "utf 8")
}

func TestCharsetsHaveTheLabelsOfTheLibrary(t *testing.T) {
	for _, label := range knownLabels(t) {
		enc, want := charset.Lookup(label)
		if got := canonicalName(label); got != want {
			t.Errorf("%q: got the name %q, want %q", label, got, want)
		}
		if want != "" && want != "replacement" && !decodesAlike(encodingOf(want).NewDecoder(), enc.NewDecoder()) {
			t.Errorf("%q: another encoding", label)
		}
	}
}

func TestCodePagesOfDOSAreRead(t *testing.T) {
	for label, want := range map[string]encoding.Encoding{
		"ibm437": charmap.CodePage437, "CP850": charmap.CodePage850, "cp-852": charmap.CodePage852, "IBM865": charmap.CodePage865,
		"ibm037": nil, "cp1047": nil, "ibm": nil, "ibm500": nil,
	} {
		c := newCodec(label)
		if (c != nil) != (want != nil) || want != nil && !decodesAlike(c.decoder, want.NewDecoder()) {
			t.Errorf("%s: got %v, want %v", label, c, want)
		}
	}
}

// decodesAlike reports whether two decoders make the same of all bytes, alone and in pairs.
func decodesAlike(a, b interface{ Bytes([]byte) ([]byte, error) }) bool {
	var all []byte
	for c := range 256 {
		all = append(all, byte(c), 'a', byte(c), 0xc0, byte(c), 0x30)
	}
	x, err1 := a.Bytes(all)
	y, err2 := b.Bytes(all)
	return bytes.Equal(x, y) && (err1 == nil) == (err2 == nil)
}
