package css

import (
	"bytes"
	"slices"

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

// set sets an opacity.
func (a *alpha) set(value []byte) {
	if m, ok := parseLength(value); ok && m.pixels == 0 {
		*a = alphaOf(m.plain + m.percent/100)
	}
}

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

// set sets the size of a font.
func (f *fontSize) set(value []byte) {
	m, ok := parseLength(value)
	_, unit, _ := parseNumber(value)
	isRelative := m.percent != 0 || slices.Contains([]string{"em", "ex", "ch", "%", "lh", "cap", "ic"}, string(unit))
	switch string(value) {
	case "smaller":
		*f = fontSize{0.83, true, true}
	case "larger":
		*f = fontSize{1.2, true, true}
	case "xx-small", "x-small", "small", "medium", "large", "x-large", "xx-large", "xxx-large", "initial":
		*f = fontSize{normalSize, true, false}
	default:
		switch {
		case ok && isRelative:
			*f = fontSize{float32(m.percent/100 + m.pixels/normalSize), true, true}
		case ok:
			*f = fontSize{float32(m.pixels + m.plain), true, false}
		}
	}
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
	s.Text.override(other.Text)
	s.fill.override(other.fill)
	s.Background.override(other.Background)
}

// uncertain returns the style of an element for which a rule may or may not be: its colours are unknown, and the rest is not
// specified.
func (s *Style) uncertain() Style {
	return Style{Text: s.Text.uncertain(), fill: s.fill.uncertain(), Background: s.Background.uncertain()}
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

const (
	maxProperty = 24  // bytes of the name of a property
	maxValue    = 200 // bytes of a value
)

// declare adds a list of declarations, as in a style attribute.
func (s *Sheets) declare(to *declarations, list []byte) {
	for declaration := range split(s.withoutComments(list), atSemicolon) {
		s.declaration(to, declaration)
	}
}

// declaration adds "property: value". It returns the value of the property content.
func (s *Sheets) declaration(to *declarations, written []byte) (content []byte) {
	name, value, ok := bytes.Cut(written, []byte(":"))
	if !ok {
		return nil
	}
	name, value = ascii.Space.Trim(name), ascii.Space.Trim(value)
	if bytes.HasPrefix(name, []byte("--")) {
		s.setVariable(name, value)
		return nil
	}
	const longestEscape = len(`\000000 `)
	if len(name) > maxProperty && (bytes.IndexByte(name, '\\') < 0 || len(name) > longestEscape*maxProperty) {
		return nil
	}
	var property [maxProperty]byte
	name = appendLower(property[:0], name, maxProperty)
	if string(name) == "content" {
		return value[:len(value):len(value)]
	}
	set, ok := properties()[string(name)]
	if !ok {
		return nil
	}
	value = appendLower(s.lower[:0], value, maxValue)
	if bytes.Contains(value, []byte("var(")) {
		value = s.expandVariables(value)
	}
	style := &to.normal
	if mark := bytes.LastIndexByte(value, '!'); mark >= 0 {
		if string(ascii.Space.Trim(value[mark+1:])) != "important" {
			return nil
		}
		style, to.hasImportant = &to.important, true
		value = ascii.Space.Trim(value[:mark])
	}
	if len(value) > 0 {
		s.style = *style // a copy, so that style stays on the stack
		set(&s.style, value)
		*style = s.style
	}
	return nil
}
