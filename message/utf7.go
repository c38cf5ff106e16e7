package message

import (
	"encoding/base64"
	"unicode/utf16"
	"unicode/utf8"
)

// appendUTF7 appends text in UTF-7 (RFC 2152): ASCII, in which "+" begins big-endian UTF-16 in base64, up to a "-" or a byte
// that is no digit. Invalid text stays as it is.
//
// QUIRK: each "+" begins such a run, and "+-" is a plus sign. Text that is labelled UTF-7 by mistake has "1+1" in it
// (utf-7.eml).
func appendUTF7(dst, text []byte) []byte {
	for len(text) > 0 {
		if text[0] != '+' {
			r, size := utf8.DecodeRune(text)
			if r == utf8.RuneError && size == 1 {
				dst = appendRepaired(dst, text[:1])
			} else {
				dst = append(dst, text[:size]...)
			}
			text = text[size:]
			continue
		}
		length := 1
		for length < len(text) && base64Value(text[length]) != notBase64 {
			length++
		}
		minus := length < len(text) && text[length] == '-'
		var ok bool
		switch {
		case length == 1 && minus:
			dst = append(dst, '+')
		case length > 1:
			if dst, ok = appendUTF7Run(dst, text[1:length]); ok {
				break
			}
			fallthrough
		default: // a plus sign and what follows it
			dst = append(dst, text[:length]...)
			minus = false
		}
		text = text[length:]
		if minus {
			text = text[1:]
		}
	}
	return dst
}

// appendUTF7Run appends the characters of digits of base64. It reports whether they are valid; if not, dst is unchanged.
func appendUTF7Run(dst, digits []byte) (_ []byte, ok bool) {
	units, err := base64.RawStdEncoding.Strict().AppendDecode(nil, digits)
	if err != nil || len(units)%2 != 0 {
		return dst, false
	}
	start := len(dst)
	for i := 0; i < len(units); i += 2 {
		r := rune(units[i])<<8 | rune(units[i+1])
		if utf16.IsSurrogate(r) {
			var low rune
			if i += 2; i < len(units) {
				low = rune(units[i])<<8 | rune(units[i+1])
			}
			if r = utf16.DecodeRune(r, low); r == utf8.RuneError {
				return dst[:start], false
			}
		}
		dst = utf8.AppendRune(dst, r)
	}
	return dst, true
}
