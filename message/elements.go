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
	has       traits
	look      css.Appearance
	hiddenBy  Marks // why its text is hidden
	reversals uint8 // how often the order of its letters is reversed
	closed    bool  // it is a closed <details>: only its summary is shown
	isApart   bool  // it stands apart from the text around it
	isForeign bool  // it is one of SVG or MathML
	met       css.Steps
}

// elementKey is the first eight letters of a name, which are enough to tell elements apart. All headings have one, since each ends each other.
type elementKey [8]byte

func keyOf(name []byte) (key elementKey) {
	if len(name) == 2 && name[0] == 'h' && '1' <= name[1] && name[1] <= '6' {
		name = name[:1]
	}
	copy(key[:], name)
	return key
}

// stack is the stack of the open elements.
//
// QUIRK: elements are closed in the reverse order of their start. In mail they are left open, or closed in any order. What is around a text then
// decides whether it is seen, so they are closed by the rules by which browsers make a tree (HTML, 13.2.6). But nothing is moved or opened again:
// <b> ends with a block around it (html-hidden.eml).
type stack struct {
	open    []element
	base    element
	hasForm bool // a form was not ended, so that another one does not count
}

// around returns the element that one with those traits, or text, is in. Browsers show before a table what is in none of its cells.
func (p *stack) around(has traits) *element {
	n := len(p.open)
	if n > 0 && p.open[n-1].has&tableOrRow != 0 && has&part == 0 {
		n, _ = p.find(elementKey{}, isTable)
	}
	if n <= 0 {
		return &p.base
	}
	return &p.open[n-1]
}

// child returns a new element.
func (p *stack) child(name []byte, has traits) element {
	parent := p.around(has)
	e := element{key: keyOf(name), has: has, look: parent.look, hiddenBy: parent.hiddenBy, reversals: parent.reversals, met: parent.met}
	e.isApart = has&separate != 0
	if parent.closed && string(name) == "summary" { // it is seen as what is around the details
		around := &p.base
		if n := len(p.open); n > 1 {
			around = &p.open[n-2]
		}
		e.look, e.hiddenBy = around.look, around.hiddenBy
	}
	e.isForeign = string(name) == "svg" || string(name) == "math" || parent.isForeign && parent.has&border == 0
	if e.isForeign && slices.Contains(htmlWithin, string(name)) {
		e.has |= special | container | border
	}
	return e
}

// find returns the index of the innermost element with that key or one of those traits, -1 if there is none, and whether it has that key.
func (p *stack) find(key elementKey, any traits) (index int, hasKey bool) {
	for i := len(p.open) - 1; i >= 0; i-- {
		if e := &p.open[i]; e.key == key || e.has&any != 0 {
			return i, e.key == key
		}
	}
	return -1, false
}

// close closes the innermost element with that key and all elements inside of it, unless one with those traits is in between.
func (p *stack) close(key elementKey, borders traits) {
	if i, hasKey := p.find(key, borders); hasKey {
		p.open = p.open[:i]
	}
}

// htmlWithin are the elements of SVG and MathML whose content is HTML, besides foreignObject.
var htmlWithin = []string{"desc", "mi", "mn", "mo", "ms", "mtext", "title"}

// breakouts are the elements whose start tags end SVG and MathML around them, as the end tags of p and br do.
var breakouts = strings.Fields("b big blockquote body br center code dd div dl dt em embed font h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta nobr " +
	"ol p pre ruby s small span strike strong sub sup table tt u ul var")

// implied closes the elements that a start tag closes implicitly. It reports whether the tag counts, other than for its links.
func (p *stack) implied(name []byte, has traits, hasAttributes bool) bool {
	if p.around(0).isForeign && slices.Contains(breakouts, string(name)) {
		p.endForeign()
	}
	if has&block != 0 {
		p.close(elementKey{'p'}, scope)
	}
	switch key := keyOf(name); string(name) {
	case "head", "frame", "frameset":
		return false
	case "html", "body":
		_, isOpen := p.find(key, 0)
		return hasAttributes && !isOpen
	case "form":
		hadForm := p.hasForm
		p.hasForm = true
		return !hadForm && p.around(0) == p.around(part)
	case "a", "nobr":
		p.endFormatting(key)
	case "button":
		p.close(key, scope)
	case "select", "input":
		p.close(elementKey{'s', 'e', 'l', 'e', 'c', 't'}, scope)
	case "li":
		p.close(key, container)
	case "dd", "dt":
		p.close(elementKey{'d', 'd'}, container)
		p.close(elementKey{'d', 't'}, container)
	case "rp", "rt":
		p.close(elementKey{'r', 'p'}, special)
	case "h1", "h2", "h3", "h4", "h5", "h6", "option":
		p.close(key, ^traits(0)) // that is, nothing in between
	case "table":
		if i, _ := p.find(elementKey{}, scope); i >= 0 && p.open[i].has&isTable != 0 { // and in no cell of it
			p.open = p.open[:i]
		}
	}
	if has&part != 0 {
		i, _ := p.find(elementKey{}, (has&part-1)&tableOrRow)
		if i >= 0 {
			p.open = p.open[:i+1]
		}
		return i >= 0
	}
	return true
}

// endForeign ends SVG and MathML around what is read next, unless that is HTML within them.
func (p *stack) endForeign() {
	for n := len(p.open); n > 0 && p.open[n-1].isForeign && p.open[n-1].has&border == 0; n-- {
		p.open = p.open[:n-1]
	}
}

// end closes an element by its end tag.
func (p *stack) end(name []byte, has traits) {
	key := keyOf(name)
	for i := len(p.open) - 1; i >= 0 && p.open[i].isForeign; i-- {
		if p.open[i].key == key {
			p.open = p.open[:i]
			return
		}
	}
	switch {
	case string(name) == "html", string(name) == "body": // what follows them is shown as if it came before
	case has&(part|isTable) != 0:
		p.close(key, isTable)
	case has&formatting != 0:
		p.endFormatting(key)
	case has&special != 0:
		p.close(key, scope)
	default:
		p.close(key, special)
	}
	p.hasForm = p.hasForm && string(name) != "form"
}

// endFormatting ends a formatting element. The blocks in it stay open, unless it may be why their text is hidden.
func (p *stack) endFormatting(key elementKey) {
	i, isOpen := p.find(key, scope)
	if !isOpen {
		return
	}
	around := p.base.hiddenBy
	if i > 0 {
		around = p.open[i-1].hiddenBy
	}
	block, _ := p.find(elementKey{}, special)
	reasons := p.around(0).hiddenBy &^ around
	ofBlocks := reasons &^ (p.open[i].hiddenBy | 1<<HiddenText | 1<<HiddenByColour)
	if block > i && (reasons == 0 || ofBlocks != 0) {
		p.open = slices.Delete(p.open, i, i+1)
	} else {
		p.open = p.open[:i]
	}
}

// traits is what matters about an element.
type traits uint16

const (
	separate   traits = 1 << iota // its tags separate words, as those of a paragraph do
	void                          // it has no content and no end tag
	inline                        // it may stand inside of a word, as <b> does
	ownLook                       // browsers hide or reorder its content by default
	unknown                       // HTML has no such element, so it may stand inside of a word
	block                         // its start tag ends a paragraph
	formatting                    // its end tag ends it even if a block is open in it
	special                       // the end tags of other inline elements end nothing outside of it
	container                     // nor does the next item of a list
	border                        // nor does any end tag but those of tables
	isTable                       // each part of a table is in one of those before it
	isOther                       // but none is in this one, such as a caption
	isRows
	isRow
	isCell
)

const (
	scope      = border | isTable
	tableOrRow = isTable | isRows | isRow
	part       = isOther | isRows | isRow | isCell
)

// traitsOf returns the traits of an element. One with a namespace, as office programs write them, is known and has none.
func traitsOf(name []byte) traits {
	const apart = separate | special | container
	switch string(name) {
	case "address", "div", "p":
		return separate | block | special
	case "article", "aside", "blockquote", "center", "dd", "dir", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3",
		"h4", "h5", "h6", "header", "li", "listing", "main", "menu", "nav", "ol", "plaintext", "pre", "section", "summary", "ul", "xmp":
		return apart | block
	case "details", "dialog":
		return apart | block | ownLook
	case "noframes":
		return apart | ownLook
	case "body", "button", "frameset", "head", "html", "iframe", "select", "textarea", "title":
		return apart
	case "applet", "foreignobject", "marquee", "object":
		return apart | border
	case "template":
		return apart | border | ownLook
	case "table":
		return apart | block | isTable
	case "tbody", "tfoot", "thead":
		return apart | isRows
	case "tr":
		return apart | isRow
	case "td", "th":
		return apart | border | isCell
	case "caption":
		return apart | border | isOther
	case "col", "colgroup":
		return void | isOther
	case "legend", "map", "optgroup", "option", "text":
		return separate
	case "video":
		return separate | ownLook
	case "hr":
		return separate | void | block
	case "area", "br", "embed", "frame", "img", "input":
		return separate | void
	case "base", "basefont", "bgsound", "image", "keygen", "link", "meta", "param", "source", "track", "wbr":
		return void
	case "a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u":
		return inline | formatting
	case "abbr", "acronym", "bdi", "blink", "cite", "data", "del", "dfn", "ilayer", "ins", "kbd", "label", "layer", "mark", "nolayer", "noscript",
		"output", "picture", "q", "rb", "rt", "ruby", "samp", "span", "sub", "sup", "svg", "time", "tspan", "var":
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
		"label", "dir", "open", "popover", "shadowrootmode":
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
		p.anchor = anchor{isOpen: true, link: last, start: len(p.text)}
	case isAdded && name == "base" && p.base == nil:
		p.base = p.out.msg.Links[last].URL
	}
}

// endAnchor sets the text of the open anchor.
func (p *page) endAnchor() {
	const maxLinkText = 256
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
	if p.anchor.isOpen = false; len(p.text) > p.anchor.start {
		p.anchor.end = len(p.text)
	}
}

// addSourceSet adds the links of a srcset: "a.png 1x, b.png 2x". A comma ends a link only before a blank or after a
// descriptor.
func (p *page) addSourceSet(value []byte) {
	for len(value) > 0 {
		value = bytes.TrimLeft(value, ", \t\r\n\f")
		url := value[:ascii.Space.Index(value)]
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
	if len(url) > 0 && (url[0] == ';' || url[0] == ',') {
		url = ascii.Space.TrimLeft(url[1:])
	} else if len(url) == len(after) {
		return
	}
	if name, value, ok := bytes.Cut(url, []byte("=")); ok && ascii.EqualFold(bytes.TrimSpace(name), "url") {
		url = ascii.Space.TrimLeft(value)
	}
	if len(url) > 0 && (url[0] == '"' || url[0] == '\'') {
		url, _, _ = bytes.Cut(url[1:], url[:1])
	}
	p.out.addLink(LinkOther, url)
}
