package message

import (
	"bytes"
	"strings"
	"testing"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
)

// TestCharsetsAreThoseOfBrowsers compares the names and the encodings with those of x/net/html/charset.
func TestCharsetsAreThoseOfBrowsers(t *testing.T) {
	all := strings.Fields(charsets)
	for _, label := range append(all, "iso-8859-12", "ibm437", "replacement", "iso-2022-kr", "latin7", "utf-32", "windows", "") {
		want, name := charset.Lookup(label)
		switch got := knownCharsets()[label].name; {
		case name == "" || name == "replacement":
			if got != "" && got != "macintosh-cyrillic" && !strings.HasPrefix(got, "ibm") {
				t.Errorf("%s: got %s", label, got)
			}
		case name == "utf-8" || strings.HasPrefix(name, "utf-16"):
			if got != name {
				t.Errorf("%s: got %s, want %s", label, got, name)
			}
		default:
			got = strings.ReplaceAll(got, "macintosh-cyrillic", "x-mac-cyrillic")
			if got != name && (got != "gb18030" || name != "gbk") {
				t.Errorf("%s: got %s, want %s", label, got, name)
			}
			if enc := knownCharsets()[label]; enc.Encoding == nil || !decodesAlike(enc.NewDecoder(), want.NewDecoder()) {
				t.Errorf("%s: it is read as %v", label, enc)
			}
		}
	}
	if len(all) < 200 {
		t.Errorf("%d names", len(all))
	}
}

// TestHTMLDeclaresACharset compares what is declared with what x/net/html/charset finds.
func TestHTMLDeclaresACharset(t *testing.T) {
	for _, page := range []string{
		"<meta charset=koi8-r>\xc1", "<META CHARSET = ' KOI8-R '>", "<meta charset=x><meta charset=big5>", "<!-- <meta charset=big5> -->charset",
		"<meta http-equiv=Content-Type content='text/html; charset=windows-1251'>", "<meta content='text/html; charset=big5'>",
		"<meta content=\"a; charset = 'GB2312'; b\" http-equiv=content-type>", "<meta http-equiv=content-type content=charset>",
		"<meta charset=utf-16><meta charset=big5>", "<meta charset=utf-8>\xff", "charset \xc3\xa4 \xc3", "charset \xff", "charset=big5",
		"<script><meta charset=big5></script><meta charset=greek>", "<meta charset=", "<meta charset='", "charset " + strings.Repeat("\xc3\xa4 ", 600),
		strings.Repeat(" ", 1020) + "<meta charset=big5>", "charset" + strings.Repeat(" ", 1016) + "\xc3\xa4",
	} {
		_, want, _ := charset.DetermineEncoding([]byte(page), "")
		if want == "gbk" {
			want = "gb18030" // which has more characters
		}
		if got := string(charsetInHTML([]byte(page))); got != want && strings.Contains(page[:min(len(page), sniffBytes)], "charset") {
			t.Errorf("%.80q: got %s, want %s", page, got, want)
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
