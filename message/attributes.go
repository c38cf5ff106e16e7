package message

import "bytes"

// attribute is the name of an attribute of HTML, as far as it matters here.
type attribute uint8

const (
	noAttribute attribute = iota // any other
	attrStyle
	attrClass
	attrID
	attrHidden
	attrBgcolor
	attrColor
	attrText
	attrLink
	attrAlt
	attrType
	attrValue
	attrHTTPEquiv
	attrContent
	attrMedia
	attrSrcset
	attrBackground
	attrHref
	attrFormaction
	attrAction
	attrCite
	attrData
	attrPoster
	attrSrc
	attrSrcdoc
	attrPlaceholder
	attrLabel
	attrDir
	attrOpen
	attrPopover
	attrAsked attribute = 40 // the first that only style sheets ask for (sheets.asked)
)

// attributeOf returns the attribute of that name, in any case.
func attributeOf(name []byte) attribute {
	const maxLength = len("placeholder")
	if len(name) > maxLength {
		return noAttribute
	}
	var lower [maxLength]byte
	for i, c := range name {
		lower[i] = lowerByte(c)
	}
	switch string(lower[:len(name)]) {
	case "style":
		return attrStyle
	case "class":
		return attrClass
	case "id":
		return attrID
	case "hidden":
		return attrHidden
	case "bgcolor":
		return attrBgcolor
	case "color":
		return attrColor
	case "text":
		return attrText
	case "link":
		return attrLink
	case "alt":
		return attrAlt
	case "type":
		return attrType
	case "value":
		return attrValue
	case "http-equiv":
		return attrHTTPEquiv
	case "content":
		return attrContent
	case "media":
		return attrMedia
	case "srcset":
		return attrSrcset
	case "background":
		return attrBackground
	case "href", "xlink:href":
		return attrHref
	case "formaction":
		return attrFormaction
	case "action":
		return attrAction
	case "cite":
		return attrCite
	case "data":
		return attrData
	case "poster":
		return attrPoster
	case "src":
		return attrSrc
	case "srcdoc":
		return attrSrcdoc
	case "placeholder":
		return attrPlaceholder
	case "label":
		return attrLabel
	case "dir":
		return attrDir
	case "open":
		return attrOpen
	case "popover":
		return attrPopover
	}
	return noAttribute
}

const maxClass = 1 << 10 // bytes of a class attribute that are looked at

// attributes takes from the attributes in d.given the links and the style of a tag, which is added to s. It returns the
// text that is shown for the element itself.
func (d *Decoder) attributes(name []byte, s *style, e *element, h *htmlState) (shown []byte) {
	var css, class, id, kind, value, placeholder, content []byte
	var isRefresh bool
	for _, given := range d.given {
		v := d.unescaped(given.raw, true)
		switch given.key {
		case attrStyle:
			css = v
		case attrClass:
			class = v
		case attrID:
			id = v
		case attrHidden, attrPopover:
			s.set(gone, true)
		case attrDir:
			s.set(leftward, equalFold(v, "rtl"))
		case attrBgcolor:
			s.ground = d.colour(v)
		case attrColor:
			if string(name) == "font" {
				s.text = d.colour(v)
			}
		case attrText:
			if string(name) == "body" {
				s.text = d.colour(v)
			}
		case attrLink:
			if string(name) == "body" {
				h.link = d.colour(v)
			}
		case attrAlt:
			if showsAlternative(name) {
				shown = v
			}
		case attrType:
			kind = v
		case attrValue:
			value = v
		case attrPlaceholder:
			placeholder = v
		case attrLabel:
			if string(name) == "option" || string(name) == "optgroup" {
				shown = v
			}
		case attrSrcdoc:
			if string(name) == "iframe" {
				d.addFrame(frame{mediaType: d.typeHTML, format: formatHTML, content: v})
			}
		case attrHTTPEquiv:
			isRefresh = equalFold(v, "refresh")
		case attrContent:
			content = v
		case attrSrcset:
			d.addSourceSet(v)
		case attrBackground:
			s.ground = unknownColour
			d.addLink(LinkOther, v)
		case attrAction, attrCite, attrData, attrFormaction, attrHref, attrPoster, attrSrc:
			d.attributeLink(name, given.key, v, s, h)
		}
	}
	switch {
	case string(name) == "meta" && isRefresh:
		d.addRefresh(content)
	case string(name) == "input" && showsValue(kind):
		if shown = value; len(shown) == 0 {
			shown = placeholder
		}
	case string(name) == "input" && equalFold(kind, "password"), string(name) == "textarea":
		shown = placeholder
	}
	d.matches = d.matches[:0]
	if len(d.sheets.rules) > 0 {
		d.ruled(&subject{name: name, class: class[:min(len(class), maxClass)], id: id}, e.key, h)
	}
	if len(css) == 0 && len(d.matches) == 0 {
		return shown
	}
	own := newDeclared()
	d.cssLinks(css)
	d.declarations(&own, css)
	d.cascade(s, theElement, &own)
	return shown
}

// showsAlternative reports whether a reader sees the alternative text of an element if it has no picture.
func showsAlternative(name []byte) bool {
	switch string(name) {
	case "img", "image", "input", "area", "object", "embed":
		return true
	}
	return false
}

// showsValue reports whether a reader sees the value of an input of that kind: a button, or a field with text in it, as any
// kind is that does not exist.
func showsValue(kind []byte) bool {
	for _, other := range [...]string{"hidden", "checkbox", "radio", "image", "password", "file", "color", "range"} {
		if equalFold(kind, other) {
			return false
		}
	}
	return true
}

// showAttribute adds text from an attribute to what is seen, or to what is hidden. It stands for a picture or button,
// which is seen whatever the colour and size of text are there.
func (d *Decoder) showAttribute(text []byte, e *element, h *htmlState) {
	if len(text) == 0 {
		return
	}
	d.turn(h, 0)
	to := &d.arena
	if e.look.why != 0 || e.look.unseen {
		to = &d.hidden
	}
	*to = append(*to, ' ')
	*to = append(*to, text...)
	*to = append(*to, ' ')
}

// attributeLink keeps the link in an attribute of an element that links.
func (d *Decoder) attributeLink(name []byte, key attribute, value []byte, s *style, h *htmlState) {
	d.addData(value)
	switch string(name) {
	case "a", "area":
		if key != attrHref {
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
		if key == attrFormaction {
			kind = LinkForm
		}
		d.addLink(kind, value)
	case "base":
		if key == attrHref && d.addLink(LinkOther, value) && h.base == nil {
			h.base = d.msg.Links[len(d.msg.Links)-1].URL
		}
	case "audio", "bgsound", "blockquote", "body", "embed", "frame", "iframe", "link", "object", "source", "table", "td", "th", "tr", "track", "use", "video":
		d.addLink(LinkOther, value)
	default:
		if !bytes.HasPrefix(name, []byte("v:")) { // VML, which Outlook shows
			return
		}
		kind := LinkImage
		if key == attrHref {
			kind = LinkAnchor
		}
		d.addLink(kind, value)
	}
}

// endAnchor ends the text of the link that is being read.
func (d *Decoder) endAnchor(h *htmlState) {
	if h.anchor < 0 {
		return
	}
	d.turn(h, 0)
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

// addSourceSet keeps the links of a srcset: "a.png 1x, b.png 2x". A comma ends a link only before a blank or behind what is said
// of it.
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
		if len(last) == len(url) { // what is said of it follows
			_, value, _ = bytes.Cut(value, []byte(","))
		}
	}
}

// addRefresh keeps the link to which a page goes on by itself: "0; url=http://...". As in browsers a blank may stand for the
// semicolon, and "url=" may be missing (html-links.eml).
func (d *Decoder) addRefresh(content []byte) {
	url := bytes.TrimLeft(bytes.TrimLeft(content, blanks), "0123456789.")
	if len(url) == 0 || !bytes.ContainsRune([]byte(blanks+";,"), rune(url[0])) {
		return
	}
	url = bytes.TrimLeft(url, blanks)
	if len(url) > 0 && (url[0] == ';' || url[0] == ',') {
		url = bytes.TrimLeft(url[1:], blanks)
	}
	if name, value, ok := bytes.Cut(url, []byte("=")); ok && equalFold(bytes.TrimRight(name, blanks), "url") {
		url = bytes.TrimLeft(value, blanks)
	}
	if len(url) > 0 && (url[0] == '"' || url[0] == '\'') {
		url, _, _ = bytes.Cut(url[1:], url[:1])
	}
	d.addLink(LinkOther, url)
}

const blanks = " \t\r\n\f"
