package message

import (
	"slices"

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
type elementKey uint64

func keyOf[T string | []byte](name T) (key elementKey) {
	for i := range min(len(name), 8) {
		key |= elementKey(name[i]) << (8 * i)
	}
	return key
}

var (
	keyP, keyTD, keyTH, keyTR, keyUL, keyOL      = keyOf("p"), keyOf("td"), keyOf("th"), keyOf("tr"), keyOf("ul"), keyOf("ol")
	keyDL, keySVG, keyHead, keyTable, keyCaption = keyOf("dl"), keyOf("svg"), keyOf("head"), keyOf("table"), keyOf("caption")
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
)

// traitsOf returns the traits of an element. An unknown element has none; it may stand inside of a word.
func traitsOf(name []byte) traits {
	switch string(name) {
	case "address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details", "dialog", "dir", "div", "dl",
		"dt", "fieldset", "figcaption", "figure", "footer", "foreignobject", "form", "frameset", "h1", "h2", "h3", "h4", "h5", "h6", "head",
		"header", "html", "legend", "li", "listing", "main", "menu", "nav", "noframes", "ol", "p", "plaintext", "pre",
		"section", "summary", "table", "tbody", "td", "text", "tfoot", "th", "thead", "title", "tr", "ul", "xmp":
		return separate
	case "button", "iframe", "map", "marquee", "object", "optgroup", "option", "select", "template", "textarea", "video":
		return separate | inParagraph
	case "area", "br", "embed", "frame", "hr", "img", "input", "isindex":
		return separate | void
	case "base", "basefont", "bgsound", "col", "image", "link", "meta", "param", "source", "track", "wbr":
		return void
	case "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "blink", "cite", "code", "data", "del", "dfn", "em", "font", "i",
		"ilayer", "ins", "kbd", "label", "layer", "mark", "nobr", "nolayer", "noscript", "output", "picture", "q", "rb", "rp",
		"rt", "ruby", "s", "samp", "small", "span", "strike", "strong", "sub", "sup", "svg", "time", "tspan", "tt", "u", "var":
		return inline
	}
	return 0
}
