package tokenize

import (
	"bytes"
	"strconv"
	"unicode/utf8"

	"chaff/message"
)

// structure is what is said of how a header field is written.
type structure uint8

const (
	noStructure    structure = iota // the field has no such terms
	plainField                      // its place, its whole value and the shape of it
	orderOnly                       // its place
	mediaField                      // its place, and the parameters of a media type
	messageIDField                  // its place, the shape of the id and its domain
	dateField                       // its place, its shape and its zone
	receivedField                   // the shape of the step; its place tells the route
	relationField                   // whether its domain is that of From
)

const (
	maxWhole   = 80  // bytes of a value that is a term as a whole
	maxShaped  = 160 // bytes of a value of which the shape is taken
	maxOutline = 8   // parts of a message that are named in a row
	noField    = "^" // stands for what is before the first field
)

// structure emits how the header and the parts of a message are written. A program writes every message in the same way,
// and the programs that send spam are few:
//
//	order:DATE>FROM            two neighbouring fields, their names as written
//	value:NAME:VALUE           a whole value of a field that is neither text nor addresses
//	shape:NAME:SHAPE           its shape, see appendShape; likewise of Message-ID, Date and boundaries
//	mime:TYPE;PARAMETERS       Content-Type as written: the type, and the names of its parameters in their order
//	mime:charset=VALUE         a parameter as written
//	message-id:@DOMAIN         the domain of the message id, and the registered one
//	zone:ZONE                  what follows the time in Date
//	step:SHAPE                 a Received field: its keywords, and the shapes of what stands between them
//	same:NAME:yes  same:NAME:no  missing:NAME
//	                           whether the registered domain of a field is that of From
//	outline:TYPE,TYPE          the types of the parts
func (t *Tokenizer) structure(m *message.Message) {
	before := append(t.before[:0], noField...)
	for _, f := range m.Header {
		rule := t.rules.of(f.Name)
		if rule.structure == noStructure || rule.structure == relationField {
			continue
		}
		if rule.structure != receivedField {
			t.term = append(append(append(append(t.term[:0], "order:"...), before...), '>'), f.Name...)
			t.put(t.term, nil)
			before = append(before[:0], f.Name...)
		}
		t.fieldStructure(rule, f.Value)
	}
	t.before = before
	t.relations(m)
	t.outline(m.Parts)
}

func (t *Tokenizer) fieldStructure(rule *fieldRule, value []byte) {
	switch rule.structure {
	case plainField:
		if len(value) <= maxWhole {
			t.term = append(append(append(t.term[:0], "value:"...), rule.tags.words...), value...)
			t.put(t.term, nil)
		}
		t.shapeOf(rule.tags.words, value, false)
	case mediaField:
		t.mediaStructure(value)
	case messageIDField:
		local, domain := value, []byte(nil)
		if at := bytes.LastIndexByte(value, '@'); at >= 0 {
			local, domain = value[:at], value[at+1:]
		}
		t.shapeOf(rule.tags.words, local, true)
		t.shapeOf(rule.tags.words, value, false)
		t.host("message-id:@", "message-id:@.", beforeAny(domain, "> \t;,"))
	case dateField:
		t.shapeOf(rule.tags.words, value, true)
		_, zone, _ := bytes.Cut(value[max(bytes.LastIndexByte(value, ':'), 0):], []byte(" "))
		if len(zone) > 0 && len(zone) <= maxWhole {
			t.term = append(append(t.term[:0], "zone:"...), zone...)
			t.put(t.term, nil)
		}
	case receivedField:
		t.step(value)
	}
}

// shapeOf emits the shape of a value, with the lengths of its runs or without.
func (t *Tokenizer) shapeOf(tag string, value []byte, lengths bool) {
	t.term = append(append(t.term[:0], "shape:"...), tag...)
	t.term = appendShape(t.term, value[:min(len(value), maxShaped)], lengths)
	t.put(t.term, nil)
}

// appendShape appends the shape of a text: a run of digits is 9, one of capital letters A, of small letters a, of
// characters beyond ASCII u, each followed by its length, or by + if it is longer than one; other characters are themselves.
func appendShape(dst, text []byte, lengths bool) []byte {
	for i := 0; i < len(text); {
		kind := shapeKind(text[i])
		end := i + 1
		for kind != 0 && end < len(text) && shapeKind(text[end]) == kind {
			end++
		}
		switch n := end - i; {
		case kind == 0:
			dst = append(dst, text[i])
		case n == 1:
			dst = append(dst, kind)
		case lengths:
			dst = strconv.AppendInt(append(dst, kind), int64(n), 10)
		default:
			dst = append(dst, kind, '+')
		}
		i = end
	}
	return dst
}

// shapeKind is what a character of a run is shown as, 0 for one that is shown as itself.
func shapeKind(c byte) byte {
	switch {
	case isDigit(c):
		return '9'
	case c >= 'a' && c <= 'z':
		return 'a'
	case c >= 'A' && c <= 'Z':
		return 'A'
	case c >= 0x80:
		return 'u'
	}
	return 0
}

// mediaStructure emits how the media type of the message is written.
func (t *Tokenizer) mediaStructure(value []byte) {
	if len(value) == 0 {
		return
	}
	media, rest, _ := bytes.Cut(value, []byte(";"))
	whole := append(append(t.second[:0], "mime:"...), upTo(bytes.TrimSpace(media), maxWhole)...)
	for len(rest) > 0 && len(whole) < maxShaped {
		var parameter []byte
		parameter, rest, _ = bytes.Cut(rest, []byte(";"))
		name, given, _ := bytes.Cut(bytes.TrimSpace(parameter), []byte("="))
		name = upTo(name, maxWhole)
		whole = append(append(whole, ';'), name...)
		switch {
		case bytes.EqualFold(name, []byte("boundary")):
			t.shapeOf("boundary:", given, true)
			t.shapeOf("boundary:", given, false)
		case len(given) <= maxWhole:
			t.term = append(append(append(append(t.term[:0], "mime:"...), name...), '='), given...)
			t.put(t.term, nil)
		}
	}
	t.second = whole
	t.put(whole, nil)
}

// upTo returns the first n bytes of a text, or fewer where a character would be cut in two.
func upTo(text []byte, n int) []byte {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}

// step emits the shape of a Received field up to its date: keywords stay, host names are host, addresses are address,
// and everything else is its shape.
func (t *Tokenizer) step(value []byte) {
	if len(value) == 0 {
		return
	}
	value = value[:min(len(value), 2*maxShaped)]
	t.term = append(t.term[:0], "step:"...)
	for separator := ""; len(value) > 0; separator = " " {
		word, has := stepWord(value)
		value = value[len(word):]
		for len(value) > 0 && (value[0] == ' ' || value[0] == '\t') {
			value = value[1:]
		}
		t.term = append(t.term, separator...)
		switch {
		case has&^hasBracket == 0 && isStepKeyword(word):
			t.term = append(t.term, word...)
		case has&hasAt != 0:
			t.term = append(t.term, "address"...)
		case has&hasDot != 0 && has&(hasBracket|hasColon) == 0:
			t.term = append(t.term, "host"...)
		default:
			t.term = appendShape(t.term, word, false)
		}
		if len(word) > 0 && word[len(word)-1] == ';' { // the date follows
			break
		}
	}
	t.put(t.term, nil)
}

// What a word of a Received field has.
const (
	hasAt = 1 << iota
	hasDot
	hasBracket
	hasColon
)

// stepWord returns the word at the start of a value, and what it has.
func stepWord(value []byte) (word []byte, has int) {
	for i, c := range value {
		switch c {
		case ' ', '\t':
			return value[:i], has
		case '@':
			has |= hasAt
		case '.':
			has |= hasDot
		case '[', '(':
			has |= hasBracket
		case ':':
			has |= hasColon
		}
	}
	return value, has
}

// isStepKeyword reports whether a word of a Received field is one of its clauses or protocols (RFC 5321, section 4.4), or one
// that programs put in place of a name.
func isStepKeyword(word []byte) bool {
	if len(word) > maxUnit {
		return false
	}
	switch string(appendLowerASCII(make([]byte, 0, maxUnit), word)) {
	case "from", "by", "with", "for", "id", "via", "smtp", "esmtp", "esmtps", "esmtpa", "esmtpsa", "http", "local", "helo",
		"ehlo", "envelope-from", "unknown", "invoked", "(helo", "(envelope-from":
		return true
	}
	return false
}

// relations emits which fields name an address of the domain that From names, and which fields are missing.
func (t *Tokenizer) relations(m *message.Message) {
	from := t.domainOf(m, "from")
	if from == 0 || t.rules.of([]byte("from")).structure == noStructure {
		return
	}
	for _, name := range [...]string{"message-id", "reply-to", "to", "return-path"} {
		if t.rules.of([]byte(name)).structure == noStructure {
			continue
		}
		other := t.domainOf(m, name)
		switch {
		case len(m.Get(name)) == 0 && name == "return-path": // a server writes it, or does not
			continue
		case len(m.Get(name)) == 0:
			t.term = append(append(t.term[:0], "missing:"...), name...)
		case other == from:
			t.term = append(append(append(t.term[:0], "same:"...), name...), ":yes"...)
		default:
			t.term = append(append(append(t.term[:0], "same:"...), name...), ":no"...)
		}
		t.put(t.term, nil)
	}
}

// domainOf returns a hash of the registered domain of the last address in a field, 0 if it has none.
func (t *Tokenizer) domainOf(m *message.Message, name string) uint64 {
	value := m.Get(name)
	at := bytes.LastIndexByte(value, '@')
	if at < 0 {
		return 0
	}
	host := bytes.TrimRight(beforeAny(value[at+1:], "> \t;,()\""), ".")
	if len(host) == 0 || len(host) > maxHost {
		return 0
	}
	return t.registered(host)
}

// outline emits the types of the parts in a row.
func (t *Tokenizer) outline(parts []message.Part) {
	if len(parts) == 0 {
		return
	}
	t.term = append(t.term[:0], "outline:"...)
	for i := range parts[:min(len(parts), maxOutline)] {
		if i > 0 {
			t.term = append(t.term, ',')
		}
		t.term = append(t.term, parts[i].Type...)
	}
	t.put(t.term, nil)
}
