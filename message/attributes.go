package message

import (
	"bytes"

	"golang.org/x/net/html"
)

// attributes takes from the attributes of a tag its links, the texts that are shown, and its style, which is added to s.
func (d *Decoder) attributes(z *html.Tokenizer, name []byte, s *style, h *htmlState) {
	var css, class, id, kind, value, content []byte
	var isRefresh bool
	for more := true; more; {
		var key, v []byte
		key, v, more = z.TagAttr()
		switch string(key) {
		case "style":
			css = v
		case "class":
			class = v
		case "id":
			id = v
		case "hidden":
			s.gone = yes
		case "bgcolor":
			s.ground = d.colour(v)
		case "color":
			if string(name) == "font" {
				s.text = d.colour(v)
			}
		case "text":
			if string(name) == "body" {
				s.text = d.colour(v)
			}
		case "link":
			if string(name) == "body" {
				h.link = d.colour(v)
			}
		case "alt":
			if showsAlternative(name) {
				d.showAttribute(v, h)
			}
		case "type":
			kind = v
		case "value":
			value = v
		case "http-equiv":
			isRefresh = equalFold(v, "refresh")
		case "content":
			content = v
		case "srcset":
			d.addSourceSet(v)
		case "background":
			s.ground = unknownColour
			d.addLink(LinkOther, v)
		case "action", "cite", "data", "formaction", "href", "poster", "src":
			d.attributeLink(name, string(key), v, s, h)
		}
	}
	switch {
	case string(name) == "meta" && isRefresh:
		d.addRefresh(content)
	case string(name) == "input" && (equalFold(kind, "submit") || equalFold(kind, "button") || equalFold(kind, "reset")):
		d.showAttribute(value, h)
	}
	d.ruled(s, name, class, id)
	if len(css) > 0 {
		inline := newStyle()
		d.declarations(&inline, css)
		s.override(inline)
	}
}

// showsAlternative reports whether a reader sees the alternative text of an element if it has no picture.
func showsAlternative(name []byte) bool {
	switch string(name) {
	case "img", "image", "input", "area", "object", "embed":
		return true
	}
	return false
}

// showAttribute adds text from an attribute to what is seen, or hidden. It stands for a picture or button, which is seen
// whatever the colour and size of text are there.
func (d *Decoder) showAttribute(text []byte, h *htmlState) {
	if len(text) == 0 {
		return
	}
	if look := h.page.top().look; look.why != 0 || look.unseen {
		d.hide([]byte("\n"), h)
		d.hide(text, h)
		d.hide([]byte("\n"), h)
		return
	}
	d.arena = append(d.arena, ' ')
	d.arena = append(d.arena, text...)
	d.arena = append(d.arena, ' ')
}

// attributeLink keeps the link in an attribute of an element that links.
func (d *Decoder) attributeLink(name []byte, key string, value []byte, s *style, h *htmlState) {
	switch string(name) {
	case "a", "area":
		if key != "href" {
			return
		}
		s.text = h.link // links have a colour of their own
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
	case "base", "bgsound", "blockquote", "body", "embed", "frame", "iframe", "link", "object", "source", "table", "td", "th", "tr", "video":
		d.addLink(LinkOther, value)
	}
}

// endAnchor ends the text of the link that is being read.
func (d *Decoder) endAnchor(h *htmlState) {
	if h.anchor < 0 {
		return
	}
	start := len(d.links)
	for word := range bytes.FieldsSeq(d.arena[h.anchorStart:]) {
		if len(d.links) > start {
			d.links = append(d.links, ' ')
		}
		d.links = append(d.links, word[:min(len(word), maxLinkText)]...)
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

// addSourceSet keeps the links of a srcset: "a.png 1x, b.png 2x".
func (d *Decoder) addSourceSet(value []byte) {
	for candidate := range bytes.SplitSeq(value, []byte(", ")) {
		url, _, _ := bytes.Cut(bytes.TrimSpace(candidate), []byte(" "))
		d.addLink(LinkImage, url)
	}
}

// addRefresh keeps the link to which a page goes on by itself: "0; url=http://...".
func (d *Decoder) addRefresh(content []byte) {
	at := bytes.IndexByte(content, '=')
	if at < 0 || !bytes.HasSuffix(bytes.ToLower(bytes.TrimSpace(content[:at])), []byte("url")) {
		return
	}
	d.addLink(LinkOther, bytes.Trim(content[at+1:], " \t\r\n\"'"))
}
