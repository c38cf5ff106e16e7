package css

import (
	"bytes"

	"chaff/internal/ascii"
)

// piece is a piece of the text that ::before or ::after adds.
type piece struct {
	text        []byte
	isAttribute bool // the text is the value of the attribute of that name
}

// contentIn returns the value of a declaration of the property content.
func contentIn(declaration []byte) (value []byte, ok bool) {
	name, value, ok := bytes.Cut(declaration, []byte(":"))
	name = ascii.Space.Trim(name)
	if bytes.IndexByte(name, '\\') >= 0 {
		name = appendUnescaped(nil, name, maxProperty)
	}
	if !ok || !ascii.EqualFold(name, "content") {
		return nil, false
	}
	value = ascii.Space.Trim(value)
	return value[:len(value):len(value)], true
}

// addContent keeps the pieces of the value of a property content.
func (s *Sheets) addContent(value []byte) list {
	start := int32(len(s.content))
	for value = ascii.Space.Trim(value); len(value) > 0 && value[0] != '/'; value = ascii.Space.TrimLeft(value) { // "/" starts a text for screen readers
		at := len(s.names)
		if quote := value[0]; quote == '"' || quote == '\'' {
			end := stringEnd(value, 0)
			s.names = appendUnescaped(s.names, value[1:end], end)
			s.content = append(s.content, piece{text: s.names[at:len(s.names):len(s.names)]})
			value = value[min(end+1, len(value)):]
			continue
		}
		end := indexStop(value, atSpace|atQuote)
		if name, argument, _ := cutFunction(value[:end]); ascii.EqualFold(name, "attr") {
			attribute, _ := cutList(argument, atComma)
			s.names = appendLower(s.names, attribute, maxIdentifier)
			if name := s.names[at:len(s.names):len(s.names)]; s.askFor(name) {
				s.content = append(s.content, piece{name, true})
			}
		}
		value = value[end:]
	}
	return list{start, int32(len(s.content))}
}

// Text returns the text that style sheets add before or after the current element, and its style. The text is valid until the
// next call. All such texts of a page are no longer than the page itself: a short rule may be for a million elements.
func (s *Sheets) Text(t Target) (text []byte, style Style) {
	var content list
	for _, m := range s.matches {
		if r := &s.rules[m.rule]; m.target == t && r.hasContent && !m.uncertain {
			content = r.content
		}
	}
	style = NewStyle()
	if content.from == content.to {
		return nil, style
	}
	own := newDeclarations()
	s.cascade(&style, t, &own)
	s.generated = s.generated[:0]
	for _, p := range s.content[content.from:content.to] {
		text := p.text
		if p.isAttribute {
			text, _ = s.element.Value(string(text))
		}
		if s.textLeft -= len(text); s.textLeft < 0 {
			s.WasCut = true
			return nil, style
		}
		s.generated = append(s.generated, text...)
	}
	return s.generated, style
}
