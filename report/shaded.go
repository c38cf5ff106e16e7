package report

import (
	"math"
	"strconv"
	"strings"

	"chaff/filter"
	"chaff/internal/screen"
)

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

func (p Page) weighedTable(shown []filter.Contribution) table {
	t := table{Head: []cell{{"term", prose}, {"adds", number}, {"weight", number}, {"value", number}, {"messages", number}, {"made of", prose}}}
	for i, w := range shown {
		messages := "-" // of runs of bytes, which are not counted
		if w.Messages > 0 {
			messages = screen.Grouped(int(w.Messages))
		}
		t.row(clean(w.Term, maxTerm), signed(w.Contribution), fixed(w.Weight, 4), fixed(w.Value, 4), messages, clean(strings.Join(w.Tokens, " "), maxTerm))
		t.Rows[i][1].Kind += kind(" " + p.evidenceClass(w.Contribution))
	}
	return t
}
