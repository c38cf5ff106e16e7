package report

import (
	"math"
	"strconv"
	"strings"
	"unicode"

	"chaff/filter"
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

const (
	maxTerms = 1000
	maxText  = 200_000 // bytes
	shades   = 9
)

type shadedText struct {
	Title     string
	Stretches []stretch
}

type stretch struct{ Text, Class, Terms string }

// shadedTexts shades each stretch of text by its contribution relative to the strongest.
func shadedTexts(texts []filter.HighlightedText) []shadedText {
	var strongest float64
	for _, t := range texts {
		for _, s := range t.Spans {
			if finite(s.Contribution) {
				strongest = max(strongest, math.Abs(s.Contribution))
			}
		}
	}
	left := maxText
	var all []shadedText
	for _, t := range texts {
		shown := shadedText{Title: clean(t.Title, maxName)}
		for i, s := range t.Spans {
			if left <= 0 {
				break
			}
			if i == 0 {
				s.Text = strings.TrimLeft(s.Text, "\r\n")
			}
			if i == len(t.Spans)-1 {
				s.Text = strings.TrimRight(s.Text, "\r\n")
			}
			written := cleanText(s.Text, left)
			left -= len(written)
			piece := stretch{Text: written, Class: shadeClass(s.Contribution, strongest)}
			if len(s.Terms) > 0 {
				piece.Terms = signed(s.Contribution) + " " + clean(strings.Join(s.Terms, ", "), maxSubject)
			}
			shown.Stretches = append(shown.Stretches, piece)
		}
		all = append(all, shown)
	}
	return all
}

// shadeClass returns the CSS class of a stretch. The square root keeps weak words visible beside strong ones.
func shadeClass(score, strongest float64) string {
	if !finite(score) || score == 0 || strongest == 0 {
		return ""
	}
	n := int(math.Ceil(shades * math.Sqrt(math.Abs(score)/strongest)))
	if score < 0 {
		return "against" + strconv.Itoa(n)
	}
	return "for" + strconv.Itoa(n)
}

// cleanText is clean for text of several lines. It keeps one of several empty lines.
func cleanText(s string, max int) string {
	var b strings.Builder
	lines := strings.Split(s, "\n")
	empty := false // the line before
	for i, line := range lines {
		line = clean(strings.TrimSuffix(line, "\r"), max)
		inner := i > 0 && i < len(lines)-1 // the first and the last may go on in the stretches beside this one
		wasEmpty := empty
		empty = inner && strings.TrimSpace(line) == ""
		if empty && wasEmpty {
			continue
		}
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(line)
	}
	return b.String()
}
