package filter

import (
	"slices"
	"strings"

	"chaff/internal/ascii"
	"chaff/message"
)

// HighlightedText is a text of a message, divided into spans.
type HighlightedText struct {
	// Title is the name of a header field or of a part of the message.
	Title string
	Spans []Span
}

// Span is a piece of text: a word that terms were made of, or the text between two such words.
type Span struct {
	Text string
	// Contribution is the sum of the contributions of Terms. A term that a message has several times counts at each of its words.
	Contribution float64
	Terms        []string
}

// Limits of highlighted text.
const (
	maxHighlightedText  = 200_000 // bytes, of all texts
	maxHighlightedWords = 20_000
	maxHighlightedWord  = 128 // bytes
	maxWordTerms        = 10  // terms of a word
)

// Texts returns the header fields that terms were made of and the visible and hidden texts of the parts, with their words highlighted. It
// also returns the number of bytes that it omitted because the texts are long.
func (e Explanation) Texts() (all []HighlightedText, omitted int) {
	m := e.View.Message
	isField := make(map[string]bool) // by tag
	for _, f := range m.Header {
		isField[strings.ToLower(string(f.Name))] = true
	}
	const text, hidden = "text", "hidden"
	words := make(map[string]*highlighter) // by field, text or hidden
	for _, c := range e.Contributions {
		tag, _, _ := strings.Cut(c.Term, ":")
		if !isField[tag] && tag != hidden {
			tag = text
		}
		for _, word := range c.Tokens {
			if word == "" || len(word) > maxHighlightedWord {
				continue
			}
			if words[tag] == nil {
				words[tag] = &highlighter{words: make(map[string]*Span)}
			}
			words[tag].add(word, c)
		}
	}
	l := limit{bytes: maxHighlightedText, words: maxHighlightedWords}
	for _, f := range m.Header {
		if h := words[strings.ToLower(string(f.Name))]; h != nil {
			all = l.appendText(all, string(f.Name), f.Value, h)
		}
	}
	for _, part := range m.Parts {
		all = l.appendText(all, "Text", part.Text, words[text])
		all = l.appendText(all, "Hidden text", part.Hidden, words[hidden])
	}
	return all, l.omitted
}

// highlighter finds words in texts. A nil highlighter has no words.
type highlighter struct {
	words   map[string]*Span
	lengths [256][]int // of the words, by first byte, in descending order
}

func (h *highlighter) add(word string, c Contribution) {
	span := h.words[word]
	if span == nil {
		span = &Span{Text: word}
		h.words[word] = span
		lengths := &h.lengths[word[0]]
		if at, known := slices.BinarySearchFunc(*lengths, len(word), func(x, y int) int { return y - x }); !known {
			*lengths = slices.Insert(*lengths, at, len(word))
		}
	}
	span.Contribution += c.Contribution
	if len(span.Terms) < maxWordTerms {
		span.Terms = append(span.Terms, c.Term)
	}
}

// limit is what may still be shown.
type limit struct{ bytes, words, omitted int }

// appendText appends a text divided at the words of h: at each offset the longest word that ends where no other word continues.
func (l *limit) appendText(all []HighlightedText, title string, text []byte, h *highlighter) []HighlightedText {
	shown := message.CutRunes(text, l.bytes)
	var spans []Span
	plain, at := 0, 0 // shown[plain:at] belongs to no word
	flush := func() {
		if plain < at {
			spans = append(spans, Span{Text: string(shown[plain:at])})
		}
	}
	for at < len(shown) && l.words > 0 {
		word := h.at(shown, at)
		if word == nil {
			at++
			continue
		}
		flush()
		spans = append(spans, *word)
		at += len(word.Text)
		plain = at
		l.words--
	}
	flush()
	l.bytes -= at
	l.omitted += len(text) - at
	if len(spans) == 0 {
		return all
	}
	return append(all, HighlightedText{title, spans})
}

// at returns the word at an offset of the text, or nil.
func (h *highlighter) at(text []byte, at int) *Span {
	if h == nil || isInsideWord(text, at) {
		return nil
	}
	for _, length := range h.lengths[text[at]] {
		if end := at + length; end <= len(text) && !isInsideWord(text, end) {
			if word := h.words[string(text[at:end])]; word != nil {
				return word
			}
		}
	}
	return nil
}

// isInsideWord reports whether ASCII letters or digits stand on both sides of an offset. Other characters, such as Chinese ones, may form
// words without spaces.
func isInsideWord(text []byte, at int) bool {
	return at > 0 && at < len(text) && ascii.IsAlphanumeric(text[at-1]) && ascii.IsAlphanumeric(text[at])
}
