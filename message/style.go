package message

import "bytes"

// choice is a property that is set to one thing, to the other, or not at all.
type choice uint8

const (
	unset choice = iota
	yes
	no
)

func choose(condition bool) choice {
	if condition {
		return yes
	}
	return no
}

// property is something that CSS and attributes say of an element, and that decides whether its text is seen.
type property uint8

const (
	gone        property = iota // display: none
	unseen                      // visibility: hidden
	faint                       // opacity: 0
	tiny                        // font-size: 0 or next to it
	noHeight                    // height: 0 or next to it
	noMaxHeight                 // max-height
	noWidth                     // width
	noMaxWidth                  // max-width
	clipped                     // overflow: hidden
	cutOff                      // clip: rect(0, 0, 0, 0)
	placed                      // position: absolute or fixed
	farLeft                     // left: far outside of the page
	farUp                       // top: the same
	indented                    // text-indent: the same
	marginLeft                  // margin-left: the same
	marginTop                   // margin-top: the same
	properties                  // how many there are
)

// style is what CSS and attributes say of one element, as far as it decides whether its text is seen.
type style struct {
	is     [properties]choice
	text   colour
	ground colour // of the background
}

func newStyle() style { return style{text: unsetColour, ground: unsetColour} }

// override lets what other says count in place of what was said before.
func (s *style) override(other style) {
	for p, is := range other.is {
		if is != unset {
			s.is[p] = is
		}
	}
	if other.text != unsetColour {
		s.text = other.text
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
	if s.ground != unsetColour {
		maybe.ground = unknownColour
	}
	return maybe
}

const (
	tinyPoints   = 1.0  // a font or box of this size or less cannot be read, in pixels or points
	tinyShare    = 0.1  // the same as a share of the size around it
	faintOpacity = 0.1  // or less cannot be read
	farOutside   = -500 // pixels, or any other unit, are off the screen
)

// declare takes up one declaration of CSS, "property: value"; both are in lower case and without blanks around them.
// Properties that do not matter here are passed over.
func (d *Decoder) declare(s *style, property, value []byte) {
	if mark := bytes.IndexByte(value, '!'); mark >= 0 { // !important
		value = bytes.TrimRight(value[:mark], " ")
	}
	if len(value) == 0 {
		return
	}
	switch string(property) {
	case "display":
		s.is[gone] = choose(string(value) == "none")
	case "visibility":
		if string(value) != "inherit" {
			s.is[unseen] = choose(string(value) == "hidden" || string(value) == "collapse")
		}
	case "opacity":
		if n, unit, ok := number(value); ok {
			s.is[faint] = choose(n <= faintOpacity || string(unit) == "%" && n <= 100*faintOpacity)
		}
	case "font-size":
		setChoice(&s.is[tiny], tinySize(value))
	case "font":
		for len(value) > 0 {
			var word []byte
			word, value, _ = bytes.Cut(value, []byte(" "))
			size, _, _ := bytes.Cut(word, []byte("/"))
			setChoice(&s.is[tiny], tinySize(size))
		}
	case "height":
		s.is[noHeight] = choose(noSize(value))
	case "max-height":
		s.is[noMaxHeight] = choose(noSize(value))
	case "width":
		s.is[noWidth] = choose(noSize(value))
	case "max-width":
		s.is[noMaxWidth] = choose(noSize(value))
	case "overflow", "overflow-x", "overflow-y":
		s.is[clipped] = choose(string(value) == "hidden")
	case "clip":
		s.is[cutOff] = choose(noRectangle(value))
	case "position":
		s.is[placed] = choose(string(value) == "absolute" || string(value) == "fixed")
	case "left":
		s.is[farLeft] = choose(isFarOutside(value))
	case "top":
		s.is[farUp] = choose(isFarOutside(value))
	case "text-indent":
		s.is[indented] = choose(isFarOutside(value))
	case "margin-left":
		s.is[marginLeft] = choose(isFarOutside(value))
	case "margin-top":
		s.is[marginTop] = choose(isFarOutside(value))
	case "color":
		s.text = d.colour(value)
	case "background-color":
		if s.ground != unknownColour { // a picture is before it
			s.ground = d.colour(value)
		}
	case "background", "background-image":
		d.background(s, value)
	}
}

// setChoice sets a property unless nothing is said of it.
func setChoice(p *choice, is choice) {
	if is != unset {
		*p = is
	}
}

// background takes up the colour of a background. Where there may be a picture, nobody knows it.
func (d *Decoder) background(s *style, value []byte) {
	switch {
	case bytes.Contains(value, []byte("url(")) || bytes.Contains(value, []byte("gradient(")):
		s.ground = unknownColour
		return
	case bytes.HasPrefix(value, []byte("rgb")):
		s.ground = d.colour(value)
		return
	}
	for len(value) > 0 {
		var word []byte
		word, value, _ = bytes.Cut(value, []byte(" "))
		if c := d.colour(word); c != unknownColour {
			s.ground = c
			return
		}
	}
}

// tinySize tells of a font-size whether text of it can be read. A size in words or in relation to the one around it is
// as good as that.
func tinySize(value []byte) choice {
	n, unit, ok := number(value)
	if !ok {
		return unset
	}
	switch string(unit) {
	case "px", "pt", "":
		return choose(n <= tinyPoints)
	case "%":
		n /= 100
	}
	if n <= tinyShare {
		return yes
	}
	switch string(unit) {
	case "rem", "vw", "vh", "mm", "cm", "in":
		return no
	}
	return unset
}

// noSize reports whether a box of this height or width has no room for text.
func noSize(value []byte) bool {
	n, unit, ok := number(value)
	if !ok {
		return false
	}
	switch string(unit) {
	case "px", "pt", "":
		return n <= tinyPoints
	}
	return n <= 0
}

// noRectangle reports whether a clip leaves nothing to see: "rect(0, 0, 0, 0)", or pixels in place of zeros.
func noRectangle(value []byte) bool {
	value, ok := bytes.CutPrefix(value, []byte("rect("))
	if !ok {
		return false
	}
	for _, c := range value {
		switch c {
		case '0', '1', 'p', 'x', ' ', ',', ')':
		default:
			return false
		}
	}
	return !bytes.Contains(value, []byte("10")) && !bytes.Contains(value, []byte("11"))
}

func isFarOutside(value []byte) bool {
	n, _, ok := number(value)
	return ok && n <= farOutside
}

// number reads a number, and its unit, which is what follows.
func number(value []byte) (n float64, unit []byte, ok bool) {
	sign, at := 1.0, 0
	if len(value) > 0 && (value[0] == '-' || value[0] == '+') {
		at++
		if value[0] == '-' {
			sign = -1
		}
	}
	share := 0.0 // of the last digit in one, once there is a point
	for ; at < len(value); at++ {
		switch c := value[at]; {
		case c == '.' && share == 0:
			share = 1
			continue
		case c < '0' || c > '9':
			return sign * n, value[at:], ok
		case share == 0:
			n = 10*n + float64(c-'0')
		default:
			share /= 10
			n += share * float64(c-'0')
		}
		ok = true
	}
	return sign * n, nil, ok
}

const (
	maxProperty = 24  // bytes of the name of a property
	maxValue    = 200 // bytes of a value
)

// declarations takes up a list of declarations, as in a style attribute.
func (d *Decoder) declarations(s *style, list []byte) {
	list = d.withoutCSSComments(list)
	var property [maxProperty]byte
	var lower [maxValue]byte
	for len(list) > 0 {
		var declaration []byte
		declaration, list = cutDeclaration(list)
		colon := bytes.IndexByte(declaration, ':')
		if colon < 0 {
			continue
		}
		name, value := bytes.TrimSpace(declaration[:colon]), bytes.TrimSpace(declaration[colon+1:])
		if len(name) > maxProperty {
			continue
		}
		d.declare(s, appendLower(property[:0], name, maxProperty), appendLower(lower[:0], value, maxValue))
	}
}

// cutDeclaration cuts a list of declarations at its first semicolon outside of parentheses, as those around
// data:image/png;base64.
func cutDeclaration(list []byte) (first, rest []byte) {
	inside := false
	for i, c := range list {
		switch {
		case c == '(':
			inside = true
		case c == ')':
			inside = false
		case c == ';' && !inside:
			return list[:i], list[i+1:]
		}
	}
	return list, nil
}

// look is how the text at one place in HTML is shown: what is inherited from the elements around it.
type look struct {
	why    Marks // why it is not seen, for good: nothing inside can be seen either
	unseen bool
	tiny   bool
	text   colour
	ground colour
}

// newLook is that of a page of which nothing is said.
func newLook() look { return look{text: black, ground: white} }

// inside returns how text inside an element of style s is shown.
func (l look) inside(s *style) look {
	is := func(p property) bool { return s.is[p] == yes }
	if is(gone) || is(faint) {
		l.why.add(HiddenByStyle)
	}
	if is(clipped) && (is(noHeight) || is(noMaxHeight) || is(noWidth) || is(noMaxWidth)) || is(placed) && is(cutOff) {
		l.why.add(HiddenBySize)
	}
	if is(placed) && (is(farLeft) || is(farUp)) || is(indented) || is(marginLeft) || is(marginTop) {
		l.why.add(HiddenOffScreen)
	}
	if s.is[unseen] != unset {
		l.unseen = is(unseen)
	}
	if s.is[tiny] != unset {
		l.tiny = is(tiny)
	}
	if s.text != unsetColour && s.text != inheritedColour {
		l.text = s.text
	}
	if s.ground != unsetColour && s.ground != inheritedColour && s.ground != transparentColour {
		l.ground = s.ground
	}
	return l
}

// hidden returns why text of this look is not seen, nothing if it is.
func (l look) hidden() Marks {
	why := l.why
	if l.unseen {
		why.add(HiddenByStyle)
	}
	if l.tiny {
		why.add(HiddenBySize)
	}
	if l.text.near(l.ground) {
		why.add(HiddenByColour)
	}
	if why != 0 {
		why.add(HiddenText)
	}
	return why
}
