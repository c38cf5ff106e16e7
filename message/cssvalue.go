package message

import (
	"bytes"
	"unicode/utf8"
)

// number reads a number, and its unit, which is what follows.
func number(value []byte) (n float64, unit []byte, ok bool) {
	sign, at := 1.0, 0
	if len(value) > 0 && (value[0] == '-' || value[0] == '+') {
		at++
		if value[0] == '-' {
			sign = -1
		}
	}
	share := 0.0 // of the last digit in one, once there is a point
	for ; at < len(value); at++ {
		switch c := value[at]; {
		case c == '.' && share == 0:
			share = 1
			continue
		case c < '0' || c > '9':
			n, at = power(n, value, at, ok)
			return sign * n, value[at:], ok
		case share == 0:
			n = 10*n + float64(c-'0')
		default:
			share /= 10
			n += share * float64(c-'0')
		}
		ok = true
	}
	return sign * n, nil, ok
}

// power multiplies n by the power of ten that value has at at, as in 1e-3, and returns where it ends.
func power(n float64, value []byte, at int, ok bool) (_ float64, end int) {
	if !ok || lowerByte(value[at]) != 'e' {
		return n, at
	}
	end = at + 1
	negative := false
	if end < len(value) && (value[end] == '-' || value[end] == '+') {
		negative = value[end] == '-'
		end++
	}
	digits := end
	exponent := 0
	for ; end < len(value) && '0' <= value[end] && value[end] <= '9'; end++ {
		exponent = min(10*exponent+int(value[end]-'0'), maxExponent)
	}
	if end == digits {
		return n, at // the unit em or ex
	}
	for range exponent {
		if negative {
			n /= 10
		} else {
			n *= 10
		}
	}
	return n, end
}

const maxExponent = 40 // a size of that many digits is out of all bounds already

// measure is a size of CSS.
type measure struct {
	pixels float64
	share  float64 // of what is around it, in percent
	plain  float64 // a number without a unit
}

// pixelsOf returns how long a unit is. Those that depend on the font or the window are those of the reader that is
// assumed: letters of 16 pixels in a window of 1280 by 800.
func pixelsOf(unit []byte) float64 {
	switch string(unit) {
	case "px":
		return 1
	case "pt":
		return 96.0 / 72
	case "em", "rem", "ic", "pc", "lh", "rlh":
		return 16
	case "ex", "ch", "cap":
		return 8
	case "vw", "vi", "svw", "lvw", "dvw", "vmax":
		return windowWidth / 100.0
	case "vh", "vb", "svh", "lvh", "dvh", "vmin":
		return windowHeight / 100.0
	case "in":
		return 96
	case "cm":
		return 96 / 2.54
	case "mm":
		return 96 / 25.4
	case "q":
		return 96 / 101.6
	}
	return 0
}

const (
	windowWidth  = 1280
	windowHeight = 800
)

// size reads a length, a percentage, a number, or a calculation of them, in lower case.
func size(value []byte) (m measure, ok bool) {
	c := calculation{rest: value}
	m, ok = c.factor(0)
	return m, ok && len(bytes.TrimSpace(c.rest)) == 0
}

// total is the size in pixels where what is around it is as wide as half the window.
func (m measure) total() float64 { return m.pixels + m.plain + m.share*windowWidth/200 }

// calculation reads a value such as "calc(1px * (2 - 2))" from its start.
type calculation struct{ rest []byte }

// maxNested is how deep parentheses in a value may nest.
const maxNested = 16

func (c *calculation) skip() { c.rest = trimLeftCSS(c.rest) }

// next takes one of the signs if it comes next, and returns it.
func (c *calculation) next(signs string) byte {
	c.skip()
	if len(c.rest) == 0 || bytes.IndexByte([]byte(signs), c.rest[0]) < 0 {
		return 0
	}
	sign := c.rest[0]
	c.rest = c.rest[1:]
	return sign
}

func (c *calculation) sum(depth int) (m measure, ok bool) {
	if m, ok = c.product(depth); !ok {
		return m, false
	}
	for sign := c.next("+-"); sign != 0; sign = c.next("+-") {
		other, ok := c.product(depth)
		if !ok {
			return m, false
		}
		if sign == '-' {
			other = other.times(-1)
		}
		m = measure{m.pixels + other.pixels, m.share + other.share, m.plain + other.plain}
	}
	return m, true
}

func (m measure) times(n float64) measure { return measure{m.pixels * n, m.share * n, m.plain * n} }

func (c *calculation) product(depth int) (m measure, ok bool) {
	if m, ok = c.factor(depth); !ok {
		return m, false
	}
	for sign := c.next("*/"); sign != 0; sign = c.next("*/") {
		other, ok := c.factor(depth)
		switch {
		case !ok || sign == '/' && other.plain == 0:
			return m, false
		case sign == '/':
			m = m.times(1 / other.plain)
		case other.pixels == 0 && other.share == 0:
			m = m.times(other.plain)
		default:
			m = other.times(m.plain)
		}
	}
	return m, true
}

// factor reads a size, something in parentheses, or a function.
func (c *calculation) factor(depth int) (m measure, ok bool) {
	c.skip()
	if n, unit, ok := number(c.rest); ok {
		length := 0
		for length < len(unit) && (isLetter(unit[length]) || unit[length] == '%') {
			length++
		}
		c.rest = unit[length:]
		switch unit = unit[:length]; {
		case length == 0:
			return measure{plain: n}, true
		case string(unit) == "%":
			return measure{share: n}, true
		}
		pixels := pixelsOf(unit)
		return measure{pixels: n * pixels}, pixels != 0
	}
	if depth == maxNested {
		return m, false
	}
	name, rest, ok := bytes.Cut(c.rest, []byte("("))
	if !ok {
		return m, false
	}
	c.rest = rest
	switch string(name) {
	case "", "calc", "-webkit-calc", "-moz-calc", "min", "max", "clamp":
	default:
		return m, false
	}
	var all [3]measure
	n := 0
	for {
		part, ok := c.sum(depth + 1)
		if !ok || n == len(all) {
			return m, false
		}
		all[n] = part
		n++
		if c.next(",") == 0 {
			break
		}
	}
	if len(c.rest) > 0 && c.next(")") == 0 { // a value that ends closes all
		return m, false
	}
	m = all[0]
	switch string(name) {
	case "min", "max":
		for _, other := range all[1:n] {
			if (other.total() < m.total()) == (string(name) == "min") {
				m = other
			}
		}
	case "clamp":
		if n < len(all) {
			return m, false
		}
		m = all[1]
		if m.total() > all[2].total() {
			m = all[2]
		}
		if m.total() < all[0].total() {
			m = all[0]
		}
	}
	return m, true
}

// ends is a set of the signs at which a piece of CSS may end.
type ends uint8

const (
	atComma ends = 1 << iota
	atSemicolon
	atOpen   // {
	atClosed // }
)

// cssEnd returns where css first has one of the signs at which it ends, outside of strings, parentheses and brackets; its
// length if nowhere. A string ends with its line, as it does in browsers.
func cssEnd(css []byte, at ends) int {
	depth := 0
	for i := 0; i < len(css); i++ {
		var end ends
		switch c := css[i]; c {
		case '"', '\'':
			i = stringEnd(css, i)
			continue
		case '(', '[':
			depth++
			continue
		case ')', ']':
			depth = max(depth-1, 0)
			continue
		case '\\':
			i++
			continue
		case ',':
			end = atComma
		case ';':
			end = atSemicolon
		case '{':
			end = atOpen
		case '}':
			end = atClosed
		default:
			continue
		}
		if depth == 0 && at&end != 0 {
			return i
		}
	}
	return len(css)
}

// stringEnd returns where the string is closed, by its quote or its line, that starts at start; the length of css if nowhere.
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

// trimLeftCSS returns css without the blanks at its start.
func trimLeftCSS(css []byte) []byte { return css[skipHTMLBlanks(css, 0):] }

// trimCSS returns css without the blanks around it.
func trimCSS(css []byte) []byte {
	css = trimLeftCSS(css)
	end := len(css)
	for end > 0 && isIn(css[end-1], htmlBlanks) {
		end--
	}
	return css[:end]
}

// blockEnd returns where the block ends that css is the inside of.
func blockEnd(css []byte) int {
	depth := 1
	for at := 0; ; at++ {
		at += cssEnd(css[at:], atOpen|atClosed)
		switch {
		case at >= len(css):
			return len(css)
		case css[at] == '{':
			depth++
		case depth == 1:
			return at
		default:
			depth--
		}
	}
}

// appendUnescaped appends CSS with the characters that its escapes stand for, at most n bytes of it: \69 and \i are i.
func appendUnescaped(dst, css []byte, n int) []byte {
	limit := len(dst) + n
	for i := 0; i < len(css) && len(dst) < limit; {
		if css[i] != '\\' || i+1 == len(css) {
			dst = append(dst, css[i])
			i++
			continue
		}
		i++
		var r rune
		digits := 0
		for digits < 6 && i+digits < len(css) && hexDigit(css[i+digits]) < 16 {
			r = r<<4 | rune(hexDigit(css[i+digits]))
			digits++
		}
		i += digits
		switch {
		case digits > 0:
			if i < len(css) && isIn(css[i], htmlBlanks) {
				i++
			}
			if r == 0 || !utf8.ValidRune(r) {
				r = utf8.RuneError
			}
			dst = utf8.AppendRune(dst, r)
		case css[i] == '\n':
			i++ // a line that goes on in the next one
		default:
			dst = append(dst, css[i])
			i++
		}
	}
	if len(dst) > limit {
		return dst[:limit]
	}
	return dst
}

// appendCSSLower appends CSS in lower case without its escapes, at most n bytes of it.
func appendCSSLower(dst, css []byte, n int) []byte {
	if bytes.IndexByte(css, '\\') < 0 {
		return appendLower(dst, css, n)
	}
	start := len(dst)
	dst = appendUnescaped(dst, css, n)
	for i := start; i < len(dst); i++ {
		dst[i] = lowerByte(dst[i])
	}
	return dst
}
