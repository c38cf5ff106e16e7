package message

import "bytes"

// property is something that CSS and attributes say of an element, and that decides whether its text is seen.
type property uint8

const (
	gone        property = iota // display: none
	unseen                      // visibility: hidden
	noHeight                    // height: 0 or next to it
	noMaxHeight                 // max-height
	noWidth                     // width
	noMaxWidth                  // max-width
	clipped                     // overflow: hidden
	cutOff                      // clip: rect(0, 0, 0, 0)
	cutOut                      // clip-path, of a shape without room
	placed                      // position: absolute or fixed
	moved                       // position: anything but static
	farLeft                     // left: far outside of the page
	farUp                       // top: the same
	indented                    // text-indent: the same
	pushedOut                   // text-indent: out of a box that cuts off
	marginLeft                  // margin-left: far outside
	marginTop                   // margin-top: the same
	shrunk                      // transform: to nothing, or seen from its edge
	carriedOff                  // transform: far outside
	scaledAway                  // scale: 0
	turnedAway                  // rotate: seen from its edge
	slidAway                    // translate: far outside
	contentGone                 // content-visibility: hidden
	below                       // z-index: less than 0
	layered                     // z-index: a number
	leftward                    // direction: rtl
	ordered                     // unicode-bidi: in the order that direction says, whatever the letters
	properties                  // how many there are
)

// share is a percentage and one more; 0 if nothing is said of it.
type share uint8

func shareOf(n float64) share { return share(min(max(n, 0), 1)*100) + 1 }

func (s share) times(n float32) float32 {
	if s == 0 {
		return n
	}
	return n * float32(s-1) / 100
}

// fontSize is a size in pixels, or how many times that of the element around it.
type fontSize struct {
	n          float32
	isSet      bool
	isRelative bool
}

// style is what CSS and attributes say of one element, as far as it decides whether its text is seen.
type style struct {
	said    uint32 // a bit for each property of which something is said
	holds   uint32 // and for each of those that holds
	opacity share
	filter  share // opacity by a filter
	size    fontSize
	text    colour
	fill    colour // of the letters, in place of that of text
	ground  colour // of the background
}

// set sets whether a property holds.
func (s *style) set(p property, holds bool) {
	s.said |= 1 << p
	s.holds &^= 1 << p
	if holds {
		s.holds |= 1 << p
	}
}

func (s *style) is(p property) bool   { return s.holds>>p&1 != 0 }
func (s *style) says(p property) bool { return s.said>>p&1 != 0 }

func newStyle() style { return style{text: unsetColour, fill: unsetColour, ground: unsetColour} }

// plainStyle is that of an element to which "all: initial" applies.
func plainStyle() style {
	s := style{opacity: shareOf(1), filter: shareOf(1), size: fontSize{normalSize, true, false}, text: black, fill: currentColour,
		ground: transparentColour}
	s.said = 1<<properties - 1
	return s
}

// override lets what other says count in place of what was said before.
func (s *style) override(other *style) {
	s.said, s.holds = s.said|other.said, s.holds&^other.said|other.holds
	if other.opacity != 0 {
		s.opacity = other.opacity
	}
	if other.filter != 0 {
		s.filter = other.filter
	}
	if other.size.isSet {
		s.size = other.size
	}
	if other.text != unsetColour {
		s.text = other.text
	}
	if other.fill != unsetColour {
		s.fill = other.fill
	}
	if other.ground != unsetColour {
		s.ground = other.ground
	}
}

// uncertain returns the colours of s as unknown, and nothing else of it: for elements of which nobody knows whether they
// are meant.
func (s style) uncertain() style {
	maybe := newStyle()
	if s.text != unsetColour {
		maybe.text = unknownColour
	}
	if s.fill != unsetColour {
		maybe.fill = unknownColour
	}
	if s.ground != unsetColour {
		maybe.ground = unknownColour
	}
	return maybe
}

// declared is what a list of declarations says: as it is, and with !important.
type declared struct {
	normal, important style
	isImportant       bool // something is
}

func newDeclared() declared { return declared{normal: newStyle(), important: newStyle()} }

const (
	normalSize   = 16   // pixels of a font of which nothing is said
	tinyFont     = 1.65 // or less cannot be read: a tenth of that
	tinyBox      = 1.34 // pixels, which are a point; a box of this size or less has no room for text
	faintOpacity = 0.1  // or less cannot be read
	farOutside   = -500 // pixels or percent are off the screen
)

// declare takes up one declaration of CSS, "property: value"; both are in lower case and without blanks around them.
// Properties that do not matter here are passed over, and so are values that browsers do not know.
func (d *Decoder) declare(s *style, property, value []byte) {
	switch string(property) {
	case "display":
		if isDisplay(value) {
			s.set(gone, string(value) == "none")
		}
	case "visibility":
		switch string(value) {
		case "hidden", "collapse", "visible", "initial":
			s.set(unseen, value[0] == 'h' || value[0] == 'c')
		}
	case "opacity":
		setShare(&s.opacity, value)
	case "filter", "-webkit-filter":
		d.filter(s, value)
	case "font-size":
		setFontSize(&s.size, value)
	case "font":
		for len(value) > 0 {
			var word []byte
			word, value, _ = bytes.Cut(value, []byte(" "))
			size, _, _ := bytes.Cut(word, []byte("/"))
			if n, _, ok := number(size); ok && n >= 100 && isAll(size, "0123456789") {
				continue // the weight
			}
			setFontSize(&s.size, size)
		}
	case "height", "block-size":
		s.setNoRoom(noHeight, value)
	case "max-height", "max-block-size":
		s.setNoRoom(noMaxHeight, value)
	case "width", "inline-size":
		s.setNoRoom(noWidth, value)
	case "max-width", "max-inline-size":
		s.setNoRoom(noMaxWidth, value)
	case "overflow", "overflow-x", "overflow-y":
		first, _, _ := bytes.Cut(value, []byte(" "))
		switch string(first) {
		case "hidden", "clip", "auto", "scroll", "overlay", "visible", "initial":
			s.set(clipped, first[0] != 'v' && first[0] != 'i')
		}
	case "clip":
		s.set(cutOff, noRectangle(value))
	case "clip-path", "-webkit-clip-path":
		s.set(cutOut, noShape(value))
	case "position":
		switch string(value) {
		case "absolute", "fixed", "relative", "sticky", "-webkit-sticky", "static", "initial":
			s.set(placed, value[0] == 'a' || value[0] == 'f')
			s.set(moved, string(value) != "static" && value[0] != 'i')
		}
	case "left", "inset-inline-start":
		s.setFar(farLeft, value)
	case "top", "inset-block-start":
		s.setFar(farUp, value)
	case "inset":
		s.setSides(farUp, farLeft, value)
	case "text-indent":
		s.setFar(indented, value)
		if m, ok := size(value); ok {
			s.set(pushedOut, m.share >= 100 || m.pixels >= -2*farOutside)
		}
	case "margin-left", "margin-inline-start":
		s.setFar(marginLeft, value)
	case "margin-top", "margin-block-start":
		s.setFar(marginTop, value)
	case "margin":
		s.setSides(marginTop, marginLeft, value)
	case "transform", "-webkit-transform", "-ms-transform", "scale", "rotate", "translate":
		s.transform(property, value)
	case "content-visibility":
		s.set(contentGone, string(value) == "hidden")
	case "z-index":
		n, unit, ok := number(value)
		s.set(below, ok && n < 0 && len(unit) == 0)
		s.set(layered, ok)
	case "direction":
		if string(value) == "rtl" || string(value) == "ltr" {
			s.set(leftward, value[0] == 'r')
		}
	case "unicode-bidi":
		s.set(ordered, bytes.HasSuffix(value, []byte("-override")))
	case "color":
		d.setColour(&s.text, value)
	case "-webkit-text-fill-color":
		d.setColour(&s.fill, value)
	case "background-color":
		if s.ground != unknownColour { // a picture is before it
			d.setColour(&s.ground, value)
		}
	case "background", "background-image":
		d.background(s, value)
	case "all":
		switch string(value) {
		case "initial":
			*s = plainStyle()
		case "unset", "revert": // what is inherited by itself still is
			*s = plainStyle()
			s.text, s.fill, s.size, s.said = unsetColour, unsetColour, fontSize{}, s.said&^(1<<unseen)
		}
	}
}

const (
	maxProperty = 24  // bytes of the name of a property
	maxValue    = 200 // bytes of a value
)

// declarations takes up a list of declarations, as in a style attribute.
func (d *Decoder) declarations(to *declared, list []byte) {
	list = d.withoutCSSComments(list)
	for len(list) > 0 {
		end := cssEnd(list, atSemicolon)
		d.declaration(to, list[:end])
		list = list[min(end+1, len(list)):]
	}
}

// declaration takes up "property: value".
func (d *Decoder) declaration(to *declared, written []byte) {
	colon := bytes.IndexByte(written, ':')
	if colon < 0 {
		return
	}
	name, value := trimCSS(written[:colon]), trimCSS(written[colon+1:])
	if bytes.HasPrefix(name, []byte("--")) {
		d.setVariable(name, value)
		return
	}
	const longestEscape = len(`\000000 `)
	if len(name) > maxProperty && (bytes.IndexByte(name, '\\') < 0 || len(name) > longestEscape*maxProperty) {
		return
	}
	var property [maxProperty]byte
	name = appendCSSLower(property[:0], name, maxProperty)
	if len(value) == 0 {
		return
	}
	value = appendCSSLower(d.lowered[:0], value, maxValue)
	if bytes.IndexByte(value, '(') >= 0 && bytes.Contains(value, []byte("var(")) {
		value = d.withVariables(value)
	}
	s := &to.normal
	if mark := bytes.LastIndexByte(value, '!'); mark >= 0 {
		if string(trimCSS(value[mark+1:])) != "important" {
			return
		}
		s, to.isImportant = &to.important, true
		value = trimCSS(value[:mark])
	}
	if len(value) > 0 {
		d.declare(s, name, value)
	}
}
