package message

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"strings"
	"sync"
	"unicode/utf16"
	"unicode/utf8"

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

// newCodec returns the codec for a declared charset, nil if it is unknown or ASCII.
//
// QUIRK: a charset has a registered name. Mail has names of programs and systems, and misspelt names (charset-labels.eml).
// Each is tried as browsers read it, then with its spelling repaired.
func newCodec(label string) *codec {
	const maxLabel = 64 // longer than any name
	if len(label) > maxLabel {
		return nil
	}
	label = strings.ToLower(label)
	if c := namedCodec(label); c != nil {
		return c
	}
	clean := appendCleanLabel(nil, []byte(label))
	if isASCII(clean) {
		return nil
	}
	return namedCodec(alias(string(clean)))
}

// namedCodec returns the codec for a correctly spelt name.
func namedCodec(name string) *codec {
	switch name {
	case "utf-8": // most mail needs no other one but this and the next
		return &codec{}
	case "iso-8859-1", "windows-1252":
		return &codec{decoder: charmap.Windows1252.NewDecoder(), name: fallback}
	case "utf-16": // for browsers it is little-endian
		return &codec{width: 2, isBig: true, mark: "\x00"}
	case "utf-32", "ucs-4", "iso-10646-ucs-4", "csucs4":
		return &codec{width: 4, isBig: true, mark: "\x00"}
	case "utf-32le", "utf-32be":
		return &codec{width: 4, isBig: name == "utf-32be", isSure: true, mark: "\x00"}
	case "utf-7", "unicode-1-1-utf-7", "csunicode11utf7", "x-unicode-2-0-utf-7":
		return &codec{utf7: true, mark: "+"}
	case "hz-gb-2312": // browsers do not know it and the next ones
		return &codec{decoder: simplifiedchinese.HZGB2312.NewDecoder(), mark: "~{"}
	case "iso-2022-kr", "csiso2022kr":
		return &codec{decoder: korean.EUCKR.NewDecoder(), mark: "\x0e", unshift: appendUnshifted}
	case "iso-2022-cn", "iso-2022-cn-ext":
		return &codec{decoder: simplifiedchinese.GB18030.NewDecoder(), mark: "\x0e", unshift: appendUnshifted}
	case "us-ascii", "ascii", "ansi_x3.4-1968", "iso-ir-6", "x-user-defined": // they say nothing about 8-bit text
		return nil
	}
	label := strings.TrimSpace(name)
	charset, isKnown := knownCharsets()[label]
	switch name = charset.name; name {
	case "utf-8":
		return &codec{}
	case "utf-16le", "utf-16be":
		return &codec{width: 2, isBig: name == "utf-16be", isSure: label == name, mark: "\x00"}
	}
	if !isKnown {
		return nil
	}
	c := &codec{decoder: charset.NewDecoder(), name: name}
	switch name {
	case "iso-2022-jp":
		c.name, c.mark = "", "\x1b"
	case "gb18030", "big5", "euc-jp", "euc-kr", "shift_jis":
		c.pairs = true
	case "koi8-r":
		c.name = "koi8-u" // which has more letters
	}
	return c
}

// charsets is the names of charsets that browsers know (https://encoding.spec.whatwg.org/#names-and-labels), without those that they refuse to
// read, and code pages of DOS. Each line begins with the name of an encoding. The library fills a map with them at the start of each process.
const charsets = `
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
macintosh-cyrillic x-mac-cyrillic x-mac-ukrainian
gb18030 chinese csgb2312 csiso58gb231280 gb2312 gb_2312 gb_2312-80 gbk iso-ir-58 x-gbk
big5 big5-hkscs cn-big5 csbig5 x-x-big5
euc-jp cseucpkdfmtjapanese x-euc-jp
iso-2022-jp csiso2022jp
shift_jis csshiftjis ms932 ms_kanji shift-jis sjis windows-31j x-sjis
euc-kr cseuckr csksc56011987 iso-ir-149 korean ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 windows-949
utf-16be unicodefffe
utf-16le csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff utf-16
ibm437
ibm850
ibm852
ibm855
ibm860
ibm862
ibm863
ibm865
`

// known is a charset that is read, by the name of its encoding. UTF needs none.
type known struct {
	name string
	encoding.Encoding
}

// knownCharsets returns the charsets by their names in lower case.
var knownCharsets = sync.OnceValue(func() map[string]known {
	encodings := map[string]encoding.Encoding{
		"gb18030": simplifiedchinese.GB18030, "big5": traditionalchinese.Big5, "eucjp": japanese.EUCJP, "iso2022jp": japanese.ISO2022JP,
		"shiftjis": japanese.ShiftJIS, "euckr": korean.EUCKR,
	}
	for _, enc := range charmap.All { // their titles are like "ISO 8859-2" and "IBM Code Page 437"
		clean := appendCleanLabel(nil, []byte(fmt.Sprint(enc)))
		encodings[strings.Replace(string(clean), "ibmcodepage", "ibm", 1)] = enc
	}
	all := map[string]known{}
	for line := range strings.Lines(charsets) {
		names := strings.Fields(line)
		for _, name := range names {
			all[name] = known{names[0], encodings[string(appendCleanLabel(nil, []byte(names[0])))]}
		}
	}
	return all
})

// wideDecoder returns the decoder for a text in UTF-16 or UTF-32, and the text without its mark and without half a unit at its end.
//
// QUIRK: the declaration or a mark tells the byte order, and without both it is big-endian. Programs declare "utf-16" and send
// little-endian without a mark. Nearly every text has characters below U+0100, whose first bytes are zero. A declared order is
// wrong only if most characters say so, since the last bytes of some Chinese ones are zero, too.
func (c *codec) wideDecoder(text []byte) (*encoding.Decoder, []byte) {
	isBig := c.isBig
	var zeros [4]int
	for i, b := range text[:min(len(text), sampleBytes)] {
		if b == 0 {
			zeros[i%c.width]++
		}
	}
	first, last := zeros[0], zeros[c.width-1]
	if most := min(len(text), sampleBytes) / c.width / 2; first != last && (!c.isSure || max(first, last) > most) {
		isBig = first > last
	}
	text = text[:len(text)-len(text)%c.width]
	for order, mark := range [...]string{"\xff\xfe\x00\x00"[:c.width], "\x00\x00\xfe\xff"[4-c.width:]} {
		if bytes.HasPrefix(text, []byte(mark)) {
			isBig, text = order == 1, text[c.width:]
			break
		}
	}
	if c.width == 4 {
		return utf32.UTF32(utf32.Endianness(!isBig), utf32.IgnoreBOM).NewDecoder(), text
	}
	return unicode.UTF16(unicode.Endianness(!isBig), unicode.IgnoreBOM).NewDecoder(), text
}

// isASCII reports whether a clean label stands for ASCII, or for a charset that the program did not know.
func isASCII(clean []byte) bool {
	switch string(clean) {
	case "", "usascii", "usasci", "ascii", "asci", "usaascii", "ansix34", "ansix341968", "ansix341986", "iso646", "iso646us",
		"us", "7bit", "8bit", "none", "default", "unknown", "unknown8bit", "xunknown", "xuserdefined", "binary", "ansi", "charset":
		return true
	}
	return false
}

// appendCleanLabel appends the letters and digits of a label in lower case to dst, which is empty, without what broken
// programs leave before them: "charset=", and the "3D" of quoted-printable.
func appendCleanLabel(dst, label []byte) []byte {
	for _, c := range label {
		if ascii.IsAlphanumeric(c) {
			dst = append(dst, ascii.Lower(c))
		}
	}
	dst = bytes.TrimPrefix(dst, []byte("charset"))
	return bytes.TrimPrefix(dst, []byte("3d"))
}

// spellings is names of charsets with other spellings of them, as clean labels between blanks.
const spellings = `
utf-8 utf8 utf utf8n utf8mb4 utf08 unicodeutf8 .
utf-7 utf7 unicode11utf7 unicode20utf7 .
shift_jis cp932 ms932 windows932 cp943 xmscp932 shiftjis sjis xsjis shiftjisx0213 shiftjis2004 mskanji .
euc-jp eucjp xeucjp eucjpms cp51932 ujis .
iso-2022-jp iso2022jp iso2022jp1 iso2022jp2 iso2022jp3 iso2022jpms cp50220 cp50221 cp50222 jis .
euc-kr ksc5601 ksc56011987 ksc56011989 euckr cp949 ms949 uhc xwindows949 windows949 .
gb18030 gb2312 gb231280 gbk xgbk cp936 ms936 windows936 euccn xeuccn gb18030 gb180302000 gb .
big5 big5 cp950 ms950 windows950 big5eten xxbig5 big5hkscs .
hz-gb-2312 hz hzgb hzgb2312 .
windows-874 tis620 cp874 xwindows874 thai iso885911 .
koi8-r koi8 koi8r koi8ru koi .
iso-8859-8-i iso88598i iso88598e .
`

// alias returns the registered name of a charset for a clean label.
func alias(clean string) string {
	if at := strings.Index(spellings, " "+clean+" "); at >= 0 {
		name, _, _ := strings.Cut(spellings[1+strings.LastIndexByte(spellings[:at], '\n'):], " ")
		return name
	}
	for _, family := range []struct{ prefix, name string }{
		{"iso8859", "iso-8859-"}, {"is08859", "iso-8859-"}, {"iso8559", "iso-8859-"}, {"8859", "iso-8859-"},
		{"latin", "latin"}, {"windows", "windows-"}, {"windws", "windows-"}, {"window", "windows-"}, {"win", "windows-"},
		{"microsoftcp", "windows-"}, {"ansi", "windows-"}, {"mscp", "windows-"}, {"xcp", "windows-"}, {"cp125", "windows-125"},
		{"cp", "ibm"}, {"dos", "ibm"}, {"xibm", "ibm"},
	} {
		if number, ok := strings.CutPrefix(clean, family.prefix); ok && strings.Trim(number, "0123456789") == "" {
			return family.name + number
		}
	}
	return clean
}

// The control characters of ISO 2022 that switch between ASCII and a table of two bytes a character.
const (
	shiftOut = 0x0e
	shiftIn  = 0x0f
	escape   = 0x1b
)

// appendUnshifted appends text in ISO-2022-KR (RFC 1557) or ISO-2022-CN (RFC 1922) without its escapes and shifts. It sets
// the highest bit of shifted characters, which makes them EUC-KR or GB 2312. Those of the tables for Taiwan become question
// marks.
func appendUnshifted(dst, text []byte) []byte {
	shifted, taiwan := false, false
	for ; len(text) > 0; text = text[1:] {
		c := text[0]
		isLong := c == escape && len(text) >= 4
		switch {
		case isLong && text[1] == '$' && (text[2] == ')' || text[2] == '*' || text[2] == '+'): // a table follows
			taiwan = taiwan && text[2] != ')' || text[2] == ')' && text[3] == 'G'
			text = text[3:]
		case isLong && (text[1] == 'N' || text[1] == 'O'): // one character of a third table
			dst = append(dst, '?')
			text = text[3:]
		case c == escape:
		case c == shiftOut, c == shiftIn:
			shifted = c == shiftOut
		case c == '\n': // each line begins in ASCII
			shifted = false
			dst = append(dst, c)
		case !shifted || c <= ' ' || len(text) < 2 || text[1] <= ' ':
			dst = append(dst, c)
		case taiwan:
			dst = append(dst, '?')
			text = text[1:]
		default:
			dst = append(dst, c|0x80, text[1]|0x80)
			text = text[1:]
		}
	}
	return dst
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
		for length < len(text) && base64Value(text[length]) != notBase64 {
			length++
		}
		run, after := text[:length], bytes.TrimPrefix(text[length:], []byte("-"))
		characters, ok := utf7Run(run[1:])
		switch isEnded := len(after) < len(text)-length; {
		case length == 1 && isEnded:
			dst = append(dst, '+')
		case length > 1 && ok:
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
	units, unknown := make([]uint16, len(content)/2), 0
	for i := range units {
		if units[i] = binary.BigEndian.Uint16(content[2*i:]); units[i] == utf8.RuneError {
			unknown++
		}
	}
	text := string(utf16.Decode(units))
	return text, err == nil && len(content)%2 == 0 && strings.Count(text, string(utf8.RuneError)) == unknown
}
