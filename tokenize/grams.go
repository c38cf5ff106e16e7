package tokenize

import (
	"bytes"

	"chaff/internal/ascii"
	"chaff/internal/headerfield"
	"chaff/message"
)

// Grams calls emit with the header and with the head of the text, whose 4-grams of bytes are features of models on evidence. The options limit
// both. Each header field is `NAME: VALUE`, as decoded, and LF, so line ends in the message do not matter. The bytes are valid until emit
// returns.
//
// What the receiving side wrote is left out, since it is in all mail of a mailbox: fields of trace and authentication by their names, uncommon
// fields above the first Received, and all of a Received but who handed the message over.
//
// Source: G. V. Cormack, University of Waterloo Participation in the TREC 2007 Spam Track: 4-grams of bytes as features of a linear filter.
func (t *Tokenizer) Grams(m *message.Message, emit func(text []byte)) {
	if !t.options.Grams {
		return
	}
	t.gramText = t.gramText[:0]
	var receiver uint64 // the registered domain of the server that wrote the first Received
	isAbove := len(m.Get("received")) > 0
	for _, f := range m.Header {
		if len(t.gramText) >= t.options.GramHeaderBytes {
			break
		}
		rule, value := t.rules.ofField(f), f.Value
		if ascii.EqualFold(f.Name, "received") {
			isAbove = false
			if value, receiver = t.hosts.handedOver(value, receiver); value == nil {
				continue
			}
		}
		if !rule.grams || isAbove && rule.checked {
			continue
		}
		if rule.reading == readProse {
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

// handedOver returns the beginning of a Received, which says from whom a message came, as the server saw it. It is nil if the server that wrote
// the field, or the receiver, handed the message over to itself. The second result is the receiver, which is 0 above the first Received.
func (t *hosts) handedOver(value []byte, receiver uint64) (from []byte, _ uint64) {
	from, rest, _ := bytes.Cut(value, []byte(" by "))
	if after, isBy := bytes.CutPrefix(value, []byte("by ")); isBy {
		from, rest = nil, after
	}
	domainAt := func(text []byte) uint64 { return t.registered(beforeAny(text[:min(len(text), maxHost)], " \t;(")) }
	by := domainAt(rest)
	if receiver == 0 {
		receiver = by
	}
	if host, ok := bytes.CutPrefix(from, []byte("from ")); ok {
		_, seen, _ := bytes.Cut(host, []byte("("))
		if seen = beforeAny(seen, " [)"); bytes.IndexByte(seen, '.') > 0 && !isDigit(seen[0]) {
			host = seen // the name of the address, and not what the client said
		}
		if domain := domainAt(host); domain == by || domain == receiver {
			return nil, receiver
		}
	}
	return from, receiver
}
