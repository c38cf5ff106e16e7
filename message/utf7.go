package message

import (
	"unicode/utf16"
	"unicode/utf8"
)

// appendUTF7 appends text in UTF-7 (RFC 2152): ASCII, in which "+" starts characters in UTF-16, big-endian, in base64,
// up to a "-" or to what is no digit. What is no UTF-7 is kept as it is.
//
// QUIRK: each "+" starts such a run, and "+-" is a plus sign. Mail that is labelled so by mistake has "1+1" in it
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

// appendUTF7Run appends the characters that digits of base64 stand for. It reports whether they are some; if not, dst is
// unchanged. Bits that are left over must be fewer than a digit has, and 0.
func appendUTF7Run(dst, digits []byte) (_ []byte, ok bool) {
	start := len(dst)
	var bits uint32
	have := 0
	var high rune // the first half of a character of two
	for _, c := range digits {
		bits = bits<<6 | uint32(base64Value(c))
		if have += 6; have < 16 {
			continue
		}
		have -= 16
		unit := rune(bits >> have & 0xffff)
		bits &= 1<<have - 1
		switch {
		case high != 0:
			r := utf16.DecodeRune(high, unit)
			if r == utf8.RuneError {
				return dst[:start], false
			}
			dst = utf8.AppendRune(dst, r)
			high = 0
		case utf16.IsSurrogate(unit):
			high = unit
		default:
			dst = utf8.AppendRune(dst, unit)
		}
	}
	if have >= 6 || bits != 0 || high != 0 {
		return dst[:start], false
	}
	return dst, true
}
