package css

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/css"
	"golang.org/x/image/colornames"

	"chaff/internal/ascii"
)

// Property is what an element or its style says about how its text is seen. Its value is a number.
type Property uint8

const (
	Display    Property = iota // 1: none; 2: in a line, with no size of its own; 3: in a table, where its size grows with its text
	Visibility                 // 1: hidden; 2: as around it
	Opacity                    // a factor, of which what is below 0 and above 1 does not count
	FontSize                   // pixels; below 0 a multiple of that of the parent, without its sign
	TextColour                 // a Colour
	Background                 // a Colour
	Picture                    // 1: a picture is before the colour of the background
	Height                     // this and the next three, 1: no room for text
	MaxHeight
	Width
	MaxWidth
	Overflow // 1: what does not fit into the box is not seen
	Indent   // 1: beyond the box; 2: off the screen
	Zoom     // a factor
	properties
)

// declaration specifies a property.
type declaration struct {
	property   Property
	importance uint32 // 0 or weightImportant
	value      float32
}

// The weights of selectors: the more precisely a selector names an element, the more it weighs. Of two equal weights the later rule wins.
const (
	weightHint      uint32 = 1 // of attributes of HTML
	weightTag              = 1 << 14
	weightClass            = 1 << 19
	weightID               = 1 << 24
	weightInline           = 1 << 30
	weightImportant        = 1 << 31
)

// Style is what style sheets and attributes specify for one element.
type Style struct {
	values  [properties]float32
	weights [properties]uint32 // 0 if it is not specified
}

// Set specifies a property by an attribute of HTML, which any rule outweighs.
func (s *Style) Set(p Property, value float32) { s.values[p], s.weights[p] = value, weightHint }

// IsRemoved reports whether an element of that style takes up no room (display: none).
func (s *Style) IsRemoved() bool { return s.values[Display] == 1 }

func (s *Style) apply(said []declaration, weight uint32) {
	for _, d := range said {
		if w := weight | d.importance; w >= s.weights[d.property] {
			s.values[d.property], s.weights[d.property] = d.value, w
		}
	}
}

const (
	normalSize   = 16   // pixels of a font of unspecified size
	tinyFont     = 1.65 // pixels of a font that nobody can read
	tinyBox      = 1.34 // pixels (one point) of a box without room for text
	faintOpacity = 0.1  // nobody can read text of this opacity
	farOutside   = -500 // pixels or percent that move text off the screen
)

// named is the properties that matter by their names in CSS.
var named = map[string]Property{
	"display": Display, "visibility": Visibility, "opacity": Opacity, "font-size": FontSize, "font": FontSize, "zoom": Zoom, "color": TextColour,
	"background-color": Background, "background": Picture, "background-image": Picture, "overflow": Overflow, "text-indent": Indent, "all": properties,
	"height": Height, "max-height": MaxHeight, "width": Width, "max-width": MaxWidth,
}

// words is the words that browsers know for properties, by the values that they mean.
var words = map[Property][]string{
	Display: {" block inline-block inline-flex inline-grid list-item flow-root flex grid math -webkit-box -webkit-flex -webkit-inline-box " +
		"-webkit-inline-flex ", " none ", " inline contents ruby ruby-text ", " inline-table table table-row-group table-header-group " +
		"table-footer-group table-row table-column-group table-column table-cell table-caption "},
	Visibility: {" visible ", " hidden collapse "},
	Overflow:   {" visible ", " hidden clip auto scroll overlay "},
}

// initial is the values of properties by the word "initial", and of those that are calculated.
var initial = [properties]float32{Display: 2, Opacity: 1, FontSize: normalSize, Background: float32(transparentColour), Zoom: 1}

// sizes is the words for sizes of a font.
var sizes = map[string]float32{"smaller": -0.83, "larger": -1.2, "xx-small": normalSize, "x-small": normalSize, "small": normalSize,
	"medium": normalSize, "large": normalSize, "x-large": normalSize, "xx-large": normalSize, "xxx-large": normalSize}

// specify calls set for what a declaration says. Words that browsers do not know say nothing.
func specify(name string, value []token, set func(Property, float32)) {
	p, matters := named[name]
	if !matters {
		return
	}
	first := &value[0]
	word := string(first.text)
	isCalculated := first.kind == css.FunctionToken && p != TextColour && p != Background
	if p != Picture && (isCalculated || slices.Contains([]string{"initial", "inherit", "unset", "revert", "revert-layer", "currentcolor"}, word)) {
		values := initial
		if !isCalculated && word != "initial" { // those that are inherited are as around it
			values[Visibility], values[FontSize], values[TextColour] = 2, -1, float32(inheritedColour)
		}
		for q := range properties {
			if q == p || p == properties {
				set(q, values[q])
			}
		}
		return
	}
	n, isNumber := first.length()
	switch p {
	case Display, Visibility, Overflow:
		for i, meant := range words[p] {
			if (len(value) == 1 || p == Overflow) && strings.Contains(meant, " "+word+" ") {
				set(p, float32(i))
			}
		}
	case Opacity, Zoom:
		if factor := n.plain + n.percent/100; isNumber && n.pixels == 0 && (p == Opacity || factor > 0) {
			set(p, factor)
		}
	case FontSize:
		if name == "font-size" {
			value = value[:1]
		}
		for i := 0; i < len(value) && string(value[i].text) != "/"; i++ {
			n, isNumber := value[i].length()
			v, isWord := sizes[string(value[i].text)]
			switch {
			case isWord:
				set(p, v)
			case !isNumber, min(n.pixels, n.percent, n.plain) < 0, name == "font" && n.plain >= 1: // the last is a weight
			case n.isRelative || n.percent > 0:
				set(p, -(n.pixels/normalSize + n.percent/100))
			default:
				set(p, n.pixels+n.plain)
			}
		}
	case TextColour, Background:
		if c := colourOf(value); c != UnknownColour || first.kind == css.FunctionToken {
			set(p, float32(c))
		}
	case Picture:
		c, hasPicture := backgroundOf(value)
		if c != UnknownColour {
			set(Background, float32(c))
		} else if name == "background" {
			set(Background, initial[Background])
		}
		set(p, is(hasPicture))
	case Height, MaxHeight, Width, MaxWidth:
		set(p, is(isNumber && n.percent <= 0 && n.pixels+n.plain <= tinyBox))
	case Indent:
		isOff := min(n.pixels+n.plain, n.percent) <= farOutside
		set(p, 2*is(isOff)+is(!isOff && (n.percent >= 100 || n.pixels >= -2*farOutside)))
	}
}

func is(holds bool) float32 {
	if holds {
		return 1
	}
	return 0
}

// length is a length, a percentage of what is around, or a plain number.
type length struct {
	pixels, percent, plain float32
	isRelative             bool // the pixels are those for a font of normal size
}

// units is the pixels of each unit of length.
var units = map[string]float32{
	"px": 1, "pt": 96. / 72, "in": 96, "cm": 96 / 2.54, "mm": 96 / 25.4, "vw": windowWidth / 100., "vh": windowWidth / 100.,
	"rem": normalSize, "pc": normalSize, "em": normalSize, "lh": normalSize, "ex": normalSize / 2, "ch": normalSize / 2,
}

// length returns the length that t is.
func (t *token) length() (l length, ok bool) {
	if t.kind != css.NumberToken && t.kind != css.PercentageToken && t.kind != css.DimensionToken {
		return l, false
	}
	const most = 1e30
	digits, _ := parse.Dimension(t.text)
	var n64 float64
	if _, exponent, _ := bytes.Cut(t.text[:digits], []byte("e-")); len(bytes.TrimLeft(exponent, "0")) < 3 { // else it is nearly 0, and may take long to read
		n64, _ = strconv.ParseFloat(string(t.text[:digits]), 64)
	}
	n := float32(min(max(n64, -most), most))
	switch unit := string(t.text[digits:]); unit {
	case "":
		return length{plain: n}, true
	case "%":
		return length{percent: n}, true
	default:
		pixels, ok := units[unit]
		return length{pixels: n * pixels, isRelative: slices.Contains([]string{"em", "lh", "ex", "ch"}, unit)}, ok
	}
}

// Reasons is a set of reasons why text is hidden; the empty set if it is seen.
type Reasons uint8

const (
	ByStyle   Reasons = 1 << iota // display:none, visibility:hidden, opacity:0
	ByColour                      // text in the colour of its background
	BySize                        // text, or a box around it, of nearly no size
	OffScreen                     // text far to the left of or above the screen
)

// Appearance is how an element is shown: what it inherits from the elements around it.
type Appearance struct {
	removed          Reasons // why nothing inside can be seen, whatever its style
	invisible        bool    // visibility: hidden
	opacity          float32
	size, zoom       float32 // of the font, in pixels, and its factor
	text, background Colour
}

// Usual returns the appearance of a page without styles.
func Usual() Appearance {
	return Appearance{opacity: 1, size: normalSize, zoom: 1, text: black, background: white}
}

// Inside returns the appearance of an element of that style.
func (a Appearance) Inside(s *Style) Appearance {
	has := func(p Property) bool { return s.weights[p] > 0 }
	v := &s.values
	if has(Opacity) {
		a.opacity *= min(max(v[Opacity], 0), 1)
	}
	if v[Display] == 1 || a.opacity <= faintOpacity+0.001 {
		a.removed |= ByStyle
	}
	if v[Display] < 2 && v[Overflow] == 1 && v[Height]+v[MaxHeight]+v[Width]+v[MaxWidth] > 0 {
		a.removed |= BySize
	}
	if v[Display] != 2 && (v[Indent] == 2 || v[Indent] == 1 && v[Overflow] == 1) {
		a.removed |= OffScreen
	}
	if has(Visibility) && v[Visibility] < 2 {
		a.invisible = v[Visibility] == 1
	}
	if has(Zoom) {
		a.zoom *= v[Zoom]
	}
	if v[FontSize] < 0 {
		a.size *= -v[FontSize]
	} else if has(FontSize) {
		a.size = v[FontSize]
	}
	if c := Colour(v[TextColour]); has(TextColour) && c != inheritedColour {
		a.text = c
	}
	switch c := Colour(v[Background]); {
	case v[Picture] == 1:
		a.background = UnknownColour
	case has(Background) && c != transparentColour:
		a.background = c
	}
	return a
}

// HiddenBy returns why the words of an element are not seen. The label of a picture or a button has its own size and colour.
func (a Appearance) HiddenBy(isLabel bool) Reasons {
	reasons := a.removed
	if a.invisible {
		reasons |= ByStyle
	}
	if !isLabel && a.size*a.zoom <= tinyFont {
		reasons |= BySize
	}
	if !isLabel && a.text.isNear(a.background) {
		reasons |= ByColour
	}
	return reasons
}

// Colour is 0xRRGGBB, or one of the values below. A float32 holds them exactly.
type Colour uint32

const (
	black, white, LinkColour Colour = 0x000000, 0xffffff, 0x0000ee
	UnknownColour            Colour = 1 << 24 // a picture, or a colour that cannot be read
	transparentColour        Colour = 1 << 25 // the colour of whatever is behind
	inheritedColour          Colour = 1 << 26 // that of the parent
)

// isNear reports whether text of colour c cannot be read on b. Unknown colours can be read.
func (c Colour) isNear(b Colour) bool {
	const nearness = 12 // how much each of red, green and blue may differ, of 255
	isFar := c > white || b > white
	for shift := 0; shift < 24; shift += 8 {
		difference := int(c>>shift&0xff) - int(b>>shift&0xff)
		isFar = isFar || max(difference, -difference) > nearness
	}
	return c == transparentColour || !isFar
}

// ParseColour reads a colour without parentheses: a name, or digits with or without "#".
func ParseColour(value []byte) Colour {
	var lower [len("lightgoldenrodyellow") + 1]byte // the longest one, and a byte that makes another word longer
	word := ascii.AppendLower(lower[:0], bytes.TrimSpace(value), len(lower))
	if string(word) == "transparent" {
		return transparentColour
	}
	if c, ok := colornames.Map[string(word)]; ok {
		return Colour(c.R)<<16 | Colour(c.G)<<8 | Colour(c.B)
	}
	digits := bytes.TrimPrefix(word, []byte("#"))
	if len(bytes.Trim(digits, "0123456789abcdef")) > 0 {
		return UnknownColour
	}
	n, _ := strconv.ParseUint(string(digits), 16, 32)
	if isShort := len(digits) <= 4; isShort { // #fff stands for #ffffff
		n = n&0xf000<<12 | n&0xf00<<8 | n&0xf0<<4 | n&0xf
		n |= n << 4
	}
	switch len(digits) {
	case 3, 6:
		return Colour(n)
	case 4, 8:
		return Colour(n >> 8).withOpacity(float32(n&0xff) / 0xff)
	}
	return UnknownColour
}

// withOpacity returns how a colour of that opacity looks: a translucent one is unknown.
func (c Colour) withOpacity(share float32) Colour {
	switch {
	case share <= faintOpacity:
		return transparentColour
	case share < 1-faintOpacity:
		return UnknownColour
	}
	return c
}

// colourOf returns the colour that a list of tokens begins with: a word, rgb(1, 2, 3) or rgba(1 2 3 / 0.5).
func colourOf(value []token) (c Colour) {
	switch name := string(value[0].text); {
	case value[0].kind != css.FunctionToken:
		return ParseColour(value[0].text)
	case name != "rgb(" && name != "rgba(":
		return UnknownColour
	}
	opacity, parts := float32(1), 0
	for i := 1; i < len(value) && value[i].kind != css.RightParenthesisToken; i++ {
		n, ok := value[i].length()
		switch {
		case !ok:
			continue
		case value[i].kind == css.DimensionToken:
			return UnknownColour
		case parts < 3:
			c = c<<8 | Colour(min(max(n.plain+n.percent*255/100, 0), 255)+0.5)
		default:
			opacity = n.plain + n.percent/100
		}
		parts++
	}
	if parts < 3 {
		return UnknownColour
	}
	return c.withOpacity(opacity)
}

// backgroundOf returns the colour of a background, if any, and whether a picture is before it. A gradient of colours that look alike is a colour.
func backgroundOf(value []token) (c Colour, hasPicture bool) {
	c = UnknownColour
	inGradient := false
	for i := range value {
		t := &value[i]
		isFunction := t.kind == css.FunctionToken
		isRGB := isFunction && bytes.HasPrefix(t.text, []byte("rgb"))
		inGradient = inGradient || isFunction && !isRGB
		switch next := colourOf(value[i:]); {
		case t.kind == css.URLToken, t.kind == css.BadURLToken, isFunction && bytes.HasPrefix(t.text, []byte("url")):
			return UnknownColour, true
		case !isRGB && t.kind != css.HashToken && (t.kind != css.IdentToken || next == UnknownColour): // no colour
		case next == UnknownColour, inGradient && next > white, c != UnknownColour && !next.isNear(c):
			return UnknownColour, true
		default:
			c = next
		}
	}
	return c, inGradient && c == UnknownColour
}
