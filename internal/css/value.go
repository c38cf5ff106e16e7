package css

import (
	"bytes"
	"math"
	"slices"
	"strconv"
	"sync"

	"chaff/internal/ascii"
)

// parseNumber returns the number that value begins with, and its unit, which is what follows.
func parseNumber(value []byte) (n float64, unit []byte, ok bool) {
	end, hasPoint := 0, false
	if len(value) > 0 && (value[0] == '-' || value[0] == '+') {
		end++
	}
	for ; end < len(value); end++ {
		if c := value[end]; c == '.' && !hasPoint {
			hasPoint = true
		} else if !isDigit(c) {
			break
		} else {
			ok = true
		}
	}
	if !ok {
		return 0, value[end:], false
	}
	if exponent := end + 1; exponent < len(value) && ascii.Lower(value[end]) == 'e' {
		if value[exponent] == '-' || value[exponent] == '+' {
			exponent++
		}
		for ; exponent < len(value) && isDigit(value[exponent]); exponent++ {
			end = exponent + 1
		}
	}
	const most = 1e40 // beyond all bounds, and still finite
	n, _ = strconv.ParseFloat(string(value[:end]), 64)
	return min(max(n, -most), most), value[end:], true
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// length is a length, a percentage, a number, or a sum of them.
type length struct {
	pixels  float64
	percent float64 // of the parent
	plain   float64 // a number without a unit
}

// units returns the lengths of units in pixels. Relative units are those of the assumed screen: letters of 16 pixels in a window of 1280
// by 800.
var units = sync.OnceValue(func() map[string]float64 {
	const em, ex, width, height = 16, 8, windowWidth / 100.0, windowHeight / 100.0
	return map[string]float64{
		"px": 1, "pt": 96.0 / 72, "in": 96, "cm": 96 / 2.54, "mm": 96 / 25.4, "q": 96 / 101.6,
		"em": em, "rem": em, "ic": em, "pc": em, "lh": em, "rlh": em, "ex": ex, "ch": ex, "cap": ex,
		"vw": width, "vi": width, "svw": width, "lvw": width, "dvw": width, "vmax": width,
		"vh": height, "vb": height, "svh": height, "lvh": height, "dvh": height, "vmin": height,
	}
})

const (
	windowWidth  = 1280
	windowHeight = 800
)

// parseLength reads a length, or a calculation of lengths, in lower case.
func parseLength(value []byte) (m length, ok bool) {
	c := calculation{rest: value}
	m, ok = c.factor(0)
	return m, ok && len(bytes.TrimSpace(c.rest)) == 0
}

// parseLengths reads the first four lengths of a list. What is no length is NaN, which is neither small nor large.
func parseLengths(list []byte, separator stops) (lengths [4]length, n int) {
	for text := range split(list, separator) {
		if n == len(lengths) {
			break
		}
		if len(text) == 0 && separator == atSpace {
			continue
		}
		m, ok := parseLength(text)
		if !ok {
			m = length{math.NaN(), math.NaN(), math.NaN()}
		}
		lengths[n] = m
		n++
	}
	return lengths, n
}

func (m length) isNaN() bool { return math.IsNaN(m.plain) }

// parseSides reads up to four lengths for the top, right, bottom and left side. It reports whether there is any.
func parseSides(list []byte) (sides [4]length, ok bool) {
	sides, n := parseLengths(list, atSpace)
	switch n {
	case 1:
		sides[1] = sides[0]
		fallthrough
	case 2:
		sides[2] = sides[0]
		fallthrough
	case 3:
		sides[3] = sides[1]
	}
	return sides, n > 0
}

// total returns the length in pixels where the parent is half as wide as the window.
func (m length) total() float64 { return m.pixels + m.plain + m.percent*windowWidth/200 }

// calculation parses a value such as "calc(1px * (2 - 2))".
type calculation struct{ rest []byte }

// maxNested is how deep parentheses in a value may nest.
const maxNested = 16

// next consumes one of the signs and returns it, or returns 0.
func (c *calculation) next(signs string) byte {
	c.rest = ascii.Space.TrimLeft(c.rest)
	if len(c.rest) == 0 || bytes.IndexByte([]byte(signs), c.rest[0]) < 0 {
		return 0
	}
	sign := c.rest[0]
	c.rest = c.rest[1:]
	return sign
}

func (c *calculation) sum(depth int) (m length, ok bool) {
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
		m = length{m.pixels + other.pixels, m.percent + other.percent, m.plain + other.plain}
	}
	return m, true
}

func (m length) times(n float64) length { return length{m.pixels * n, m.percent * n, m.plain * n} }

func (c *calculation) product(depth int) (m length, ok bool) {
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
		case other.pixels == 0 && other.percent == 0:
			m = m.times(other.plain)
		default:
			m = other.times(m.plain)
		}
	}
	return m, true
}

// factor parses a length, a sum in parentheses, or a function.
func (c *calculation) factor(depth int) (m length, ok bool) {
	c.rest = ascii.Space.TrimLeft(c.rest)
	if n, unit, ok := parseNumber(c.rest); ok {
		size := 0
		for size < len(unit) && (ascii.IsLetter(unit[size]) || unit[size] == '%') {
			size++
		}
		c.rest = unit[size:]
		switch unit = unit[:size]; {
		case size == 0:
			return length{plain: n}, true
		case string(unit) == "%":
			return length{percent: n}, true
		}
		pixels := units()[string(unit)]
		return length{pixels: n * pixels}, pixels != 0
	}
	name, rest, ok := bytes.Cut(c.rest, []byte("("))
	isKnown := slices.Contains([]string{"", "calc", "-webkit-calc", "-moz-calc", "min", "max", "clamp"}, string(name))
	if !ok || !isKnown || depth == maxNested {
		return m, false
	}
	c.rest = rest
	var all [3]length
	n := 0
	for more := true; more; more = c.next(",") != 0 {
		part, ok := c.sum(depth + 1)
		if !ok || n == len(all) {
			return m, false
		}
		all[n] = part
		n++
	}
	if len(c.rest) > 0 && c.next(")") == 0 { // the end of a value closes all parentheses
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
		m = all[1]
		if m.total() > all[2].total() {
			m = all[2]
		}
		if m.total() < all[0].total() {
			m = all[0]
		}
		return m, n == len(all)
	}
	return m, true
}
