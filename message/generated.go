package message

import "bytes"

// contentIn returns the value of a declaration if its property is content, not nil then.
func contentIn(declaration []byte) (value []byte, ok bool) {
	declaration = trimCSS(declaration)
	colon := bytes.IndexByte(declaration, ':')
	if colon < 0 || !equalFold(unescapedName(declaration[:colon]), "content") {
		return nil, false
	}
	value = trimCSS(declaration[colon+1:])
	return value[:len(value):len(value)], value != nil
}

// unescapedName returns the name of a property as it is meant.
func unescapedName(name []byte) []byte {
	name = trimCSS(name)
	if bytes.IndexByte(name, '\\') < 0 {
		return name
	}
	return appendUnescaped(nil, name, maxProperty)
}

// Texts that style sheets add are kept as they are shown: after a letter 't' the length in three bytes and the text; after an
// 'a' the attribute whose value is shown.
const (
	generatedText      = 't'
	generatedAttribute = 'a'
	maxGenerated       = 1<<24 - 1
)

// addContent keeps the value of a property content.
func (s *sheets) addContent(value []byte) list {
	start := len(s.content)
	for value = trimCSS(value); len(value) > 0; value = trimCSS(value) {
		switch quote := value[0]; {
		case quote == '"' || quote == '\'':
			end := stringEnd(value, 0)
			s.content = append(s.content, generatedText, 0, 0, 0)
			at := len(s.content)
			s.content = appendUnescaped(s.content, value[1:end], maxGenerated)
			n := len(s.content) - at
			s.content[at-3], s.content[at-2], s.content[at-1] = byte(n), byte(n>>8), byte(n>>16)
			value = value[min(end+1, len(value)):]
		case quote == '/':
			return list{int32(start), int32(len(s.content))} // what follows is for those who cannot see
		default:
			end := wordEnd(value)
			if name, argument, _ := cutFunction(value[:end]); equalFold(name, "attr") {
				s.addAttribute(argument)
			}
			value = value[end:]
		}
	}
	return list{int32(start), int32(len(s.content))}
}

// addAttribute adds the value of an attribute to the content at hand.
func (s *sheets) addAttribute(argument []byte) {
	name, _ := cutAt(argument, ',')
	start := len(s.names)
	s.names = appendCSSLower(s.names, name, maxIdentifier)
	if key := s.ask(s.names[start:len(s.names):len(s.names)]); key != noAttribute {
		s.content = append(s.content, generatedAttribute, byte(key))
	}
}

// wordEnd returns where the word or function ends that css starts with.
func wordEnd(css []byte) int {
	depth := 0
	for i, c := range css {
		switch {
		case c == '(':
			depth++
		case c == ')':
			depth--
		case depth <= 0 && i > 0 && (isIn(c, htmlBlanks) || c == '"' || c == '\''):
			return i
		}
	}
	return len(css)
}

// generated appends the text that a rule adds to an element, whose attributes are in d.given, to dst. In all it comes to no
// more than the HTML itself: a rule is short, and may be for each of a million elements.
func (d *Decoder) generated(dst []byte, content list, h *htmlState) []byte {
	start := len(dst)
	written := d.sheets.content[content.from:content.to]
	for len(written) > 0 {
		var text []byte
		if written[0] == generatedAttribute {
			text, _ = d.value(attribute(written[1]))
			written = written[2:]
		} else {
			n := int(written[1]) | int(written[2])<<8 | int(written[3])<<16
			text = written[4 : 4+n]
			written = written[4+n:]
		}
		if h.generable -= len(text); h.generable < 0 {
			d.msg.Repairs.add(CutStyles)
			return dst[:start]
		}
		dst = append(dst, text...)
	}
	return dst
}

// addTexts adds the text that style sheets show before an element which starts, and keeps what they show after it.
func (d *Decoder) addTexts(e *element, h *htmlState) {
	before, why := d.textOf(beforeIt, e, h)
	if len(before) > 0 {
		d.place(before, why, e.look.turns, h)
	}
	after, why := d.textOf(afterIt, e, h)
	if len(after) > 0 {
		start := len(d.after)
		d.after = append(d.after, after...)
		e.after, e.whyAfter = list{int32(start), int32(len(d.after))}, why
	}
}

// textOf returns the text that style sheets add to an element, and why it is not seen.
func (d *Decoder) textOf(what target, e *element, h *htmlState) (text []byte, why Marks) {
	content := list{}
	for _, m := range d.matches {
		if r := &d.sheets.rules[m.rule]; m.what == what && r.hasContent && !m.maybe {
			content = r.content
		}
	}
	if content.from == content.to {
		return nil, 0
	}
	s := newStyle()
	own := newDeclared()
	d.cascade(&s, what, &own)
	d.added = d.generated(d.added[:0], content, h)
	return d.added, e.look.inside(&s).hidden()
}

// place adds text that style sheets show to what is seen, or to what is hidden.
func (d *Decoder) place(text []byte, why Marks, turns uint8, h *htmlState) {
	if why != 0 {
		d.hide(text, why, h)
		return
	}
	d.turn(h, turns)
	d.arena = append(d.arena, text...)
}

// closed adds the texts behind the elements that are no longer open; before is how many were.
func (d *Decoder) closed(h *htmlState, before int) {
	if len(d.after) == 0 {
		return
	}
	for i := before - 1; i >= len(h.page.open); i-- {
		if e := &h.page.open[:before][i]; e.after.from < e.after.to {
			d.place(d.after[e.after.from:e.after.to], e.whyAfter, e.look.turns, h)
		}
	}
}
