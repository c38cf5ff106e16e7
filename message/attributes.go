package message

import (
	"bytes"
	"slices"
	"strings"

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
	name := string(p.name)
	for _, given := range p.attributes {
		v := given.value
		switch key := string(bytes.TrimPrefix(given.name, []byte("xlink:"))); key {
		case "hidden", "popover":
			s.Set(css.Display, 1)
		case "bgcolor":
			s.Set(css.Background, float32(css.ParseColour(v)))
		case "color", "text":
			if name == "font" && key == "color" || name == "body" && key == "text" {
				s.Set(css.TextColour, float32(css.ParseColour(v)))
			}
		case "link":
			if name == "body" {
				p.linkColour = css.ParseColour(v)
			}
		case "alt": // is seen when images are off
			if slices.Contains([]string{"img", "image", "input", "area", "object", "embed"}, name) {
				shown = v
			}
		case "label":
			if name == "option" || name == "optgroup" {
				shown = v
			}
		case "srcdoc": // a copy is read after the page, so that nested frames need no stack
			if name == "iframe" {
				p.found.frames = append(p.found.frames, frame{content: bytes.Clone(v)})
			}
		case "srcset":
			p.addSourceSet(v)
		case "background":
			s.Set(css.Picture, 1)
			p.links.addLink(LinkOther, v)
		case "action", "cite", "data", "formaction", "href", "poster", "src":
			p.attributeLink(name, key, v, s)
		}
	}
	switch name {
	case "meta":
		if ascii.EqualFold(p.value("http-equiv"), "refresh") {
			p.addRefresh(p.value("content"))
		}
	case "input":
		valueless := []string{"hidden", "checkbox", "radio", "image", "password", "file", "color", "range"} // unknown types are text fields
		kind := p.value("type")
		switch {
		case ascii.EqualFold(kind, "password"):
			shown = p.value("placeholder")
		case !slices.ContainsFunc(valueless, func(other string) bool { return ascii.EqualFold(kind, other) }):
			if shown = p.value("value"); len(shown) == 0 {
				shown = p.value("placeholder")
			}
		}
	case "textarea":
		shown = p.value("placeholder")
	}
	return shown
}

// linkKinds is what the links in attributes of elements are for.
var linkKinds = map[string]LinkKind{
	"a": LinkAnchor, "area": LinkAnchor, "form": LinkForm, "button": LinkForm, "img": LinkImage, "image": LinkImage, "input": LinkImage,
	"audio": LinkOther, "base": LinkOther, "bgsound": LinkOther, "blockquote": LinkOther, "body": LinkOther, "embed": LinkOther,
	"frame": LinkOther, "iframe": LinkOther, "link": LinkOther, "object": LinkOther, "source": LinkOther, "table": LinkOther, "td": LinkOther,
	"th": LinkOther, "tr": LinkOther, "track": LinkOther, "use": LinkOther, "video": LinkOther,
}

// attributeLink adds the link in an attribute of an element to the message.
func (p *page) attributeLink(name, key string, value []byte, s *css.Style) {
	kind, isKnown := linkKinds[name]
	switch isLink := kind == LinkAnchor || name == "base"; {
	case isLink && key != "href", !isKnown && !strings.HasPrefix(name, "v:"):
		return
	case !isKnown: // VML, which Outlook shows
		if kind = LinkImage; key == "href" {
			kind = LinkAnchor
		}
	case kind == LinkAnchor:
		s.Set(css.TextColour, float32(p.linkColour)) // the default colour of links
		p.endAnchor()
	case key == "formaction":
		kind = LinkForm
	}
	isAdded := p.links.addLink(kind, value)
	switch last := len(p.links.all) - 1; {
	case isAdded && name == "a":
		p.anchor = anchor{true, last, len(p.text)}
	case isAdded && name == "base" && p.base == nil:
		p.base = p.links.all[last].URL
	}
}

// endAnchor sets the text of the open anchor.
func (p *page) endAnchor() {
	if !p.anchor.isOpen {
		return
	}
	p.reversals.to(0, p.text)
	l := p.links
	start := len(l.bytes)
	for word := range bytes.FieldsSeq(p.text[p.anchor.start:]) {
		l.bytes = append(append(l.bytes, word[:min(len(word), maxLinkText+1)]...), ' ')
		if len(l.bytes)-start > maxLinkText+1 {
			break
		}
	}
	text := bytes.TrimSuffix(l.bytes[start:], []byte(" "))
	l.all[p.anchor.link].Text = cutRunes(text, maxLinkText)
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
	after := bytes.TrimLeft(bytes.TrimLeft(content, blanks), "0123456789.")
	url := bytes.TrimLeft(after, blanks)
	if len(url) == len(after) && !bytes.HasPrefix(url, []byte(";")) && !bytes.HasPrefix(url, []byte(",")) {
		return
	}
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
