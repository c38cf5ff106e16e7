package filter

import (
	"slices"
	"strings"
	"unicode/utf8"
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

// What is shown of a message has limits, whatever it is full of. Of a long text the head says what there is to see.
const (
	maxShadedText  = 200_000 // bytes, of all texts
	maxShadedWords = 20_000
	maxShadedWord  = 128 // bytes of a word that is looked for
	maxWordTerms   = 10  // terms that are named of a word
)

// Texts returns the header fields that terms were made of, and the texts of the parts, visible and hidden, word by word, and
// how many bytes of them are left out since it would be too much to be read.
func (e Explanation) Texts() (all []ShadedText, left int) {
	m := e.View.Message
	fields := make(map[string]bool) // tags of terms that are from header fields
	for _, f := range m.Header {
		fields[strings.ToLower(string(f.Name))] = true
	}
	const text, hidden = "text", "hidden"
	shades := e.shades(func(tag string) string {
		if fields[tag] || tag == hidden {
			return tag
		}
		return text
	})
	c := cutter{bytes: maxShadedText, words: maxShadedWords}
	for _, f := range m.Header {
		if words := shades[strings.ToLower(string(f.Name))]; words != nil {
			all = c.cut(all, string(f.Name), f.Value, words)
		}
	}
	for _, part := range m.Parts {
		all = c.cut(all, "Text", part.Text, shades[text])
		all = c.cut(all, "Hidden text", part.Hidden, shades[hidden])
	}
	return all, c.left
}

// shades are words with what they add.
type shades struct {
	words   map[string]*Stretch
	lengths [256][]int // of the words by their first byte, the longest first
}

// shades finds the words that terms were made of, by what place says of the tags of the terms.
func (e Explanation) shades(place func(tag string) string) map[string]*shades {
	all := make(map[string]*shades)
	for _, c := range e.Contributions {
		tag, _, tagged := strings.Cut(c.Term, ":")
		if !tagged {
			continue
		}
		at := place(tag)
		for _, word := range c.Tokens {
			if word == "" || len(word) > maxShadedWord {
				continue
			}
			if all[at] == nil {
				all[at] = &shades{words: make(map[string]*Stretch)}
			}
			all[at].add(word, c)
		}
	}
	for _, s := range all {
		for _, lengths := range s.lengths {
			slices.SortFunc(lengths, func(x, y int) int { return y - x })
		}
	}
	return all
}

// add adds what a term adds to a word that it was made of.
func (s *shades) add(word string, c Contribution) {
	known := s.words[word]
	if known == nil {
		known = &Stretch{Text: word}
		s.words[word] = known
		if lengths := &s.lengths[word[0]]; !slices.Contains(*lengths, len(word)) {
			*lengths = append(*lengths, len(word))
		}
	}
	known.Contribution += c.Contribution
	if len(known.Terms) < maxWordTerms {
		known.Terms = append(known.Terms, c.Term)
	}
}

// cutter cuts texts up to a limit.
type cutter struct {
	bytes, words int // that may still be shown
	left         int // bytes that are not shown
}

// cut cuts a text at the words, which may be nil: at each place the longest that stands there, where no other word goes on.
func (c *cutter) cut(all []ShadedText, title string, text []byte, s *shades) []ShadedText {
	if len(text) == 0 {
		return all
	}
	shown := text
	if len(shown) > c.bytes {
		shown = shown[:c.bytes]
		for len(shown) > 0 && !utf8.RuneStart(text[len(shown)]) {
			shown = shown[:len(shown)-1]
		}
	}
	var cut []Stretch
	plain, at := 0, 0 // plain is where the text begins that belongs to no word
	for at < len(shown) && c.words > 0 {
		word := s.at(shown, at)
		if word == nil {
			at++
			continue
		}
		if plain < at {
			cut = append(cut, Stretch{Text: string(shown[plain:at])})
		}
		cut = append(cut, *word)
		at += len(word.Text)
		plain = at
		c.words--
	}
	if plain < at {
		cut = append(cut, Stretch{Text: string(shown[plain:at])})
	}
	c.bytes -= at
	c.left += len(text) - at
	if len(cut) == 0 {
		return all
	}
	return append(all, ShadedText{Title: title, Stretches: cut})
}

// at returns the word that stands at a place in the text, nil if there is none.
func (s *shades) at(text []byte, at int) *Stretch {
	if s == nil || at > 0 && isWordByte(text[at-1]) && isWordByte(text[at]) {
		return nil // within a word
	}
	for _, length := range s.lengths[text[at]] {
		end := at + length
		if end > len(text) || end < len(text) && isWordByte(text[end-1]) && isWordByte(text[end]) {
			continue
		}
		if word := s.words[string(text[at:end])]; word != nil {
			return word
		}
	}
	return nil
}

// isWordByte says whether a byte may be within a word: an ASCII letter or digit. Other characters may stand side by side
// without a space, as in Chinese.
func isWordByte(c byte) bool {
	return c-'0' <= 9 || c|0x20-'a' <= 'z'-'a'
}
