package message_test

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"chaff/message"
)

// wordCounts says how often each word occurs in a message.
type wordCounts map[string]int

// add counts the words of a text: three or more characters that are letters by isLetter, in lower case.
func (w wordCounts) add(text []byte, isLetter func(rune) bool) {
	if bytes.ContainsFunc(text, isInvisible) {
		text = bytes.Map(func(r rune) rune {
			if isInvisible(r) {
				return -1
			}
			return r
		}, text)
	}
	for word := range bytes.FieldsFuncSeq(text, func(r rune) bool { return !isLetter(r) }) {
		if utf8.RuneCount(word) >= 3 {
			w[strings.ToLower(string(word))]++
		}
	}
}

// total returns the number of words.
func (w wordCounts) total() (n int) {
	for _, count := range w {
		n += count
	}
	return n
}

// without returns the words that other does not have, or not as often.
func (w wordCounts) without(other wordCounts) wordCounts {
	missing := wordCounts{}
	for word, count := range w {
		if count > other[word] {
			missing[word] = count - other[word]
		}
	}
	return missing
}

// wordsOf returns all words that a decoded message holds: of its fields and of those of attached messages, of text both
// visible and hidden, and of links. Fields that describe the content do not count.
func wordsOf(m *message.Message, isLetter func(rune) bool) wordCounts {
	w := make(wordCounts, 256)
	for _, fields := range [][]message.Field{m.Header, m.Attached} {
		for _, f := range fields {
			if !describesContent(string(f.Name)) {
				w.add(f.Value, isLetter)
			}
		}
	}
	for _, p := range m.Parts {
		w.add(p.Text, isLetter)
		w.add(p.Hidden, isLetter)
	}
	for _, l := range m.Links {
		w.add(l.URL, isLetter)
	}
	return w
}

func describesContent(name string) bool {
	name = strings.ToLower(name)
	return strings.HasPrefix(name, "content-") || name == "mime-version"
}

func isASCIILetter(r rune) bool { return r < 0x80 && unicode.IsLetter(r) }

// isInvisible reports whether nobody sees a character in a word: a soft hyphen, a zero-width character, a direction mark.
func isInvisible(r rune) bool {
	switch {
	case r == 0, r == 0xad, r == 0x34f, r == 0x61c, r == 0x180e, r == 0xfeff:
		return true
	case 0x200b <= r && r <= 0x200f, 0x202a <= r && r <= 0x202e, 0x2060 <= r && r <= 0x206f:
		return true
	}
	return false
}
