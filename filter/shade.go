package filter

import (
	"bytes"
	"slices"
	"strings"
)

// ShadedText is a text of a message with what its words add to the score.
type ShadedText struct {
	// Title is the name of a header field, or what part of the message it is.
	Title string `json:"title"`
	// Stretches are the whole text, cut at the words that terms were made of.
	Stretches []Stretch `json:"stretches"`
}

// Stretch is a piece of text. Its contribution is that of all terms that were made of it; a term that is in a message
// several times is counted at each of its words.
type Stretch struct {
	Text         string   `json:"text"`
	Contribution float64  `json:"contribution,omitempty"`
	Terms        []string `json:"terms,omitempty"`
}

// Texts returns the header fields that terms were made of, and the texts of the parts, visible and hidden, word by word.
func (e Explanation) Texts() []ShadedText {
	m := e.Look.Message
	var all []ShadedText
	fields := make(map[string]bool) // tags of terms that are from header fields
	for _, f := range m.Header {
		fields[strings.ToLower(string(f.Name))] = true
	}
	for _, f := range m.Header {
		name := strings.ToLower(string(f.Name))
		words := e.words(func(tag string) bool { return tag == name })
		if len(words) > 0 {
			all = append(all, ShadedText{Title: string(f.Name), Stretches: words.cut(f.Value)})
		}
	}
	visible := e.words(func(tag string) bool { return !fields[tag] && tag != "hidden" })
	hidden := e.words(func(tag string) bool { return tag == "hidden" })
	for _, part := range m.Parts {
		if len(part.Text) > 0 {
			all = append(all, ShadedText{Title: "Text", Stretches: visible.cut(part.Text)})
		}
		if len(part.Hidden) > 0 {
			all = append(all, ShadedText{Title: "Hidden text", Stretches: hidden.cut(part.Hidden)})
		}
	}
	return all
}

// shades are words by their first byte, the longest first, with what they add.
type shades map[byte][]Stretch

// words finds the words that terms with the wanted tags were made of.
func (e Explanation) words(wanted func(tag string) bool) shades {
	byWord := make(map[string]*Stretch)
	var order []string
	for _, c := range e.Contributions {
		tag, _, tagged := strings.Cut(c.Term, ":")
		if !tagged || !wanted(tag) {
			continue
		}
		for _, word := range c.Tokens {
			if word == "" {
				continue
			}
			if byWord[word] == nil {
				byWord[word] = &Stretch{Text: word}
				order = append(order, word)
			}
			byWord[word].Contribution += c.Contribution
			byWord[word].Terms = append(byWord[word].Terms, c.Term)
		}
	}
	s := make(shades)
	for _, word := range order {
		s[word[0]] = append(s[word[0]], *byWord[word])
	}
	for _, words := range s {
		slices.SortStableFunc(words, func(x, y Stretch) int { return len(y.Text) - len(x.Text) })
	}
	return s
}

// cut cuts a text at the words: at each place the longest that stands there, where no other word goes on.
func (s shades) cut(text []byte) []Stretch {
	var all []Stretch
	plain := 0 // where the text begins that belongs to no word
	for at := 0; at < len(text); {
		word := s.at(text, at)
		if word == nil {
			at++
			continue
		}
		if plain < at {
			all = append(all, Stretch{Text: string(text[plain:at])})
		}
		all = append(all, *word)
		at += len(word.Text)
		plain = at
	}
	if plain < len(text) {
		all = append(all, Stretch{Text: string(text[plain:])})
	}
	return all
}

// at returns the word that stands at a place in the text, nil if there is none.
func (s shades) at(text []byte, at int) *Stretch {
	if at > 0 && isWordByte(text[at-1]) && isWordByte(text[at]) {
		return nil // within a word
	}
	words := s[text[at]]
	for i := range words {
		end := at + len(words[i].Text)
		if !bytes.HasPrefix(text[at:], []byte(words[i].Text)) {
			continue
		}
		if end < len(text) && isWordByte(text[end-1]) && isWordByte(text[end]) {
			continue
		}
		return &words[i]
	}
	return nil
}

// isWordByte says whether a byte may be within a word: an ASCII letter or digit. Other characters may stand side by side
// without a space, as in Chinese.
func isWordByte(c byte) bool {
	return c-'0' <= 9 || c|0x20-'a' <= 'z'-'a'
}
