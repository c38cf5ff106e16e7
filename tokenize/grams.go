package tokenize

import (
	"unicode/utf8"

	"chaff/message"
)

// grams emits each so many neighbouring characters of the subject and the text of all parts, as far as the options say.
// Source: G. V. Cormack, University of Waterloo Participation in the TREC 2007 Spam Track, which takes bytes; characters
// are the same for English, and text in every language.
func (t *Tokenizer) grams(m *message.Message) {
	if t.options.Grams == 0 {
		return
	}
	t.late = true
	left := t.gramsOf(m.Get("subject"), t.options.GramBytes)
	for i := range m.Parts {
		left = t.gramsOf(m.Parts[i].Text, left)
	}
	t.late = false
}

// gramsOf emits the grams of the first bytes of a text, and returns how many bytes are left for the next one.
func (t *Tokenizer) gramsOf(text []byte, bytes int) (left int) {
	text = text[:min(len(text), bytes)]
	start, end := 0, 0 // of the gram
	for n := 0; end < len(text) && !t.isFull(); {
		_, size := utf8.DecodeRune(text[end:])
		end += size
		if n++; n < t.options.Grams {
			continue
		}
		t.term = append(append(t.term[:0], "gram:"...), text[start:end]...)
		t.put(t.term, nil)
		_, size = utf8.DecodeRune(text[start:])
		start += size
	}
	return bytes - len(text)
}
