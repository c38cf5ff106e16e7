package tokenize

import (
	"chaff/message"
)

// Grams calls emit with the header and with the beginning of the text, as far as the options say: models on evidence look at each four
// neighbouring bytes of them. The header is its fields as they are decoded, `NAME: VALUE` and a line end, so that a message has the same
// runs however its lines end. The bytes are valid until emit returns.
//
// Source: G. V. Cormack, University of Waterloo Participation in the TREC 2007 Spam Track, for runs of four bytes of a
// message as the features of a linear filter.
func (t *Tokenizer) Grams(m *message.Message, emit func(text []byte)) {
	if !t.options.Grams {
		return
	}
	t.runs = t.runs[:0]
	for _, f := range m.Header {
		if len(t.runs) < t.options.GramHeaderBytes && t.rules.of(f.Name).grams {
			t.runs = append(append(t.runs, f.Name...), ": "...)
			t.runs = append(append(t.runs, f.Value...), '\n')
		}
	}
	emit(t.runs[:min(len(t.runs), t.options.GramHeaderBytes)])
	t.runs = t.runs[:0]
	for i := range m.Parts {
		text := m.Parts[i].Text
		t.runs = append(t.runs, text[:min(len(text), t.options.GramTextBytes-len(t.runs))]...)
	}
	emit(t.runs)
}
