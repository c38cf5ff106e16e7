package message

import (
	"bytes"
	"slices"
	"strings"

	"chaff/internal/ascii"
	"chaff/internal/css"
)

// maxOpenElements is how many open elements are kept. As in browsers, a deeper element replaces the last one. Real pages nest some
// fifty deep.
const maxOpenElements = 256

type element struct {
	key       elementKey
	look      css.Appearance
	hiddenBy  Marks // why its text is hidden
	reversals uint8 // how often the order of its letters is reversed
	closed    bool  // it is a closed <details>: only its summary is shown
	met       css.Steps
}

// elementKey is the first eight letters of a name, which are enough to tell elements apart.
type elementKey [8]byte

func keyOf(name []byte) (key elementKey) {
	copy(key[:], name)
	return key
}

var (
	keyP, keyTD, keyTH, keyTR = elementKey{'p'}, elementKey{'t', 'd'}, elementKey{'t', 'h'}, elementKey{'t', 'r'}
	keyUL, keyOL, keyDL       = elementKey{'u', 'l'}, elementKey{'o', 'l'}, elementKey{'d', 'l'}
	keySVG, keyHead           = elementKey{'s', 'v', 'g'}, elementKey{'h', 'e', 'a', 'd'}
	keyTable, keyCaption      = elementKey{'t', 'a', 'b', 'l', 'e'}, elementKey{'c', 'a', 'p', 't', 'i', 'o', 'n'}
)

// stack is the stack of the open elements.
//
// QUIRK: elements are closed in the reverse order of their start. In mail they are left open, or closed in any order. So an
// end tag closes all elements inside of its own, but none outside of its table cell; and a paragraph, cell, row or list item
// closes the one before it. A hidden element that is never closed thus hides at most its cell (html-hidden.eml).
type stack struct {
	open []element
	base element
}

func (p *stack) top() *element {
	if len(p.open) == 0 {
		return &p.base
	}
	return &p.open[len(p.open)-1]
}

// child returns a new element inside of the innermost open one.
func (p *stack) child(name []byte) element {
	parent := p.top()
	e := element{key: keyOf(name), look: parent.look, hiddenBy: parent.hiddenBy, reversals: parent.reversals, met: parent.met}
	if parent.closed && string(name) == "summary" { // it is seen as what is around the details
		around := &p.base
		if n := len(p.open); n > 1 {
			around = &p.open[n-2]
		}
		e.look, e.hiddenBy = around.look, around.hiddenBy
	}
	return e
}

// implied closes the elements that a start tag closes implicitly.
func (p *stack) implied(name []byte, has traits) {
	switch string(name) {
	case "base", "link", "meta", "noscript", "template", "title":
	default:
		if p.top().key == keyHead {
			p.open = p.open[:len(p.open)-1]
		}
	}
	switch string(name) {
	case "td", "th":
		p.close(keyTD, keyTR, keyTable, keyTH)
		p.close(keyTH, keyTR, keyTable, keyTD)
	case "tr":
		p.close(keyTR, keyTable)
	case "li", "dd", "dt", "option":
		p.close(keyOf(name), keyUL, keyOL, keyDL, keyTD, keyTH, keyTable)
	}
	if has&(separate|void|inParagraph) == separate {
		p.close(keyP, keyTD, keyTH, keyCaption, keyTable)
	}
}

// end closes an element by its end tag.
func (p *stack) end(name []byte) {
	switch key := keyOf(name); string(name) {
	case "table":
		p.close(key)
	case "td", "th", "tr", "tbody", "thead", "tfoot", "caption":
		p.close(key, keyTable)
	case "html", "body": // what follows them is shown as if it came before
	default:
		p.close(key, keyTD, keyTH, keyCaption, keyTable)
	}
}

// close closes the innermost element with that key and all elements inside of it, unless one of the borders is in between.
func (p *stack) close(key elementKey, borders ...elementKey) {
	for i := len(p.open) - 1; i >= 0; i-- {
		if p.open[i].key == key {
			p.open = p.open[:i]
			return
		}
		if slices.Contains(borders, p.open[i].key) {
			return
		}
	}
}

// traits is what matters about an element.
type traits uint8

const (
	separate    traits = 1 << iota // its tags separate words, as those of a paragraph do
	inParagraph                    // it separates words, and may stand inside of a paragraph
	void                           // it has no content and no end tag
	inline                         // it may stand inside of a word, as <b> does
	ownLook                        // browsers hide or reorder its content by default
	unknown                        // HTML has no such element, so it may stand inside of a word
)

// traitsOf returns the traits of an element. One with a namespace, as office programs write them, is known and has none.
func traitsOf(name []byte) traits {
	switch string(name) {
	case "address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "dir", "div", "dl",
		"dt", "fieldset", "figcaption", "figure", "footer", "foreignobject", "form", "frameset", "h1", "h2", "h3", "h4", "h5", "h6", "head",
		"header", "html", "legend", "li", "listing", "main", "menu", "nav", "ol", "p", "plaintext", "pre",
		"section", "summary", "table", "tbody", "td", "text", "tfoot", "th", "thead", "title", "tr", "ul", "xmp":
		return separate
	case "details", "dialog", "noframes":
		return separate | ownLook
	case "button", "iframe", "map", "marquee", "object", "optgroup", "option", "select", "textarea":
		return separate | inParagraph
	case "template", "video":
		return separate | inParagraph | ownLook
	case "area", "br", "embed", "frame", "hr", "img", "input", "isindex":
		return separate | void
	case "base", "basefont", "bgsound", "col", "image", "link", "meta", "param", "source", "track", "wbr":
		return void
	case "a", "abbr", "acronym", "b", "bdi", "big", "blink", "cite", "code", "data", "del", "dfn", "em", "font", "i",
		"ilayer", "ins", "kbd", "label", "layer", "mark", "nobr", "nolayer", "noscript", "output", "picture", "q", "rb",
		"rt", "ruby", "s", "samp", "small", "span", "strike", "strong", "sub", "sup", "svg", "time", "tspan", "tt", "u", "var":
		return inline
	case "bdo", "rp":
		return inline | ownLook
	case "datalist", "defs":
		return ownLook
	}
	if bytes.IndexByte(name, ':') < 0 {
		return unknown
	}
	return 0
}

// isUsed reports whether an attribute of that name matters, whatever the style sheets say.
func isUsed(name []byte) bool {
	switch string(name) {
	case "style", "class", "id", "hidden", "bgcolor", "color", "text", "link", "alt", "type", "value", "http-equiv", "content", "charset", "media",
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
		case "srcset":
			p.addSourceSet(v)
		case "background":
			s.Set(css.Picture, 1)
			p.out.addLink(LinkOther, v)
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
	isAdded := p.out.addLink(kind, value)
	switch last := len(p.out.msg.Links) - 1; {
	case isAdded && name == "a":
		p.anchor = anchor{true, last, len(p.text)}
	case isAdded && name == "base" && p.base == nil:
		p.base = p.out.msg.Links[last].URL
	}
}

// endAnchor sets the text of the open anchor.
func (p *page) endAnchor() {
	if !p.anchor.isOpen {
		return
	}
	p.reversals.to(0, p.text)
	to := p.out
	start := len(to.arena)
	for word := range bytes.FieldsSeq(p.text[p.anchor.start:]) {
		to.arena = append(append(to.arena, word[:min(len(word), maxLinkText+1)]...), ' ')
		if len(to.arena)-start > maxLinkText+1 {
			break
		}
	}
	text := bytes.TrimSuffix(slices.Clip(to.arena[start:]), []byte(" "))
	to.msg.Links[p.anchor.link].Text = CutRunes(text, maxLinkText)
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
		p.out.addLink(LinkImage, last)
		if len(last) == len(url) { // a descriptor follows
			_, value, _ = bytes.Cut(value, []byte(","))
		}
	}
}

// addRefresh adds the link of a page that redirects: "0; url=http://...". As in browsers, a blank may replace the semicolon,
// and "url=" may be missing (html-links.eml).
func (p *page) addRefresh(content []byte) {
	after := bytes.TrimLeft(ascii.Space.TrimLeft(content), "0123456789.")
	url := ascii.Space.TrimLeft(after)
	if len(url) == len(after) && !bytes.HasPrefix(url, []byte(";")) && !bytes.HasPrefix(url, []byte(",")) {
		return
	}
	if len(url) > 0 && (url[0] == ';' || url[0] == ',') {
		url = ascii.Space.TrimLeft(url[1:])
	}
	if name, value, ok := bytes.Cut(url, []byte("=")); ok && ascii.EqualFold(bytes.TrimSpace(name), "url") {
		url = ascii.Space.TrimLeft(value)
	}
	if len(url) > 0 && (url[0] == '"' || url[0] == '\'') {
		url, _, _ = bytes.Cut(url[1:], url[:1])
	}
	p.out.addLink(LinkOther, url)
}
