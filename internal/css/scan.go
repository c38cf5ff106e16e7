package css

import (
	"bytes"
	"unicode/utf8"

	"chaff/internal/ascii"
)

// stops is a set of signs at which a piece of CSS may end.
type stops uint8

const (
	atComma stops = 1 << iota
	atSemicolon
	atSpace
	atQuote
	atOpen        // {
	atClosed      // }
	atParenthesis // )
	atBracket     // ]
)

// indexStop returns where css first has one of the stops outside of strings, parentheses, brackets and escapes; its length if
// nowhere.
func indexStop(css []byte, at stops) int {
	depth := 0
	for i := 0; i < len(css); i++ {
		var stop stops
		switch c := css[i]; c {
		case '"', '\'':
			if stop = atQuote; at&stop == 0 {
				i = stringEnd(css, i)
				continue
			}
		case '(', '[':
			depth++
			continue
		case ')', ']':
			if stop = atParenthesis; c == ']' {
				stop = atBracket
			}
			if depth > 0 {
				depth--
				continue
			}
		case '\\':
			i++
			continue
		case ',':
			stop = atComma
		case ';':
			stop = atSemicolon
		case '{':
			stop = atOpen
		case '}':
			stop = atClosed
		case ' ', '\t', '\n', '\r', '\f':
			stop = atSpace
		default:
			continue
		}
		if depth == 0 && at&stop != 0 {
			return i
		}
	}
	return len(css)
}

// cutStop cuts css at its first stop, and trims the first part. The rest is nil if there is no stop.
func cutStop(css []byte, at stops) (first, rest []byte) {
	end := indexStop(css, at)
	if end == len(css) {
		return ascii.Space.Trim(css), nil
	}
	return ascii.Space.Trim(css[:end]), css[end+1:]
}

// closing returns where the parenthesis or bracket is closed that css begins with, its length if nowhere.
func closing(css []byte, at stops) int { return 1 + indexStop(css[1:], at) }

// cutFunction returns the name and the argument of the function that value begins with, and what follows it.
func cutFunction(value []byte) (name, argument, rest []byte) {
	open := bytes.IndexByte(value, '(')
	if open < 0 {
		return ascii.Space.Trim(value), nil, nil
	}
	end := open + closing(value[open:], atParenthesis)
	return ascii.Space.Trim(value[:open]), ascii.Space.Trim(value[open+1 : end]), value[min(end+1, len(value)):]
}

// cutBlock cuts css, the inside of a block, where the block ends.
func cutBlock(css []byte) (block, rest []byte) {
	depth := 1
	for at := 0; ; at++ {
		at += indexStop(css[at:], atOpen|atClosed)
		switch {
		case at >= len(css):
			return css, nil
		case css[at] == '{':
			depth++
		case depth == 1:
			return css[:at], css[at+1:]
		default:
			depth--
		}
	}
}

// stringEnd returns where the string that begins at start ends, by its quote or its line; the length of css if nowhere.
func stringEnd(css []byte, start int) int {
	for i := start + 1; i < len(css); i++ {
		switch css[i] {
		case '\\':
			i++
		case css[start], '\n':
			return i
		}
	}
	return len(css)
}

// cutEscape cuts the escape that css begins with, and returns the text that it represents: \69 and \i are i.
func cutEscape(css []byte) (r rune, isRune bool, length int) {
	length = 1
	for length < len(css) && length < 7 && ascii.HexDigit(css[length]) < 16 {
		r = r<<4 | rune(ascii.HexDigit(css[length]))
		length++
	}
	if length == 1 {
		return 0, false, min(2, len(css))
	}
	if length < len(css) && ascii.Space.Has(css[length]) {
		length++
	}
	if r == 0 || !utf8.ValidRune(r) {
		r = utf8.RuneError
	}
	return r, true, length
}

// appendUnescaped appends css with its escapes replaced, at most n bytes of it.
func appendUnescaped(dst, css []byte, n int) []byte {
	limit := len(dst) + n
	for len(css) > 0 && len(dst) < limit {
		if css[0] != '\\' || len(css) == 1 {
			dst = append(dst, css[0])
			css = css[1:]
			continue
		}
		r, isRune, length := cutEscape(css)
		switch {
		case isRune:
			dst = utf8.AppendRune(dst, r)
		case css[1] != '\n': // which continues a line
			dst = append(dst, css[1])
		}
		css = css[length:]
	}
	return dst[:min(len(dst), limit)]
}

// appendLower appends css in lower case with its escapes replaced, at most n bytes of it.
func appendLower(dst, css []byte, n int) []byte {
	if bytes.IndexByte(css, '\\') < 0 {
		return ascii.AppendLower(dst, css, n)
	}
	start := len(dst)
	dst = appendUnescaped(dst, css, n)
	for i := start; i < len(dst); i++ {
		dst[i] = ascii.Lower(dst[i])
	}
	return dst
}
