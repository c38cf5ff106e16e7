package report

import (
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Lengths in characters at which text is cut.
const (
	maxName    = 28 // in a legend or at an axis
	maxTerm    = 80
	maxSubject = 200
	maxLine    = 400
)

// clean returns text that can be shown in a line: of invalid UTF-8 U+FFFD, of other spaces U+0020, of characters that
// cannot be seen or that turn the direction of writing an escape like \u202e. After max characters it is cut.
func clean(s string, max int) string {
	var b strings.Builder
	n := 0
	for _, r := range s {
		if n++; n > max {
			b.WriteRune('…')
			break
		}
		switch {
		case r == utf8.RuneError, r == ' ':
			b.WriteRune(r)
		case unicode.Is(unicode.Zs, r), r == '\t', r == '\n', r == '\r':
			b.WriteByte(' ')
		case strconv.IsPrint(r):
			b.WriteRune(r)
		default:
			quoted := strconv.QuoteRuneToASCII(r)
			b.WriteString(quoted[1 : len(quoted)-1])
		}
	}
	return b.String()
}

// notKnown stands where there is no figure.
const notKnown = "–"

// finite says whether x is a number that can be drawn.
func finite(x float64) bool { return math.Abs(x) <= 1e100 }

// fixed writes a number with so many decimals.
func fixed(x float64, decimals int) string {
	if !finite(x) {
		return notKnown
	}
	if math.Abs(x) >= 1e9 {
		return strconv.FormatFloat(x, 'g', 4, 64)
	}
	return strconv.FormatFloat(x, 'f', decimals, 64)
}

// fixedOrNot writes a number that may not be known.
func fixedOrNot(x *float64, decimals int) string {
	if x == nil {
		return notKnown
	}
	return fixed(*x, decimals)
}

// signed writes a contribution to a score.
func signed(x float64) string {
	if x >= 0 {
		return "+" + fixed(x, 2)
	}
	return fixed(x, 2)
}
