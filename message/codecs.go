package message

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"

	"chaff/internal/ascii"
)

// newCodec returns the codec for a declared charset, nil if it is unknown or ASCII.
//
// QUIRK: a charset has a registered name. Mail has names of programs and systems, and misspelt names (charset-labels.eml).
// Each is tried as browsers read it, then with its spelling repaired, then as a code page of DOS.
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
	proper := alias(string(clean))
	if c := namedCodec(proper); c != nil {
		return c
	}
	if enc := codePage(proper); enc != nil {
		return &codec{decoder: enc.NewDecoder()}
	}
	return nil
}

// namedCodec returns the codec for a correctly spelt name.
func namedCodec(name string) *codec {
	switch name {
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
	enc, name := charset.Lookup(label)
	switch name {
	case "", "replacement":
		return nil
	case "utf-8":
		return &codec{}
	case "utf-16le", "utf-16be":
		return &codec{width: 2, isBig: name == "utf-16be", isSure: label == name, mark: "\x00"}
	case "iso-2022-jp":
		return &codec{decoder: enc.NewDecoder(), mark: "\x1b"}
	case "gbk":
		return &codec{decoder: simplifiedchinese.GB18030.NewDecoder(), pairs: true, name: "gb18030"}
	case "gb18030", "big5", "euc-jp", "euc-kr", "shift_jis":
		return &codec{decoder: enc.NewDecoder(), pairs: true, name: name}
	case "koi8-r":
		return &codec{decoder: enc.NewDecoder(), name: "koi8-u"} // which has more letters
	}
	return &codec{decoder: enc.NewDecoder(), name: name} // one byte a character
}

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

// alias returns the registered name of a charset for a clean label.
func alias(clean string) string {
	switch clean {
	case "utf8", "utf", "utf8n", "utf8mb4", "utf08", "unicodeutf8":
		return "utf-8"
	case "utf7", "unicode11utf7", "unicode20utf7":
		return "utf-7"
	case "cp932", "ms932", "windows932", "cp943", "xmscp932", "shiftjis", "sjis", "xsjis", "shiftjisx0213",
		"shiftjis2004", "mskanji":
		return "shift_jis"
	case "eucjp", "xeucjp", "eucjpms", "cp51932", "ujis":
		return "euc-jp"
	case "iso2022jp", "iso2022jp1", "iso2022jp2", "iso2022jp3", "iso2022jpms", "cp50220", "cp50221", "cp50222", "jis":
		return "iso-2022-jp"
	case "ksc5601", "ksc56011987", "ksc56011989", "euckr", "cp949", "ms949", "uhc", "xwindows949", "windows949":
		return "euc-kr"
	case "gb2312", "gb231280", "gbk", "xgbk", "cp936", "ms936", "windows936", "euccn", "xeuccn", "gb18030",
		"gb180302000", "gb":
		return "gb18030"
	case "big5", "cp950", "ms950", "windows950", "big5eten", "xxbig5", "big5hkscs":
		return "big5"
	case "hz", "hzgb", "hzgb2312":
		return "hz-gb-2312"
	case "tis620", "cp874", "xwindows874", "thai", "iso885911":
		return "windows-874"
	case "koi8", "koi8r", "koi8ru", "koi":
		return "koi8-r"
	case "iso88598i", "iso88598e":
		return "iso-8859-8-i"
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

// codePage returns the code page of DOS with a label such as "ibm437", nil if there is none. Those of mainframes have other numbers.
func codePage(label string) encoding.Encoding {
	number := strings.TrimPrefix(label, "ibm")
	if n, err := strconv.Atoi(number); err != nil || n < 437 || n > 865 {
		return nil
	}
	for _, enc := range charmap.All {
		if fmt.Sprint(enc) == "IBM Code Page "+number {
			return enc
		}
	}
	return nil
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
