package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Text is a text of a message, cut into stretches.
type Text struct {
	// Title is the name of a header field, or says what part of the message the text is.
	Title     string
	Stretches []Stretch
}

// Stretch is a piece of text with what it adds to the score; 0 for what no term was made of. Terms names the terms that
// were made of it.
type Stretch struct {
	Text  string
	Score float64
	Terms string
}

// Weighed is a term of a message: its weight, and with it what it adds to the score.
type Weighed struct {
	// Term is the term, Words what it was made of.
	Term, Words string
	// Score is Value times Weight.
	Score, Weight, Value float64
	// Messages is the number of training messages that have the term.
	Messages int
}

// maxText is after how many characters the texts of a message are cut, all together.
const maxText = 200_000

// shades is how many shades of a colour there are.
const shades = 9

// shadedText is a text in the form that the template shows.
type shadedText struct {
	Title     string
	Stretches []stretch
}

type stretch struct {
	Text, Class, Title string
}

// shadedTexts gives each stretch a shade by its score, beside the strongest.
func (p Page) shadedTexts() []shadedText {
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
			shown.Stretches = append(shown.Stretches, stretch{Text: written, Class: shadeClass(s.Score, strongest), Title: titleOf(s)})
		}
		all = append(all, shown)
	}
	return all
}

// shadeClass is the class of a stretch: by its square root, so that weak words can be seen beside strong ones.
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

func titleOf(s Stretch) string {
	if s.Terms == "" {
		return ""
	}
	return signed(s.Score) + " " + clean(s.Terms, maxSubject)
}

// cleanText is clean for text of several lines, whose line ends are kept; of a row of empty lines only one.
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

// textNotes say what the texts show, and that there is more.
func (p Page) textNotes() string {
	if p.TextLeft == 0 {
		return textNote
	}
	return joined(textNote, fmt.Sprintf("The last %d bytes are left out.", p.TextLeft))
}

// weighedNote says what the table of terms shows, and that there are more.
func (p Page) weighedNote() string {
	const note = "What each term adds is its value times its weight."
	if p.WeighedLeft == 0 {
		return note
	}
	return joined(note, fmt.Sprintf("The weakest %d are left out.", p.WeighedLeft))
}

// legend shows the colours of the two classes.
func (p Page) legend() []stretch {
	if p.For == "" || p.Against == "" {
		return nil
	}
	return []stretch{
		{Text: clean(p.For, maxName), Class: shadeClass(1, 2)},
		{Text: clean(p.Against, maxName), Class: shadeClass(-1, 2)},
	}
}

// weighedTable lists the terms of a message, the strongest first as they are given.
func (p Page) weighedTable() []table {
	return tabulate("", p.Weighed, nil, []column[Weighed]{
		{"term", prose, func(w Weighed) string { return clean(w.Term, maxTerm) }},
		{"adds", number, func(w Weighed) string { return signed(w.Score) }},
		{"weight", number, func(w Weighed) string { return fixed(w.Weight, 4) }},
		{"value", number, func(w Weighed) string { return fixed(w.Value, 4) }},
		{"messages", number, func(w Weighed) string { return strconv.Itoa(w.Messages) }},
		{"made of", prose, func(w Weighed) string { return clean(w.Words, maxTerm) }},
	})
}
