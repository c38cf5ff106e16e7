package report

import (
	"math"
	"strconv"
	"strings"
	"unicode"

	"chaff/internal/screen"
)

// Maximum lengths of text in characters.
const (
	maxName    = 28 // in a legend or at an axis
	maxTerm    = 80
	maxSubject = 200
	maxLine    = 400
)

// clean returns text for one line, cut after max characters. Spaces become U+0020, invalid UTF-8 becomes U+FFFD, and invisible
// characters and those that change the direction of text become escapes such as \u202e.
func clean(s string, max int) string {
	line := strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Zs, r) || r == '\t' || r == '\n' || r == '\r' {
			return ' '
		}
		return r
	}, screen.Clip(s, max))
	return strings.ReplaceAll(screen.Printable(line), `\\`, `\`) // nobody reads it back
}

// notKnown is shown for an undefined figure.
const notKnown = "–"

// finite reports whether a plot can show x.
func finite(x float64) bool { return math.Abs(x) <= 1e100 }

func fixed(x float64, decimals int) string {
	if !finite(x) {
		return notKnown
	}
	if math.Abs(x) >= 1e9 {
		return strconv.FormatFloat(x, 'g', 4, 64)
	}
	return strconv.FormatFloat(x, 'f', decimals, 64)
}

func signed(x float64) string {
	if x >= 0 {
		return "+" + fixed(x, 2)
	}
	return fixed(x, 2)
}

// short returns a number with at most three significant digits.
func short(x float64) string {
	if !finite(x) {
		return notKnown
	}
	return screen.Figure(x)
}

// percentage returns a percentage with two decimals, which accuracies differ in.
func percentage(x float64) string { return fixed(x, 2) + "%" }

// listed joins words as in "a, b and c".
func listed(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}
