package sources

import (
	"encoding/base64"
	"strings"
	"unicode"
	"unicode/utf16"
)

// base64Letters is the alphabet of base64 in names: no slash, which divides folders.
const base64Letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+,"

// decodeMUTF7 decodes the modified UTF-7 of IMAP folder names (RFC 3501, 5.1.3):
// "&" to "-" is base64, with a comma for the slash, of UTF-16; "&-" is "&". What is
// not so encoded stays as it is: names in UTF-8 have an "&" too.
//
// QUIRK: an encoded name can have line ends and signs that turn the direction of
// text, which would make one name look like another on a terminal. A part that has
// a character that cannot be printed stays encoded.
func decodeMUTF7(name string) string {
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(name, "&")
		out.WriteString(before)
		if !found {
			return out.String()
		}
		text, after, ok := cutEncoded(rest)
		if !ok {
			text, after = "&", rest
		}
		out.WriteString(text)
		name = after
	}
}

// cutEncoded decodes what stands between "&" and "-" at the start of name.
func cutEncoded(name string) (text, rest string, ok bool) {
	n := 0
	for n < len(name) && strings.IndexByte(base64Letters, name[n]) >= 0 {
		n++
	}
	rest, ended := strings.CutPrefix(name[n:], "-")
	if !ended {
		return "", "", false
	}
	if n == 0 {
		return "&", rest, true
	}
	text, ok = decodeUTF16(name[:n])
	return text, rest, ok
}

// decodeUTF16 decodes what is between "&" and "-".
func decodeUTF16(code string) (text string, ok bool) {
	raw, err := base64.NewEncoding(base64Letters).WithPadding(base64.NoPadding).Strict().DecodeString(code)
	if err != nil || len(raw)%2 != 0 {
		return "", false
	}
	units := make([]uint16, len(raw)/2)
	for i := range units {
		units[i] = uint16(raw[2*i])<<8 | uint16(raw[2*i+1])
	}
	runes := utf16.Decode(units)
	for _, r := range runes {
		if r == unicode.ReplacementChar || !unicode.IsPrint(r) && r != '\u3000' && r != '\u00a0' {
			return "", false
		}
	}
	return string(runes), true
}
