package message

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/html"
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

// FuzzDeclaredCharset compares the charset that HTML declares with what the library finds.
func FuzzDeclaredCharset(f *testing.F) {
	for _, seed := range []string{
		"<meta charset=koi8-r>", "<meta charset='UTF-16'>", "<meta charset=none><META charset=\"big5\" charset=gbk>", "<meta http-equiv=content-type content='text/html; charset = sjis'>",
		"<meta content='text/html; charset=euc-kr' http-equiv=Content-Type>", "<meta content='text/html;charset=euc-kr'><meta charset=x>", "charset \xe4", "charset \xc3\xa4", "charset \xc3",
		"<!-- <meta charset=gbk> --><title><meta charset=big5></title><meta charset=latin2>", "<meta charset=", "<meta charset=a content=';charset=b' http-equiv=content-type>",
		"<script><meta charset=gbk></script><meta charset=&#103;bk>", "\xfe\xffcharset", "\xff\xfecharset", "\ufeffcharset", "<meta http-equiv=content-type content='charset charset=\"latin1'>",
		"<meta http-equiv=content-type content=\"charset='latin2'\">", "<meta charset=x-user-defined>", "<meta charset=iso-2022-kr>", "<meta charset=us-ascii>\xe4", "<meta\rcharset\r=\r\nkoi8-u\r>",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		_, want, _ := charset.DetermineEncoding(text, "")
		if !strings.Contains(strings.ToLower(string(text[:min(len(text), 1024)])), "charset") || bytes.Contains(text, []byte("<!--")) && bytes.Contains(text, []byte("script")) {
			return // scripts in comments in scripts: FuzzTokens
		}
		if got := charsetInHTML(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	})
}

func TestLookingForADeclaredCharsetAllocatesLittle(t *testing.T) {
	page := []byte("<p>a<p>b\xe4 charset<meta name=x>")
	if got := testing.AllocsPerRun(100, func() { charsetInHTML(page) }); got > 5 {
		t.Errorf("%v allocations, want at most 5: a message may have 1,000 such parts", got)
	}
}

func TestReferencesAreThoseOfTheLibrary(t *testing.T) {
	for _, reference := range []string{
		"&", "&;", "&#", "&#;", "&#x", "&#xg", "&#65b", "&#x41g;", "&#0", "&#99999999999999999999;", "&#xffffffffffffffff;", "&#55296;", "&#1114111;", "&#1114112;", "&#X41", "&#9", "&#1",
		"&nbs", "&nbspx", "&ampamp;", "&ltx;", "&id", "&idx;", "&copyright", "&notin", "&notin;", "&frac12x", "&frac1", "&g", "&gt", "&fjlig;", "&Eacute", "&EACUTE", "&bull", "&rsquo",
	} {
		if got, want := unescaped(reference), html.UnescapeString(reference); got != want {
			t.Errorf("%s: got %q, want %q", reference, got, want)
		}
	}
	names := strings.Fields("amp AMP lt LT gt GT quot QUOT apos nbsp iexcl cent pound curren yen brvbar sect uml copy COPY ordf laquo not shy reg REG macr deg " +
		"plusmn sup1 sup2 sup3 acute micro para middot cedil ordm raquo frac14 frac12 frac34 iquest AElig aelig ETH eth THORN thorn szlig times divide")
	for _, letter := range "AEIOUYNCaeiouyncSsZz" {
		for _, accent := range []string{"acute", "grave", "circ", "tilde", "uml", "ring", "cedil", "slash", "caron"} {
			names = append(names, string(letter)+accent)
		}
	}
	for number := range 300 {
		names = append(names, "#"+strconv.Itoa(number))
	}
	for _, name := range names {
		for _, reference := range []string{"&" + name, "&" + name + ";", "&" + name + "x", "&" + strings.ToLower(name)} {
			if got, want := unescaped(reference), html.UnescapeString(reference); got != want {
				t.Errorf("%s: got %q, want %q", reference, got, want)
			}
		}
	}
}
