package message

import "bytes"

// The control characters of ISO 2022 that switch between ASCII and a table of two bytes a character.
const (
	shiftOut = 0x0e
	shiftIn  = 0x0f
	escape   = 0x1b
)

// hasOrderMark reports whether text begins with the byte order mark of UTF-16.
func hasOrderMark(text []byte) bool {
	return bytes.HasPrefix(text, []byte("\xff\xfe")) || bytes.HasPrefix(text, []byte("\xfe\xff"))
}

// charsetBySignature returns the charset that a signature in text proves: an escape sequence of ISO 2022, or a byte order
// mark of UTF-16 in text that is not valid UTF-8. It is empty if there is none.
//
// QUIRK: text with escapes is declared. Some programs send it without a charset, or with another one (charset-escapes.eml).
func charsetBySignature(text []byte, valid bool) string {
	if !valid {
		if hasOrderMark(text) && bytes.IndexByte(text, 0) >= 0 {
			return "utf-16"
		}
		return ""
	}
	at := bytes.Index(text, []byte{escape, '$'})
	if at < 0 || at+2 == len(text) {
		return ""
	}
	switch rest := text[at+2:]; {
	case rest[0] == 'B' || rest[0] == '@' || bytes.HasPrefix(rest, []byte("(D")):
		return "iso-2022-jp"
	case bytes.HasPrefix(rest, []byte(")C")):
		return "iso-2022-kr"
	case bytes.HasPrefix(rest, []byte(")A")):
		return "iso-2022-cn"
	}
	return ""
}

// appendUnshifted appends text in ISO-2022-KR (RFC 1557) or ISO-2022-CN (RFC 1922) without its escapes and shifts. It sets
// the highest bit of shifted characters, which makes them EUC-KR or GB 2312. Those of the tables for Taiwan become question
// marks.
func appendUnshifted(dst, text []byte) []byte {
	shifted, taiwan := false, false
	for len(text) > 0 {
		c := text[0]
		switch {
		case c == escape:
			length, table := escapeLength(text)
			if table != 0 {
				taiwan = table == 'G'
			}
			if length > 1 && text[1] != '$' { // one character of a third table
				dst = append(dst, '?')
			}
			text = text[length:]
			continue
		case c == shiftOut:
			shifted = true
		case c == shiftIn:
			shifted = false
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
		text = text[1:]
	}
	return dst
}

// escapeLength returns the length of the escape sequence that text begins with, and the table that it announces for shifted
// characters, or 0.
func escapeLength(text []byte) (length int, table byte) {
	switch {
	case len(text) >= 4 && text[1] == '$' && text[2] == ')':
		return 4, text[3]
	case len(text) >= 4 && (text[1] == '$' && (text[2] == '*' || text[2] == '+') || text[1] == 'N' || text[1] == 'O'):
		return 4, 0
	}
	return 1, 0
}
