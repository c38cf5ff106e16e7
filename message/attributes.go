package message

import (
	"bytes"

	"chaff/internal/ascii"
	"chaff/internal/css"
)

// isUsed reports whether an attribute of that name matters, whatever the style sheets say.
func isUsed(name []byte) bool {
	switch string(name) {
	case "style", "class", "id", "hidden", "bgcolor", "color", "text", "link", "alt", "type", "value", "http-equiv", "content", "media",
		"srcset", "background", "href", "xlink:href", "formaction", "action", "cite", "data", "poster", "src", "srcdoc", "placeholder",
		"label", "dir", "open", "popover":
		return true
	}
	return false
}

// addAttributes adds the style of the current tag to s and its links to the message. It returns the text that the element
// itself shows.
func (p *page) addAttributes(s *css.Style) (shown []byte) {
	name := p.name
	for _, given := range p.attributes {
		v := given.value
		switch string(given.name) {
		case "hidden", "popover":
			s.Set(css.Display, 1)
		case "bgcolor":
			s.Set(css.Background, float32(css.ParseColour(v)))
		case "color":
			if string(name) == "font" {
				s.Set(css.TextColour, float32(css.ParseColour(v)))
			}
		case "text":
			if string(name) == "body" {
				s.Set(css.TextColour, float32(css.ParseColour(v)))
			}
		case "link":
			if string(name) == "body" {
				p.linkColour = css.ParseColour(v)
			}
		case "alt":
			if showsAlternative(name) {
				shown = v
			}
		case "label":
			if string(name) == "option" || string(name) == "optgroup" {
				shown = v
			}
		case "srcdoc":
			if string(name) == "iframe" {
				p.addFrame(v)
			}
		case "srcset":
			p.addSourceSet(v)
		case "background":
			s.Set(css.Picture, 1)
			p.links.addLink(LinkOther, v)
		case "action", "cite", "data", "formaction", "href", "xlink:href", "poster", "src":
			p.attributeLink(string(bytes.TrimPrefix(given.name, []byte("xlink:"))), v, s)
		}
	}
	switch string(name) {
	case "meta":
		if ascii.EqualFold(p.value("http-equiv"), "refresh") {
			p.addRefresh(p.value("content"))
		}
	case "input":
		switch kind := p.value("type"); {
		case showsValue(kind):
			if shown = p.value("value"); len(shown) == 0 {
				shown = p.value("placeholder")
			}
		case ascii.EqualFold(kind, "password"):
			shown = p.value("placeholder")
		}
	case "textarea":
		shown = p.value("placeholder")
	}
	return shown
}

// showsAlternative reports whether an element shows its alternative text when images are off.
func showsAlternative(name []byte) bool {
	switch string(name) {
	case "img", "image", "input", "area", "object", "embed":
		return true
	}
	return false
}

// showsValue reports whether an input of that type shows its value. Unknown types are text fields.
func showsValue(kind []byte) bool {
	for _, other := range [...]string{"hidden", "checkbox", "radio", "image", "password", "file", "color", "range"} {
		if ascii.EqualFold(kind, other) {
			return false
		}
	}
	return true
}

// showLabel adds text from an attribute to the visible or the hidden text.
func (p *page) showLabel(text []byte, e *element) {
	if len(text) == 0 {
		return
	}
	p.reversals.to(0, p.text)
	to := &p.text
	if e.look.HiddenBy(css.Label) != 0 {
		to = &p.hidden
	}
	*to = append(*to, ' ')
	*to = append(*to, text...)
	*to = append(*to, ' ')
}

// attributeLink adds the link in an attribute to the message.
func (p *page) attributeLink(key string, value []byte, s *css.Style) {
	switch name := p.name; string(name) {
	case "a", "area":
		if key != "href" {
			return
		}
		s.Set(css.TextColour, float32(p.linkColour)) // the default colour of links
		p.endAnchor()
		if p.links.addLink(LinkAnchor, value) && string(name) == "a" {
			p.anchor = anchor{true, len(p.links.all) - 1, len(p.text)}
		}
	case "form", "button":
		p.links.addLink(LinkForm, value)
	case "img", "image":
		p.links.addLink(LinkImage, value)
	case "input":
		kind := LinkImage
		if key == "formaction" {
			kind = LinkForm
		}
		p.links.addLink(kind, value)
	case "base":
		if key == "href" && p.links.addLink(LinkOther, value) && p.base == nil {
			p.base = p.links.all[len(p.links.all)-1].URL
		}
	case "audio", "bgsound", "blockquote", "body", "embed", "frame", "iframe", "link", "object", "source", "table", "td", "th", "tr", "track", "use", "video":
		p.links.addLink(LinkOther, value)
	default:
		if !bytes.HasPrefix(name, []byte("v:")) { // VML, which Outlook shows
			return
		}
		kind := LinkImage
		if key == "href" {
			kind = LinkAnchor
		}
		p.links.addLink(kind, value)
	}
}

// endAnchor sets the text of the open anchor.
func (p *page) endAnchor() {
	if !p.anchor.isOpen {
		return
	}
	p.reversals.to(0, p.text)
	start := len(p.links.bytes)
	for word := range bytes.FieldsSeq(p.text[p.anchor.start:]) {
		if len(p.links.bytes) > start {
			p.links.bytes = append(p.links.bytes, ' ')
		}
		p.links.bytes = append(p.links.bytes, word[:min(len(word), maxLinkText+1)]...)
		if len(p.links.bytes)-start > maxLinkText {
			break
		}
	}
	text := p.links.bytes[start:len(p.links.bytes):len(p.links.bytes)]
	if len(text) > maxLinkText {
		text = cutRunes(text, maxLinkText)
	}
	p.links.all[p.anchor.link].Text = text
	p.anchor.isOpen = false
}

const maxLinkText = 256

// addSourceSet adds the links of a srcset: "a.png 1x, b.png 2x". A comma ends a link only before a blank or after a
// descriptor.
func (p *page) addSourceSet(value []byte) {
	for len(value) > 0 {
		value = bytes.TrimLeft(value, ", \t\r\n\f")
		url := value
		if end := bytes.IndexAny(value, " \t\r\n\f"); end >= 0 {
			url = value[:end]
		}
		value = value[len(url):]
		last := bytes.TrimRight(url, ",")
		p.links.addLink(LinkImage, last)
		if len(last) == len(url) { // a descriptor follows
			_, value, _ = bytes.Cut(value, []byte(","))
		}
	}
}

// addRefresh adds the link of a page that redirects: "0; url=http://...". As in browsers, a blank may replace the semicolon,
// and "url=" may be missing (html-links.eml).
func (p *page) addRefresh(content []byte) {
	url := bytes.TrimLeft(bytes.TrimLeft(content, blanks), "0123456789.")
	if len(url) == 0 || !bytes.ContainsRune([]byte(blanks+";,"), rune(url[0])) {
		return
	}
	url = bytes.TrimLeft(url, blanks)
	if len(url) > 0 && (url[0] == ';' || url[0] == ',') {
		url = bytes.TrimLeft(url[1:], blanks)
	}
	if name, value, ok := bytes.Cut(url, []byte("=")); ok && ascii.EqualFold(bytes.TrimRight(name, blanks), "url") {
		url = bytes.TrimLeft(value, blanks)
	}
	if len(url) > 0 && (url[0] == '"' || url[0] == '\'') {
		url, _, _ = bytes.Cut(url[1:], url[:1])
	}
	p.links.addLink(LinkOther, url)
}

const blanks = " \t\r\n\f"
