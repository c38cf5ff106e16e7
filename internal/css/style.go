package css

import (
	"bytes"

	"chaff/internal/ascii"
)

// Property is a fact about an element that decides whether, or in which order, its text is seen.
type Property uint8

// The properties that callers may set.
const (
	DisplayNone  Property = iota // display: none
	RightToLeft                  // direction: rtl
	BidiOverride                 // unicode-bidi: bidi-override

	invisible           // visibility: hidden
	zeroHeight          // height: 0, or nearly
	zeroMaxHeight       // max-height: 0
	zeroWidth           // width: 0
	zeroMaxWidth        // max-width: 0
	overflowHidden      // overflow: hidden
	clipEmpty           // clip: rect(0, 0, 0, 0)
	clipPathEmpty       // clip-path: an empty shape
	absolute            // position: absolute or fixed
	positioned          // position: anything but static
	leftOffScreen       // left: -9999px
	topOffScreen        // top: -9999px
	indentOffScreen     // text-indent: -9999px
	indentBeyondBox     // text-indent: 100% or more
	marginLeftOffScreen // margin-left: -9999px
	marginTopOffScreen  // margin-top: -9999px
	transformInvisible  // transform: scale(0), or turned edge-on
	transformOffScreen  // transform: translate(-9999px)
	scaleZero           // scale: 0
	rotateEdgeOn        // rotate: x 90deg
	translateOffScreen  // translate: -9999px
	contentHidden       // content-visibility: hidden
	negativeZIndex      // z-index: -1
	hasZIndex           // z-index: a number
	propertyCount
)

// alpha is an opacity in percent plus one; 0 means unset.
type alpha uint8

func alphaOf(n float64) alpha { return alpha(min(max(n, 0), 1)*100) + 1 }

func (a alpha) times(n float32) float32 {
	if a == 0 {
		return n
	}
	return n * float32(a-1) / 100
}

// fontSize is a size in pixels, or a multiple of that of the parent.
type fontSize struct {
	n          float32
	isSet      bool
	isRelative bool
}

// Style is what CSS and attributes specify for one element, as far as it decides how its text is seen.
type Style struct {
	Text, Background Colour

	specified uint32 // a bit for each property that is specified
	holds     uint32 // a bit for each property that holds
	opacity   alpha
	filter    alpha // opacity by a filter
	size      fontSize
	fill      Colour // of the letters; it replaces that of the text
}

// NewStyle returns a style that specifies nothing.
func NewStyle() Style {
	return Style{Text: unsetColour, Background: unsetColour, fill: unsetColour}
}

// Set specifies whether a property holds.
func (s *Style) Set(p Property, holds bool) {
	s.specified |= 1 << p
	s.holds &^= 1 << p
	if holds {
		s.holds |= 1 << p
	}
}

func (s *Style) is(p Property) bool        { return s.holds>>p&1 != 0 }
func (s *Style) specifies(p Property) bool { return s.specified>>p&1 != 0 }

// initialStyle returns the style of "all: initial".
func initialStyle() Style {
	return Style{Text: black, Background: transparentColour, fill: currentColour, specified: 1<<propertyCount - 1,
		opacity: alphaOf(1), filter: alphaOf(1), size: fontSize{normalSize, true, false}}
}

// override replaces what s specifies by what other specifies.
func (s *Style) override(other *Style) {
	s.specified, s.holds = s.specified|other.specified, s.holds&^other.specified|other.holds
	if other.opacity != 0 {
		s.opacity = other.opacity
	}
	if other.filter != 0 {
		s.filter = other.filter
	}
	if other.size.isSet {
		s.size = other.size
	}
	for _, c := range [...]struct{ to, from *Colour }{{&s.Text, &other.Text}, {&s.fill, &other.fill}, {&s.Background, &other.Background}} {
		if *c.from != unsetColour {
			*c.to = *c.from
		}
	}
}

// uncertain returns the style of an element for which a rule may or may not be: its colours are unknown, and the rest is not
// specified.
func (s Style) uncertain() Style {
	uncertain := NewStyle()
	for _, c := range [...]struct{ to, from *Colour }{{&uncertain.Text, &s.Text}, {&uncertain.fill, &s.fill}, {&uncertain.Background, &s.Background}} {
		if *c.from != unsetColour {
			*c.to = UnknownColour
		}
	}
	return uncertain
}

// declarations is what a list of declarations specifies.
type declarations struct {
	normal, important Style
	hasImportant      bool
}

func newDeclarations() declarations {
	return declarations{normal: NewStyle(), important: NewStyle()}
}

const (
	normalSize   = 16   // pixels of a font of unspecified size
	tinyFont     = 1.65 // pixels of a font that nobody can read
	tinyBox      = 1.34 // pixels (one point) of a box without room for text
	faintOpacity = 0.1  // nobody can read text of this opacity
	farOutside   = -500 // pixels or percent that move text off the screen
)

// declareOne adds one declaration, "property: value", to style. Both are trimmed and in lower case. It ignores values that browsers do
// not know.
func (s *Sheets) declareOne(style *Style, property, value []byte) {
	switch string(property) {
	case "display":
		if isDisplay(value) {
			style.Set(DisplayNone, string(value) == "none")
		}
	case "visibility":
		switch string(value) {
		case "hidden", "collapse", "visible", "initial":
			style.Set(invisible, value[0] == 'h' || value[0] == 'c')
		}
	case "opacity":
		setAlpha(&style.opacity, value)
	case "filter", "-webkit-filter":
		setFilter(&style.filter, value)
	case "font-size":
		setFontSize(&style.size, value)
	case "font":
		for len(value) > 0 {
			var word []byte
			word, value, _ = bytes.Cut(value, []byte(" "))
			size, _, _ := bytes.Cut(word, []byte("/"))
			if n, _, ok := parseNumber(size); ok && n >= 100 && isAll(size, "0123456789") {
				continue // the weight
			}
			setFontSize(&style.size, size)
		}
	case "height", "block-size":
		style.setZero(zeroHeight, value)
	case "max-height", "max-block-size":
		style.setZero(zeroMaxHeight, value)
	case "width", "inline-size":
		style.setZero(zeroWidth, value)
	case "max-width", "max-inline-size":
		style.setZero(zeroMaxWidth, value)
	case "overflow", "overflow-x", "overflow-y":
		first, _, _ := bytes.Cut(value, []byte(" "))
		switch string(first) {
		case "hidden", "clip", "auto", "scroll", "overlay", "visible", "initial":
			style.Set(overflowHidden, first[0] != 'v' && first[0] != 'i')
		}
	case "clip":
		style.Set(clipEmpty, isEmptyRectangle(value))
	case "clip-path", "-webkit-clip-path":
		style.Set(clipPathEmpty, isEmptyShape(value))
	case "position":
		switch string(value) {
		case "absolute", "fixed", "relative", "sticky", "-webkit-sticky", "static", "initial":
			style.Set(absolute, value[0] == 'a' || value[0] == 'f')
			style.Set(positioned, string(value) != "static" && value[0] != 'i')
		}
	case "left", "inset-inline-start":
		style.setOffScreen(leftOffScreen, value)
	case "top", "inset-block-start":
		style.setOffScreen(topOffScreen, value)
	case "inset":
		style.setSides(topOffScreen, leftOffScreen, value)
	case "text-indent":
		style.setOffScreen(indentOffScreen, value)
		if m, ok := parseLength(value); ok {
			style.Set(indentBeyondBox, m.percent >= 100 || m.pixels >= -2*farOutside)
		}
	case "margin-left", "margin-inline-start":
		style.setOffScreen(marginLeftOffScreen, value)
	case "margin-top", "margin-block-start":
		style.setOffScreen(marginTopOffScreen, value)
	case "margin":
		style.setSides(marginTopOffScreen, marginLeftOffScreen, value)
	case "transform", "-webkit-transform", "-ms-transform", "scale", "rotate", "translate":
		style.setTransform(property, value)
	case "content-visibility":
		style.Set(contentHidden, string(value) == "hidden")
	case "z-index":
		n, unit, ok := parseNumber(value)
		style.Set(negativeZIndex, ok && n < 0 && len(unit) == 0)
		style.Set(hasZIndex, ok)
	case "direction":
		if string(value) == "rtl" || string(value) == "ltr" {
			style.Set(RightToLeft, value[0] == 'r')
		}
	case "unicode-bidi":
		style.Set(BidiOverride, bytes.HasSuffix(value, []byte("-override")))
	case "color":
		s.setColour(&style.Text, value)
	case "-webkit-text-fill-color":
		s.setColour(&style.fill, value)
	case "background-color":
		if style.Background != UnknownColour { // a picture is before it
			s.setColour(&style.Background, value)
		}
	case "background", "background-image":
		s.background(style, value)
	case "all":
		switch string(value) {
		case "initial":
			*style = initialStyle()
		case "unset", "revert": // inherited properties are still inherited
			*style = initialStyle()
			style.Text, style.fill, style.size, style.specified = unsetColour, unsetColour, fontSize{}, style.specified&^(1<<invisible)
		}
	}
}

const (
	maxProperty = 24  // bytes of the name of a property
	maxValue    = 200 // bytes of a value
)

// declare adds a list of declarations, as in a style attribute.
func (s *Sheets) declare(to *declarations, list []byte) {
	list = s.withoutComments(list)
	for len(list) > 0 {
		end := indexStop(list, atSemicolon)
		s.declaration(to, list[:end])
		list = list[min(end+1, len(list)):]
	}
}

// declaration adds "property: value".
func (s *Sheets) declaration(to *declarations, written []byte) {
	name, value, ok := bytes.Cut(written, []byte(":"))
	if !ok {
		return
	}
	name, value = ascii.Space.Trim(name), ascii.Space.Trim(value)
	if bytes.HasPrefix(name, []byte("--")) {
		s.setVariable(name, value)
		return
	}
	const longestEscape = len(`\000000 `)
	if len(name) > maxProperty && (bytes.IndexByte(name, '\\') < 0 || len(name) > longestEscape*maxProperty) {
		return
	}
	var property [maxProperty]byte
	name = appendLower(property[:0], name, maxProperty)
	if len(value) == 0 {
		return
	}
	value = appendLower(s.lower[:0], value, maxValue)
	if bytes.IndexByte(value, '(') >= 0 && bytes.Contains(value, []byte("var(")) {
		value = s.expandVariables(value)
	}
	style := &to.normal
	if mark := bytes.LastIndexByte(value, '!'); mark >= 0 {
		if string(ascii.Space.Trim(value[mark+1:])) != "important" {
			return
		}
		style, to.hasImportant = &to.important, true
		value = ascii.Space.Trim(value[:mark])
	}
	if len(value) > 0 {
		s.declareOne(style, name, value)
	}
}
