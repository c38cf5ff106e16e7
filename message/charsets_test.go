package message

import (
	"bytes"
	"cmp"
	"strings"
	"testing"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
)

// labels is the labels of charsets that browsers know (https://encoding.spec.whatwg.org/#names-and-labels), without those that they refuse to read.
const labels = `
utf-8 unicode-1-1-utf-8 unicode11utf8 unicode20utf8 utf8 x-unicode20utf8
ibm866 866 cp866 csibm866
iso-8859-2 csisolatin2 iso-ir-101 iso8859-2 iso88592 iso_8859-2 iso_8859-2:1987 l2 latin2
iso-8859-3 csisolatin3 iso-ir-109 iso8859-3 iso88593 iso_8859-3 iso_8859-3:1988 l3 latin3
iso-8859-4 csisolatin4 iso-ir-110 iso8859-4 iso88594 iso_8859-4 iso_8859-4:1988 l4 latin4
iso-8859-5 csisolatincyrillic cyrillic iso-ir-144 iso8859-5 iso88595 iso_8859-5 iso_8859-5:1988
iso-8859-6 arabic asmo-708 csiso88596e csiso88596i csisolatinarabic ecma-114
iso-8859-6 iso-8859-6-e iso-8859-6-i iso-ir-127 iso8859-6 iso88596 iso_8859-6 iso_8859-6:1987
iso-8859-7 csisolatingreek ecma-118 elot_928 greek greek8 iso-ir-126 iso8859-7 iso88597 iso_8859-7 iso_8859-7:1987 sun_eu_greek
iso-8859-8 csiso88598e csisolatinhebrew hebrew iso-8859-8-e iso-ir-138 iso8859-8 iso88598 iso_8859-8 iso_8859-8:1988 visual
iso-8859-8-i csiso88598i logical
iso-8859-10 csisolatin6 iso-ir-157 iso8859-10 iso885910 l6 latin6
iso-8859-13 iso8859-13 iso885913
iso-8859-14 iso8859-14 iso885914
iso-8859-15 csisolatin9 iso8859-15 iso885915 iso_8859-15 l9
iso-8859-16
koi8-r cskoi8r koi koi8 koi8_r
koi8-u koi8-ru
macintosh csmacintosh mac x-mac-roman
windows-874 dos-874 iso-8859-11 iso8859-11 iso885911 tis-620
windows-1250 cp1250 x-cp1250
windows-1251 cp1251 x-cp1251
windows-1252 ansi_x3.4-1968 ascii cp1252 cp819 csisolatin1 ibm819
windows-1252 iso-8859-1 iso-ir-100 iso8859-1 iso88591 iso_8859-1 iso_8859-1:1987 l1 latin1 us-ascii x-cp1252
windows-1253 cp1253 x-cp1253
windows-1254 cp1254 csisolatin5 iso-8859-9 iso-ir-148 iso8859-9 iso88599 iso_8859-9 iso_8859-9:1989 l5 latin5 x-cp1254
windows-1255 cp1255 x-cp1255
windows-1256 cp1256 x-cp1256
windows-1257 cp1257 x-cp1257
windows-1258 cp1258 x-cp1258
x-mac-cyrillic x-mac-ukrainian
gb18030 chinese csgb2312 csiso58gb231280 gb2312 gb_2312 gb_2312-80 gbk iso-ir-58 x-gbk
big5 big5-hkscs cn-big5 csbig5 x-x-big5
euc-jp cseucpkdfmtjapanese x-euc-jp
iso-2022-jp csiso2022jp
shift_jis csshiftjis ms932 ms_kanji shift-jis sjis windows-31j x-sjis
euc-kr cseuckr csksc56011987 iso-ir-149 korean ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 windows-949
utf-16be unicodefffe
utf-16le csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff utf-16
`

// TestCharsetsAreThoseOfBrowsers compares the names and the encodings with those of x/net/html/charset.
func TestCharsetsAreThoseOfBrowsers(t *testing.T) {
	all := strings.Fields(labels)
	for _, label := range all {
		enc, want := charset.Lookup(label)
		got := charsetNamed(label)
		switch same := map[string]string{"gbk": "gb18030", "x-mac-cyrillic": "macintosh-cyrillic"}; {
		case want == "windows-1252" && got == "us-ascii":
		case strings.HasPrefix(want, "utf-"):
			if got != want && (label != "utf-16" || got != label) {
				t.Errorf("%s: got %s, want %s", label, got, want)
			}
		case strings.ReplaceAll(got, "-", "") != strings.ReplaceAll(cmp.Or(same[want], want), "-", ""):
			t.Errorf("%s: got %s, want %s", label, got, want)
		default:
			if known := encodingOf(got); known == nil || !decodesAlike(known.NewDecoder(), enc.NewDecoder()) {
				t.Errorf("%s: it is read as %v", label, known)
			}
		}
	}
	if len(all) < 200 {
		t.Errorf("%d labels", len(all))
	}
	for _, label := range []string{"iso-8859-12", "latin7", "windows", "iso", "x", ""} {
		if c := new(texts).codec([]byte(label)); c != nil {
			t.Errorf("%q is %+v", label, c)
		}
	}
}

// TestHTMLDeclaresACharset compares what is declared with what x/net/html/charset finds.
func TestHTMLDeclaresACharset(t *testing.T) {
	for _, page := range []string{
		"<meta charset=koi8-r>\xc1", "<META CHARSET = ' KOI8-R '>", "<meta charset=x><meta charset=big5>", "<!-- <meta charset=big5> -->charset",
		"<meta http-equiv=Content-Type content='text/html; charset=windows-1251'>", "<meta content='text/html; charset=big5'>",
		"<meta content=\"a; charset = 'GB2312'; b\" http-equiv=content-type>", "<meta http-equiv=content-type content=charset>",
		"<meta charset=utf-16><meta charset=big5>", "<meta charset=utf-8>\xff", "charset \xc3\xa4 \xc3", "charset \xff", "charset=big5", "<link charset=big5><meta charset=greek>",
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
		c := new(texts).codec([]byte(label))
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
