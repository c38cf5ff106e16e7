package tokenize

import (
	"bytes"
	"strconv"
	"unicode/utf8"

	"chaff/internal/ascii"
	"chaff/internal/weburl"
	"chaff/message"
)

// structure says which terms describe how a header field is written.
type structure uint8

const (
	noStructure    structure = iota
	plainField               // order, value and shape
	orderOnly                // order
	mediaField               // order, and the parameters of a media type
	messageIDField           // order, shape and domain
	dateField                // order, shape and zone
	receivedField            // the shape of the hop; its order depends on the route
	relationField            // whether its domain is that of From
)

const (
	maxWhole   = 80  // bytes of a value that is a term as a whole
	maxShaped  = 160 // bytes of a value that its shape covers
	maxOutline = 8   // parts that an outline covers
	noField    = "^" // stands for what is before the first field
)

// structure emits how the header and the parts of a message are written, which identifies the program that wrote it:
//
//	order:DATE>FROM            two neighbouring fields, with their names as written
//	value:NAME:VALUE           the value of a field that is neither text nor addresses
//	shape:NAME:SHAPE           its shape, see appendShape; also of Message-ID, Date and boundaries
//	mime:TYPE;PARAMETERS       Content-Type as written: the type, and the names of its parameters in order
//	mime:charset=VALUE         a parameter as written
//	message-id:@DOMAIN         the domain of the message id; with @. the registered domain
//	zone:ZONE                  what follows the time in Date
//	step:SHAPE                 a Received field: its keywords, and the shapes of the words between them
//	same:NAME:yes  same:NAME:no  missing:NAME
//	                           whether the registered domain of a field is that of From
//	outline:TYPE,TYPE          the types of the parts
func (t *Tokenizer) structure(m *message.Message) {
	before := []byte(noField)
	for _, f := range m.Header {
		rule := t.ruleOf(f.Name, f.Value)
		if rule.structure == noStructure || rule.structure == relationField {
			continue
		}
		if rule.structure != receivedField {
			t.made = append(append(append(append(t.made[:0], "order:"...), before...), '>'), f.Name...)
			t.put(t.made, nil)
			before = f.Name
		}
		value := f.Value
		switch rule.structure {
		case plainField:
			if len(value) <= maxWhole {
				t.made = append(append(t.made[:0], "value:"...), rule.tag...)
				t.put(append(t.made, value...), nil)
			}
			t.shapeOf(rule.tag, value, false)
		case mediaField:
			t.media(value)
		case messageIDField:
			local, domain := value, []byte(nil)
			if at := bytes.LastIndexByte(value, '@'); at >= 0 {
				local, domain = value[:at], value[at+1:]
			}
			t.shapeOf(rule.tag, local, true)
			t.shapeOf(rule.tag, value, false)
			t.host(weburl.Name, "message-id:@", "message-id:@.", ascii.Before(domain, "> \t;,"), false)
		case dateField:
			t.shapeOf(rule.tag, value, true)
			_, zone, _ := bytes.Cut(value[max(bytes.LastIndexByte(value, ':'), 0):], []byte(" "))
			if len(zone) > 0 && len(zone) <= maxWhole {
				t.putTagged("zone:", zone, nil)
			}
		case receivedField:
			t.hop(value)
		}
	}
	t.relations(m)
	if len(m.Parts) == 0 {
		return
	}
	t.made = append(t.made[:0], "outline:"...)
	for i := range m.Parts[:min(len(m.Parts), maxOutline)] {
		if i > 0 {
			t.made = append(t.made, ',')
		}
		t.made = append(t.made, m.Parts[i].Type...)
	}
	t.put(t.made, nil)
}

// shapeOf emits the shape of a value, with or without the lengths of its runs.
func (t *Tokenizer) shapeOf(tag string, value []byte, lengths bool) {
	t.made = append(append(t.made[:0], "shape:"...), tag...)
	t.made = appendShape(t.made, value[:min(len(value), maxShaped)], lengths)
	t.put(t.made, nil)
}

// appendShape appends the shape of a text. A run of digits is 9, of upper-case letters A, of lower-case letters a and of non-ASCII bytes u,
// each with its length, or with + if it is longer than 1. Other characters are themselves.
func appendShape(dst, text []byte, lengths bool) []byte {
	for i := 0; i < len(text); {
		kind := shapes[text[i]]
		end := i + 1
		for kind != 0 && end < len(text) && shapes[text[end]] == kind {
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

// shapes has the symbol for a run of each byte, 0 for a byte that is itself.
var shapes = func() (symbols [256]byte) {
	for c, kind := range kindOf {
		switch {
		case c >= utf8.RuneSelf:
			symbols[c] = 'u'
		case kind == digit:
			symbols[c] = '9'
		case kind == alpha:
			symbols[c] = 'A' | byte(c)&0x20
		}
	}
	return symbols
}()

// media emits how Content-Type is written.
func (t *Tokenizer) media(value []byte) {
	if len(bytes.Trim(value, "; ")) == 0 {
		return
	}
	media, rest, _ := bytes.Cut(value, []byte(";"))
	whole := append([]byte("mime:"), message.CutRunes(bytes.TrimSpace(media), maxWhole)...)
	for len(rest) > 0 && len(whole) < maxShaped {
		var parameter []byte
		parameter, rest, _ = bytes.Cut(rest, []byte(";"))
		name, given, _ := bytes.Cut(bytes.TrimSpace(parameter), []byte("="))
		name = message.CutRunes(name, maxWhole)
		whole = append(append(whole, ';'), name...)
		switch {
		case bytes.EqualFold(name, []byte("boundary")):
			t.shapeOf("boundary:", given, true)
			t.shapeOf("boundary:", given, false)
		case len(given) <= maxWhole:
			t.made = append(append(append(t.made[:0], "mime:"...), name...), '=')
			t.put(append(t.made, given...), nil)
		}
	}
	t.putTagged("", whole, nil)
}

// hop emits the shape of a Received field up to its date, in which only keywords are themselves.
func (t *Tokenizer) hop(value []byte) {
	if len(value) == 0 {
		return
	}
	value = value[:min(len(value), 2*maxShaped)]
	t.made = append(t.made[:0], "step:"...)
	var lower [16]byte // longer than any keyword
	for separator := ""; len(value) > 0; separator = " " {
		word := value[:ascii.Blank.Index(value)]
		value = ascii.Blank.TrimLeft(value[len(word):])
		t.made = append(t.made, separator...)
		has := func(c byte) bool { return bytes.IndexByte(word, c) >= 0 }
		switch string(ascii.AppendLower(lower[:0], word, len(lower))) {
		case "from", "by", "with", "for", "id", "via", "smtp", "esmtp", "esmtps", "esmtpa", "esmtpsa", "http", "local", "helo",
			"ehlo", "envelope-from", "unknown", "invoked", "(helo", "(envelope-from": // clauses and protocols (RFC 5321, section 4.4), and what stands for a name
			t.made = append(t.made, word...)
		default:
			switch {
			case has('@'):
				t.made = append(t.made, "address"...)
			case has('.') && !has('[') && !has('(') && !has(':'):
				t.made = append(t.made, "host"...)
			default:
				t.made = appendShape(t.made, word, false)
			}
		}
		if bytes.HasSuffix(word, []byte(";")) { // the date follows
			break
		}
	}
	t.put(t.made, nil)
}

// relations emits which fields have the registered domain of From, and which fields are missing.
func (t *Tokenizer) relations(m *message.Message) {
	from := t.domainOf(m.Get("from"))
	if from == 0 || t.ruleOf([]byte("from"), nil).structure == noStructure {
		return
	}
	for _, name := range [...]string{"message-id", "reply-to", "to", "return-path"} {
		switch value := m.Get(name); {
		case t.ruleOf([]byte(name), nil).structure == noStructure:
		case len(value) == 0:
			if name != "return-path" { // some servers do not write it
				t.putTagged("missing:"+name, nil, nil)
			}
		case t.domainOf(value) == from:
			t.putTagged("same:"+name+":yes", nil, nil)
		default:
			t.putTagged("same:"+name+":no", nil, nil)
		}
	}
}

// domainOf returns a hash of the registered domain of the last address in the value of a field, or 0.
func (t *Tokenizer) domainOf(value []byte) uint64 {
	at := bytes.LastIndexByte(value, '@')
	if at < 0 {
		return 0
	}
	host := bytes.TrimRight(ascii.Before(value[at+1:], "> \t;,()\""), ".")
	if len(host) == 0 || len(host) > maxHost {
		return 0
	}
	return t.registered(host)
}
