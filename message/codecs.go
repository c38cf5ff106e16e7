package message

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode/utf16"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"

	"chaff/internal/ascii"
)

// codec returns the codec for a declared charset, nil if it is unknown or ASCII. It keeps it.
func (t *texts) codec(label []byte) *codec {
	const maxCodecs = 256 // are kept, by their labels
	c, ok := t.codecs[string(label)]
	if ok || len(label) == 0 {
		return c
	}
	name := charsetNamed(string(label))
	if read, isKnown := encodings[name]; isKnown || encodingOf(name) != nil {
		c = &codec{name: name, mark: read.mark}
		if known := encodingOf(name); known != nil {
			c.decoder = known.NewDecoder()
		}
		if name == "koi8-r" {
			c.name = "koi8-u" // which has more letters
		}
	}
	if t.codecs == nil {
		t.codecs = map[string]*codec{}
	}
	if len(t.codecs) < maxCodecs {
		t.codecs[string(label)] = c
	}
	return c
}

// encodings is how text is read of the charsets that are not one byte a character, and of the most frequent one that is: without an encoding for UTF.
var encodings = map[string]struct {
	encoding encoding.Encoding
	mark     string
}{
	"utf-8": {}, "utf-7": {nil, markUTF7}, "utf-16": {nil, markWide}, "utf-16le": {nil, markWide}, "utf-16be": {nil, markWide},
	"utf-32": {nil, markWide}, "utf-32le": {nil, markWide}, "utf-32be": {nil, markWide}, fallback: {charmap.Windows1252, ""},
	"gb18030": {simplifiedchinese.GB18030, ""}, "big5": {traditionalchinese.Big5, ""}, "euc-kr": {korean.EUCKR, ""},
	"euc-jp": {japanese.EUCJP, ""}, "iso-2022-jp": {japanese.ISO2022JP, escape}, "shift_jis": {japanese.ShiftJIS, ""},
	"hz-gb-2312": {simplifiedchinese.HZGB2312, "~{"}, "iso-2022-kr": {korean.EUCKR, shiftOut}, // browsers do not read these two
}

// encodingOf returns the encoding of that name, nil if there is none, as for UTF.
func encodingOf(name string) encoding.Encoding {
	if read, isKnown := encodings[name]; isKnown {
		return read.encoding
	}
	return singleBytes()[cleanLabel(name)]
}

// singleBytes returns the encodings of one byte a character by the letters and digits of their names.
var singleBytes = sync.OnceValue(func() map[string]encoding.Encoding {
	all := map[string]encoding.Encoding{}
	for _, known := range charmap.All { // their titles are like "ISO 8859-2" and "IBM Code Page 437"
		all[strings.Replace(cleanLabel(fmt.Sprint(known)), "ibmcodepage", "ibm", 1)] = known
	}
	for _, ebcdic := range [...]string{"ibm037", "ibm1047", "ibm1140"} {
		delete(all, ebcdic)
	}
	return all
})

// charsets is the names of charsets with their labels: those that browsers know (https://encoding.spec.whatwg.org/#names-and-labels), and others
// in mail. Each label is its letters and digits. Those that differ from a name in nothing else are left out, and so are those of families.
const charsets = `
us-ascii usascii usasci ascii asci usaascii ansix34 ansix341968 ansix341986 iso646 iso646us isoir6 us 7bit 8bit none default unknown .
us-ascii unknown8bit xunknown xuserdefined binary ansi charset .
utf-8 utf8 utf utf8n utf8mb4 utf08 unicodeutf8 unicode11utf8 unicode20utf8 xunicode20utf8 .
utf-7 utf7 unicode11utf7 csunicode11utf7 unicode20utf7 xunicode20utf7 .
utf-16 utf16 .
utf-16le utf16le csunicode iso10646ucs2 ucs2 unicode unicodefeff .
utf-16be utf16be unicodefffe .
utf-32 utf32 ucs4 iso10646ucs4 csucs4 .
utf-32le utf32le .
utf-32be utf32be .
ibm866 866 csibm866 .
iso-8859-2 csisolatin2 isoir101 iso885921987 l2 latin2 .
iso-8859-3 csisolatin3 isoir109 iso885931988 l3 latin3 .
iso-8859-4 csisolatin4 isoir110 iso885941988 l4 latin4 .
iso-8859-5 csisolatincyrillic cyrillic isoir144 iso885951988 .
iso-8859-6 arabic asmo708 csiso88596e csiso88596i csisolatinarabic ecma114 iso88596e iso88596i isoir127 iso885961987 .
iso-8859-7 csisolatingreek ecma118 elot928 greek greek8 isoir126 iso885971987 suneugreek .
iso-8859-8 csiso88598e csisolatinhebrew hebrew iso88598e isoir138 iso885981988 visual .
iso-8859-8-i csiso88598i iso88598i logical .
iso-8859-10 csisolatin6 isoir157 l6 latin6 .
iso-8859-15 csisolatin9 l9 .
koi8-r koi8r cskoi8r koi koi8 .
koi8-u koi8u koi8ru .
macintosh csmacintosh mac xmacroman .
macintosh-cyrillic xmaccyrillic xmacukrainian .
windows-874 cp874 xwindows874 dos874 iso885911 tis620 thai .
windows-1252 cp819 csisolatin1 ibm819 iso88591 isoir100 iso885911987 l1 latin1 .
windows-1254 csisolatin5 iso88599 isoir148 iso885991989 l5 latin5 .
gb18030 chinese csgb2312 csiso58gb231280 gb2312 gb231280 gbk xgbk cp936 ms936 windows936 euccn xeuccn eucgb2312cn gb180302000 gb isoir58 .
big5 big5hkscs big5tw cnbig5 csbig5 xxbig5 cp950 ms950 windows950 big5eten .
euc-jp eucjp cseucpkdfmtjapanese xeucjp eucjpms cp51932 ujis .
iso-2022-jp iso2022jp csiso2022jp iso2022jp1 iso2022jp2 iso2022jp3 iso2022jpms cp50220 cp50221 cp50222 jis .
shift_jis shiftjis csshiftjis ms932 mskanji sjis windows31j xsjis cp932 windows932 cp943 xmscp932 shiftjisx0213 shiftjis2004 .
euc-kr euckr cseuckr csksc56011987 isoir149 korean ksc56011987 ksc56011989 ksc5601 windows949 xwindows949 cp949 ms949 uhc .
hz-gb-2312 hzgb2312 hz hzgb .
iso-2022-kr iso2022kr csiso2022kr .
`

// families pairs the beginnings of labels that end in a number, such as cp1251, with the beginnings of the names of their charsets.
var families = []struct{ label, name string }{
	{"iso8859", "iso-8859-"}, {"is08859", "iso-8859-"}, {"iso8559", "iso-8859-"}, {"8859", "iso-8859-"}, {"windows", "windows-"},
	{"windws", "windows-"}, {"window", "windows-"}, {"win", "windows-"}, {"microsoftcp", "windows-"}, {"ansi", "windows-"}, {"mscp", "windows-"},
	{"xcp", "windows-"}, {"cp125", "windows-125"}, {"cp", "ibm"}, {"dos", "ibm"}, {"xibm", "ibm"},
}

// charsetNamed returns the name of a charset by its label, "us-ascii" for one that says nothing about 8-bit text. A name that charsets does not
// have may be unknown.
//
// QUIRK: a charset has a registered name. Mail has names of programs and systems, and misspelt names (charset-labels.eml).
func charsetNamed(label string) string {
	const maxLabel = 64 // longer than any name
	if len(label) > maxLabel {
		return ""
	}
	clean := cleanLabel(label)
	name := clean
	if !strings.Contains(charsets, " "+clean+" ") {
		for _, f := range families {
			if number, ok := strings.CutPrefix(clean, f.label); ok && strings.Trim(number, "0123456789") == "" {
				name = f.name + number
				clean = cleanLabel(name)
				break
			}
		}
	}
	if at := strings.Index(charsets, " "+clean+" "); at >= 0 {
		name, _, _ = strings.Cut(charsets[1+strings.LastIndexByte(charsets[:at], '\n'):], " ")
	}
	return name
}

// cleanLabel returns the letters and digits of a label in lower case, without what broken programs leave before them: "charset=", and the "3D"
// of quoted-printable.
func cleanLabel(label string) string {
	clean := string(appendAlphanumeric(nil, []byte(label)))
	return strings.TrimPrefix(strings.TrimPrefix(clean, "charset"), "3d")
}

// appendAlphanumeric appends the letters and digits of a name in lower case.
func appendAlphanumeric(dst, name []byte) []byte {
	for _, c := range name {
		if ascii.IsAlphanumeric(c) {
			dst = append(dst, ascii.Lower(c))
		}
	}
	return dst
}

// wide returns the decoder for a text in UTF-16 or UTF-32, and the text without half a unit at its end.
//
// QUIRK: the declaration or a mark tells the byte order, and without both it is big-endian. Programs declare "utf-16" and send
// little-endian without a mark. Nearly every text has characters below U+0100, whose first bytes are zero. A declared order is
// wrong only if most characters say so, since the last bytes of some Chinese ones are zero, too.
func (c *codec) wide(text []byte) (*encoding.Decoder, []byte) {
	width := 2
	if strings.HasPrefix(c.name, "utf-32") {
		width = 4
	}
	var zeros [4]int
	for i, b := range text[:min(len(text), sampleBytes)] {
		if b == 0 {
			zeros[i%width]++
		}
	}
	isLittle := !strings.HasSuffix(c.name, "be")
	first, last := zeros[0], zeros[width-1]
	if most := min(len(text), sampleBytes) / width / 2; first != last && (len(c.name) == len("utf-16") || max(first, last) > most) {
		isLittle = first < last
	}
	text = text[:len(text)-len(text)%width]
	if width == 4 {
		return utf32.UTF32(utf32.Endianness(isLittle), utf32.UseBOM).NewDecoder(), text
	}
	return unicode.UTF16(unicode.Endianness(isLittle), unicode.UseBOM).NewDecoder(), text
}

// unshifted returns text in ISO-2022-KR (RFC 1557) as EUC-KR: without the escape sequence that announces it, and with the highest bit set in
// shifted characters.
func unshifted(text []byte) []byte {
	text = bytes.ReplaceAll(text, []byte("\x1b$)C"), nil)
	plain, isShifted := text[:0], false
	for _, c := range text {
		switch {
		case c == shiftOut[0], c == shiftIn[0]:
			isShifted = c == shiftOut[0]
			continue
		case c == '\n': // each line begins in ASCII
			isShifted = false
		case isShifted && c > ' ':
			c |= 0x80
		}
		plain = append(plain, c)
	}
	return plain
}

// appendUTF7 appends text in UTF-7 (RFC 2152): ASCII, in which "+" begins big-endian UTF-16 in base64, up to a "-" or a byte
// that is no digit. Invalid text stays as it is.
//
// QUIRK: each "+" begins such a run, and "+-" is a plus sign. Text that is labelled UTF-7 by mistake has "1+1" in it
// (utf-7.eml).
func appendUTF7(dst, text []byte) []byte {
	for len(text) > 0 {
		before, _, _ := bytes.Cut(text, []byte("+"))
		dst = appendRepaired(dst, before)
		if text = text[len(before):]; len(text) == 0 {
			break
		}
		length := 1
		for length < len(text) && isBase64Digit(text[length]) {
			length++
		}
		run, after := text[:length], bytes.TrimPrefix(text[length:], []byte("-"))
		characters, ok := utf7Run(run[1:])
		switch {
		case length == 1: // a plus sign
			dst = append(dst, '+')
		case ok:
			dst = append(dst, characters...)
		default: // a plus sign and what follows it
			dst, after = append(dst, run...), text[length:]
		}
		text = after
	}
	return dst
}

// utf7Run returns the characters of digits of base64, and whether they are valid.
func utf7Run(digits []byte) (_ string, ok bool) {
	content, err := base64.RawStdEncoding.Strict().AppendDecode(nil, digits)
	units := make([]uint16, len(content)/2)
	for i := range units {
		units[i] = binary.BigEndian.Uint16(content[2*i:])
	}
	characters := utf16.Decode(units)
	return string(characters), err == nil && len(content)%2 == 0 && slices.Equal(utf16.Encode(characters), units)
}
