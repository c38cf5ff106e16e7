package css

import (
	"bytes"

	"chaff/internal/ascii"
)

// attribute reads a condition on an attribute, as [name^=value].
func (p *selectorParser) attribute() bool {
	end := closing(p.rest, atBracket)
	inside := selectorParser{Sheets: p.Sheets, rest: ascii.Space.Trim(p.rest[1:end])}
	p.rest = p.rest[min(end+1, len(p.rest)):]
	name, ok := inside.identifier()
	if !ok {
		return false
	}
	c := condition{kind: hasAttribute, name: name, fold: ignoresCase(name)}
	if !p.askFor(name) {
		p.cut = true
		return false
	}
	if rest := ascii.Space.Trim(inside.rest); len(rest) > 0 {
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
			c.kind = attributeContains
		default:
			return false
		}
		if c.value, c.fold, ok = p.value(ascii.Space.Trim(value), c.fold); !ok {
			return false
		}
		if len(c.value) == 0 && c.kind != attributeIs && c.kind != attributeHasPrefixWord {
			c.kind = isNever
		}
	}
	p.add(c, specificityClass)
	return true
}

// value reads the value in a condition on an attribute, and whether case is ignored.
func (p *selectorParser) value(written []byte, fold bool) (value []byte, folded, ok bool) {
	if flag := len(written) - 1; flag > 1 && (written[flag-1] == ' ' || written[flag-1] == '"' || written[flag-1] == '\'') {
		switch written[flag] {
		case 'i', 'I':
			fold, written = true, ascii.Space.Trim(written[:flag])
		case 's', 'S':
			fold, written = false, ascii.Space.Trim(written[:flag])
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

// ignoresCase reports whether HTML ignores case in the values of an attribute.
func ignoresCase(name []byte) bool {
	switch string(name) {
	case "align", "bgcolor", "color", "dir", "face", "lang", "media", "method", "rel", "target", "type", "valign":
		return true
	}
	return false
}
