package css

import (
	"bytes"
	"iter"
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
		c := css[i]
		if ascii.IsLetter(c) {
			continue // most of them, and quickly
		}
		var stop stops
		switch c {
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

// split returns the parts of css between its stops, trimmed. Without a stop that is all of css.
func split(css []byte, at stops) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for more := true; more; {
			end := indexStop(css, at)
			if more = end < len(css); !yield(ascii.Space.Trim(css[:end])) {
				return
			}
			css = css[min(end+1, len(css)):]
		}
	}
}

// cutGroup cuts css behind the parenthesis or bracket that closes the one it begins with, and trims what is between them.
func cutGroup(css []byte, at stops) (inside, rest []byte) {
	end := 1 + indexStop(css[1:], at)
	return ascii.Space.Trim(css[1:end]), css[min(end+1, len(css)):]
}

// cutFunction returns the name and the argument of the function that value begins with, and what follows it.
func cutFunction(value []byte) (name, argument, rest []byte) {
	open := bytes.IndexByte(value, '(')
	if open < 0 {
		return ascii.Space.Trim(value), nil, nil
	}
	argument, rest = cutGroup(value[open:], atParenthesis)
	return ascii.Space.Trim(value[:open]), argument, rest
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
	if bytes.IndexByte(css, '\\') < 0 {
		return append(dst, css[:min(len(css), n)]...)
	}
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
	start := len(dst)
	dst = appendUnescaped(dst, css, n)
	for i, c := range dst[start:] {
		dst[start+i] = ascii.Lower(c)
	}
	return dst
}
