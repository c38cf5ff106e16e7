package report

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"chaff/internal/screen"
)

// Text is a text of a message, cut into stretches.
type Text struct {
	Title     string // the name of a header field, or a description of the part of the message
	Stretches []Stretch
}

// Stretch is a piece of text with its contribution to the score; 0 if no term comes from it. Terms names its terms.
type Stretch struct {
	Text  string
	Score float64
	Terms string
}

// Weighed is a term of a message with its weight and contribution.
type Weighed struct {
	Term, Words          string  // the term, and the words that it stands for
	Score, Weight, Value float64 // Score is Value times Weight
	Messages             int     // training messages that have the term
}

// Vote is the contribution of a kind of evidence, or the bias.
type Vote struct {
	Evidence string
	Score    float64
}

const (
	maxText = 200_000 // bytes
	shades  = 9
)

type shadedText struct {
	Title     string
	Stretches []stretch
}

type stretch struct{ Text, Class, Terms string }

// shadedTexts shades each stretch by its score relative to the strongest.
func (p Evidence) shadedTexts() []shadedText {
	var strongest float64
	for _, t := range p.Texts {
		for _, s := range t.Stretches {
			if finite(s.Score) {
				strongest = max(strongest, math.Abs(s.Score))
			}
		}
	}
	left := maxText
	var all []shadedText
	for _, t := range p.Texts {
		shown := shadedText{Title: clean(t.Title, maxName)}
		for i, s := range t.Stretches {
			if left <= 0 {
				break
			}
			if i == 0 {
				s.Text = strings.TrimLeft(s.Text, "\r\n")
			}
			if i == len(t.Stretches)-1 {
				s.Text = strings.TrimRight(s.Text, "\r\n")
			}
			written := cleanText(s.Text, left)
			left -= len(written)
			piece := stretch{Text: written, Class: shadeClass(s.Score, strongest)}
			if s.Terms != "" {
				piece.Terms = signed(s.Score) + " " + clean(s.Terms, maxSubject)
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

func (p Evidence) legend() []stretch {
	if p.For == "" || p.Against == "" {
		return nil
	}
	return []stretch{
		{Text: clean(p.For, maxName), Class: shadeClass(1, 2)},
		{Text: clean(p.Against, maxName), Class: shadeClass(-1, 2)},
	}
}

func (p Page) weighedTable() []table {
	all := tabulate("", p.Weighed, nil, []column[Weighed]{
		{"term", prose, func(w Weighed) string { return clean(w.Term, maxTerm) }},
		{"adds", number, func(w Weighed) string { return signed(w.Score) }},
		{"weight", number, func(w Weighed) string { return fixed(w.Weight, 4) }},
		{"value", number, func(w Weighed) string { return fixed(w.Value, 4) }},
		{"messages", number, func(w Weighed) string {
			if w.Messages == 0 { // runs of bytes, which are not counted
				return "-"
			}
			return screen.Grouped(w.Messages)
		}},
		{"made of", prose, func(w Weighed) string { return clean(w.Words, maxTerm) }},
	})
	for i, w := range p.Weighed {
		cells := all[0].Rows[i].Cells
		if adds := slices.IndexFunc(cells, func(c cell) bool { return c.Kind == number }); adds >= 0 {
			cells[adds].Kind += kind(" " + p.evidenceClass(w.Score))
		}
	}
	return all
}
