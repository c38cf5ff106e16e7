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

const maxClass = 1 << 10 // bytes of a class attribute that are read

// attributes adds the style of the current tag to s and its links to the message. It returns the text that the element
// itself shows.
func (d *Decoder) attributes(name []byte, s *css.Style, e *element, h *htmlState) (shown []byte) {
	for _, given := range d.current.Attributes {
		v := given.Value
		switch string(given.Name) {
		case "hidden", "popover":
			s.Set(css.DisplayNone, true)
		case "dir":
			s.Set(css.RightToLeft, ascii.EqualFold(v, "rtl"))
		case "bgcolor":
			s.Background = css.ParseColour(v)
		case "color":
			if string(name) == "font" {
				s.Text = css.ParseColour(v)
			}
		case "text":
			if string(name) == "body" {
				s.Text = css.ParseColour(v)
			}
		case "link":
			if string(name) == "body" {
				h.link = css.ParseColour(v)
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
				d.addFrame(v)
			}
		case "srcset":
			d.addSourceSet(v)
		case "background":
			s.Background = css.UnknownColour
			d.addLink(LinkOther, v)
		case "action", "cite", "data", "formaction", "href", "xlink:href", "poster", "src":
			d.attributeLink(name, string(bytes.TrimPrefix(given.Name, []byte("xlink:"))), v, s, h)
		}
	}
	switch string(name) {
	case "meta":
		if ascii.EqualFold(d.value("http-equiv"), "refresh") {
			d.addRefresh(d.value("content"))
		}
	case "input":
		switch kind := d.value("type"); {
		case showsValue(kind):
			if shown = d.value("value"); len(shown) == 0 {
				shown = d.value("placeholder")
			}
		case ascii.EqualFold(kind, "password"):
			shown = d.value("placeholder")
		}
	case "textarea":
		shown = d.value("placeholder")
	}
	class, declarations := d.value("class"), d.value("style")
	d.current.Name, d.current.Class, d.current.ID = name, class[:min(len(class), maxClass)], d.value("id")
	d.sheets.Match(&d.current, len(h.page.open))
	d.cssLinks(declarations)
	d.sheets.Apply(s, declarations)
	return shown
}

// value returns the value of an attribute of the current tag, nil if there is none.
func (d *Decoder) value(name string) []byte {
	value, _ := d.current.Value(name)
	return value
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

// showAttribute adds text from an attribute to the visible or the hidden text. It labels an image or a button, so the colour
// and size of text do not hide it.
func (d *Decoder) showAttribute(text []byte, e *element, h *htmlState) {
	if len(text) == 0 {
		return
	}
	d.reverseTo(h, 0)
	to := &d.arena
	if e.appearance.Removed != 0 || e.appearance.Invisible {
		to = &d.hidden
	}
	*to = append(*to, ' ')
	*to = append(*to, text...)
	*to = append(*to, ' ')
}

// attributeLink adds the link in an attribute to the message.
func (d *Decoder) attributeLink(name []byte, key string, value []byte, s *css.Style, h *htmlState) {
	switch string(name) {
	case "a", "area":
		if key != "href" {
			return
		}
		s.Text = h.link // the default colour of links
		d.endAnchor(h)
		if d.addLink(LinkAnchor, value) && string(name) == "a" {
			h.anchor, h.anchorStart = len(d.msg.Links)-1, len(d.arena)
		}
	case "form", "button":
		d.addLink(LinkForm, value)
	case "img", "image":
		d.addLink(LinkImage, value)
	case "input":
		kind := LinkImage
		if key == "formaction" {
			kind = LinkForm
		}
		d.addLink(kind, value)
	case "base":
		if key == "href" && d.addLink(LinkOther, value) && h.base == nil {
			h.base = d.msg.Links[len(d.msg.Links)-1].URL
		}
	case "audio", "bgsound", "blockquote", "body", "embed", "frame", "iframe", "link", "object", "source", "table", "td", "th", "tr", "track", "use", "video":
		d.addLink(LinkOther, value)
	default:
		if !bytes.HasPrefix(name, []byte("v:")) { // VML, which Outlook shows
			return
		}
		kind := LinkImage
		if key == "href" {
			kind = LinkAnchor
		}
		d.addLink(kind, value)
	}
}

// endAnchor sets the text of the open anchor.
func (d *Decoder) endAnchor(h *htmlState) {
	if h.anchor < 0 {
		return
	}
	d.reverseTo(h, 0)
	start := len(d.links)
	for word := range bytes.FieldsSeq(d.arena[h.anchorStart:]) {
		if len(d.links) > start {
			d.links = append(d.links, ' ')
		}
		d.links = append(d.links, word[:min(len(word), maxLinkText+1)]...)
		if len(d.links)-start > maxLinkText {
			break
		}
	}
	text := d.links[start:len(d.links):len(d.links)]
	if len(text) > maxLinkText {
		text = cutRunes(text, maxLinkText)
	}
	d.msg.Links[h.anchor].Text = text
	h.anchor = -1
}

const maxLinkText = 256

// addSourceSet adds the links of a srcset: "a.png 1x, b.png 2x". A comma ends a link only before a blank or after a
// descriptor.
func (d *Decoder) addSourceSet(value []byte) {
	for len(value) > 0 {
		value = bytes.TrimLeft(value, ", \t\r\n\f")
		url := value
		if end := bytes.IndexAny(value, " \t\r\n\f"); end >= 0 {
			url = value[:end]
		}
		value = value[len(url):]
		last := bytes.TrimRight(url, ",")
		d.addLink(LinkImage, last)
		if len(last) == len(url) { // a descriptor follows
			_, value, _ = bytes.Cut(value, []byte(","))
		}
	}
}

// addRefresh adds the link of a page that redirects: "0; url=http://...". As in browsers, a blank may replace the semicolon,
// and "url=" may be missing (html-links.eml).
func (d *Decoder) addRefresh(content []byte) {
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
	d.addLink(LinkOther, url)
}

const blanks = " \t\r\n\f"
