package tokenize

import (
	"chaff/internal/headerfield"
	"chaff/message"
)

// Grams calls emit with the header and with the head of the text, whose 4-grams of bytes are features of models on evidence. The options limit
// both. Each header field is `NAME: VALUE`, as decoded, and LF, so line ends in the message do not matter. The bytes are valid until emit
// returns.
//
// Source: G. V. Cormack, University of Waterloo Participation in the TREC 2007 Spam Track: 4-grams of bytes as features of a linear filter.
func (t *Tokenizer) Grams(m *message.Message, emit func(text []byte)) {
	if !t.options.Grams {
		return
	}
	t.gramText = t.gramText[:0]
	for _, f := range m.Header {
		rule := t.rules.ofField(f)
		if len(t.gramText) >= t.options.GramHeaderBytes || !rule.grams {
			continue
		}
		value := f.Value
		if rule.prose {
			value = headerfield.WithoutTags(value)
		}
		t.gramText = append(append(t.gramText, f.Name...), ": "...)
		t.gramText = append(append(t.gramText, value...), '\n')
	}
	emit(t.gramText[:min(len(t.gramText), t.options.GramHeaderBytes)])
	t.gramText = t.gramText[:0]
	for i := range m.Parts {
		text := m.Parts[i].Text
		t.gramText = append(t.gramText, text[:min(len(text), t.options.GramTextBytes-len(t.gramText))]...)
	}
	emit(t.gramText)
}
