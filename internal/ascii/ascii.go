// Package ascii compares and reads bytes of ASCII without regard to case, and without memory of its own. Bytes beyond ASCII are
// equal only to themselves.
package ascii

import (
	"bytes"
	"encoding/hex"
)

// Lower returns c in lower case.
func Lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// AppendLower appends b to dst in lower case, at most n bytes of it.
func AppendLower(dst, b []byte, n int) []byte {
	for _, c := range b[:min(len(b), n)] {
		dst = append(dst, Lower(c))
	}
	return dst
}

// IsLetter reports whether c is a letter.
func IsLetter(c byte) bool { return 'a' <= Lower(c) && Lower(c) <= 'z' }

// IsAlphanumeric reports whether c is a letter or a digit.
func IsAlphanumeric(c byte) bool { return IsLetter(c) || '0' <= c && c <= '9' }

// EqualFold reports whether b and s differ in nothing but case.
func EqualFold(b []byte, s string) bool {
	if len(b) != len(s) {
		return false
	}
	for i, c := range b {
		if Lower(c) != Lower(s[i]) {
			return false
		}
	}
	return true
}

// HasPrefixFold reports whether b begins with prefix in any case.
func HasPrefixFold(b []byte, prefix string) bool {
	return len(b) >= len(prefix) && EqualFold(b[:len(prefix)], prefix)
}

// HasSuffixFold reports whether b ends with suffix in any case.
func HasSuffixFold(b []byte, suffix string) bool {
	return len(b) >= len(suffix) && EqualFold(b[len(b)-len(suffix):], suffix)
}

// HexByte returns the byte that the first two bytes of s, hexadecimal digits, represent.
func HexByte(s []byte) (c byte, ok bool) {
	var decoded [1]byte
	_, err := hex.Decode(decoded[:], s[:min(len(s), 2)])
	return decoded[0], err == nil && len(s) > 1
}

// AppendUnescaped appends text with the byte in place of each escape, a sign and two hexadecimal digits. It reports whether each
// sign begins an escape. Text may begin where dst ends.
func AppendUnescaped(dst, text []byte, sign byte) (_ []byte, ok bool) {
	ok = true
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c == sign {
			code, isHex := HexByte(text[i+1:])
			if isHex {
				c = code
				i += 2
			}
			ok = ok && isHex
		}
		dst = append(dst, c)
	}
	return dst, ok
}

// Next returns the offset of what in text at or after from, len(text) if it is not there. Known is the answer for an earlier from, or -1, so that a
// caller who asks again and again reads text once.
func Next(text, what []byte, known, from int) int {
	if known >= from {
		return known
	}
	if i := bytes.Index(text[from:], what); i >= 0 {
		return from + i
	}
	return len(text)
}

// Before returns b up to the first of some characters, all of it if it has none.
func Before(b []byte, chars string) []byte {
	if i := bytes.IndexAny(b, chars); i >= 0 {
		return b[:i]
	}
	return b
}

// Set is a set of bytes below 64: bit c is set if c is in it.
type Set uint64

const (
	Blank Set = 1<<' ' | 1<<'\t'                    // the white space within a line
	Space     = Blank | 1<<'\n' | 1<<'\r' | 1<<'\f' // the white space of HTML and CSS
)

// Has reports whether c is in the set.
func (s Set) Has(c byte) bool { return s>>c&1 != 0 }

// Index returns the offset of the first byte of b that is in the set, len(b) if there is none.
func (s Set) Index(b []byte) int {
	i := 0
	for i < len(b) && !s.Has(b[i]) {
		i++
	}
	return i
}

// TrimLeft returns b without the bytes of the set that it begins with.
func (s Set) TrimLeft(b []byte) []byte {
	for len(b) > 0 && s.Has(b[0]) {
		b = b[1:]
	}
	return b
}
