package message

import "chaff/internal/css"

// maxOpenElements is how many open elements are kept. As in browsers, a deeper element replaces the last one.
const maxOpenElements = css.MaxDepth

type element struct {
	key                elementKey
	appearance         css.Appearance
	hiddenBy           Marks // why its text is hidden
	closed             bool  // it is a closed <details>: only its summary is shown
	afterFrom, afterTo int   // the text in Decoder.after that a style sheet adds after it
	afterHiddenBy      Marks // why that text is hidden
}

// elementKey is the first eight letters of a name, which are enough to tell elements apart.
type elementKey uint64

func keyOf(name []byte) (key elementKey) {
	for i, c := range name[:min(len(name), 8)] {
		key |= elementKey(c) << (8 * i)
	}
	return key
}

// appendName appends the name.
func (key elementKey) appendName(dst []byte) []byte {
	for ; key != 0; key >>= 8 {
		dst = append(dst, byte(key))
	}
	return dst
}

const (
	keyP       elementKey = 'p'
	keyTD      elementKey = 't' | 'd'<<8
	keyTH      elementKey = 't' | 'h'<<8
	keyTR      elementKey = 't' | 'r'<<8
	keyUL      elementKey = 'u' | 'l'<<8
	keyOL      elementKey = 'o' | 'l'<<8
	keyDL      elementKey = 'd' | 'l'<<8
	keyHTML    elementKey = 'h' | 't'<<8 | 'm'<<16 | 'l'<<24
	keyHead    elementKey = 'h' | 'e'<<8 | 'a'<<16 | 'd'<<24
	keyTBody   elementKey = 't' | 'b'<<8 | 'o'<<16 | 'd'<<24 | 'y'<<32
	keyTHead   elementKey = 't' | 'h'<<8 | 'e'<<16 | 'a'<<24 | 'd'<<32
	keyTFoot   elementKey = 't' | 'f'<<8 | 'o'<<16 | 'o'<<24 | 't'<<32
	keyTable   elementKey = 't' | 'a'<<8 | 'b'<<16 | 'l'<<24 | 'e'<<32
	keyCaption elementKey = 'c' | 'a'<<8 | 'p'<<16 | 't'<<24 | 'i'<<32 | 'o'<<40 | 'n'<<48
)

// page is the stack of the open elements.
//
// QUIRK: elements are closed in the reverse order of their start. In mail they are left open, or closed in any order. So an
// end tag closes all elements inside of its own, but none outside of its table cell; and a paragraph, cell, row or list item
// closes the one before it. A hidden element that is never closed thus hides at most its cell (html-hidden.eml).
type page struct {
	open []element
	base element
}

func (p *page) top() *element {
	if len(p.open) == 0 {
		return &p.base
	}
	return &p.open[len(p.open)-1]
}

// child returns a new element inside of the innermost open one.
func (p *page) child(name []byte) element {
	parent := p.top()
	e := element{key: keyOf(name), appearance: parent.appearance, hiddenBy: parent.hiddenBy}
	if parent.closed {
		if string(name) != "summary" {
			e.appearance.Removed |= css.ByStyle
		}
		e.hiddenBy = marksOf(e.appearance.Reasons())
	}
	return e
}

func (p *page) push(e element) {
	if len(p.open) == maxOpenElements {
		p.open = p.open[:maxOpenElements-1]
	}
	p.open = append(p.open, e)
}

// implied closes the elements that a start tag closes implicitly.
func (p *page) implied(name []byte, has traits) {
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
func (p *page) end(name []byte) {
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
func (p *page) close(key elementKey, borders ...elementKey) {
	for i := len(p.open) - 1; i >= 0; i-- {
		if p.open[i].key == key {
			p.open = p.open[:i]
			return
		}
		for _, border := range borders {
			if p.open[i].key == border {
				return
			}
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
