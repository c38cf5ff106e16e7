package message

import "bytes"

// attribute reads a condition in brackets.
func (p *selectorParser) attribute() bool {
	end := bracketEnd(p.rest)
	inside := selectorParser{sheets: p.sheets, rest: trimCSS(p.rest[1:end])}
	p.rest = p.rest[min(end+1, len(p.rest)):]
	name, ok := inside.identifier()
	if !ok {
		return false
	}
	c := condition{kind: hasAttribute, key: p.ask(name), fold: isFolded(name)}
	if c.key == noAttribute {
		p.cut = true
		return false
	}
	if rest := trimCSS(inside.rest); len(rest) > 0 {
		operator, value, ok := bytes.Cut(rest, []byte("="))
		if !ok {
			return false
		}
		switch string(operator) {
		case "":
			c.kind = attributeIs
		case "~":
			c.kind = attributeHasWord
		case "|":
			c.kind = attributeHasPrefixWord
		case "^":
			c.kind = attributeHasPrefix
		case "$":
			c.kind = attributeHasSuffix
		case "*":
			c.kind = attributeHas
		default:
			return false
		}
		if c.value, c.fold, ok = p.value(trimCSS(value), c.fold); !ok {
			return false
		}
		if len(c.value) == 0 && c.kind != attributeIs && c.kind != attributeHasPrefixWord {
			c.kind = isNever
		}
	}
	p.add(c, weightClass)
	return true
}

// bracketEnd returns where the bracket that css starts with is closed, its length if nowhere.
func bracketEnd(css []byte) int {
	for i := 1; i < len(css); i++ {
		switch css[i] {
		case '\\':
			i++
		case '"', '\'':
			i = stringEnd(css, i)
		case ']':
			return i
		}
	}
	return len(css)
}

// value reads the value of a condition of an attribute, and whether capitals are the same.
func (p *selectorParser) value(written []byte, fold bool) (value []byte, folded, ok bool) {
	if flag := len(written) - 1; flag > 1 && (written[flag-1] == ' ' || written[flag-1] == '"' || written[flag-1] == '\'') {
		switch written[flag] {
		case 'i', 'I':
			fold, written = true, trimCSS(written[:flag])
		case 's', 'S':
			fold, written = false, trimCSS(written[:flag])
		}
	}
	if len(written) >= 2 && (written[0] == '"' || written[0] == '\'') {
		if written[len(written)-1] != written[0] {
			return nil, fold, false
		}
		written = written[1 : len(written)-1]
	} else if len(written) == 0 || bytes.ContainsAny(written, " \t\r\n\f\"'") {
		return nil, fold, false
	}
	if len(written) > maxIdentifier {
		p.cut = true
		return nil, fold, false
	}
	start := len(p.names)
	p.names = appendUnescaped(p.names, written, maxIdentifier)
	return p.names[start:len(p.names):len(p.names)], fold, true
}

// isFolded reports whether capitals are the same in the values of an attribute of HTML.
func isFolded(name []byte) bool {
	switch string(name) {
	case "align", "bgcolor", "color", "dir", "face", "lang", "media", "method", "rel", "target", "type", "valign":
		return true
	}
	return false
}

// ask returns the attribute of that name, so that its values are kept from here on, noAttribute if there is no room.
func (s *sheets) ask(name []byte) attribute {
	if key := attributeOf(name); key != noAttribute {
		return key
	}
	if key := s.askedFor(name); key != noAttribute {
		return key
	}
	if len(s.asked) == maxAsked {
		return noAttribute
	}
	s.asked = append(s.asked, name)
	return attrAsked + attribute(len(s.asked)-1)
}

// askedFor returns the attribute of that name, in any case, if some selector asks for it.
func (s *sheets) askedFor(name []byte) attribute {
	for i, asked := range s.asked {
		if len(asked) == len(name) && bytes.EqualFold(asked, name) {
			return attrAsked + attribute(i)
		}
	}
	return noAttribute
}
