package message

import (
	"bytes"
	"strconv"
)

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

// style is what CSS and attributes say of one element, as far as it decides whether its text is seen.
type style struct {
	gone     choice // display: none
	unseen   choice // visibility: hidden
	faint    choice // opacity: 0
	tiny     choice // font-size: 0 or next to it
	flat     choice // a height or width of 0 or one pixel
	clipped  choice // overflow: hidden
	placed   choice // position: absolute or fixed
	outside  choice // left or top far outside of the page
	indented choice // text-indent or a margin far outside of the page
	text     colour
	ground   colour // of the background
}

func newStyle() style { return style{text: unsetColour, ground: unsetColour} }

// override lets what s says count in place of what was said before.
func (before *style) override(s style) {
	for _, p := range [...]struct {
		old *choice
		new choice
	}{
		{&before.gone, s.gone}, {&before.unseen, s.unseen}, {&before.faint, s.faint}, {&before.tiny, s.tiny}, {&before.flat, s.flat},
		{&before.clipped, s.clipped}, {&before.placed, s.placed}, {&before.outside, s.outside}, {&before.indented, s.indented},
	} {
		if p.new != unset {
			*p.old = p.new
		}
	}
	if s.text != unsetColour {
		before.text = s.text
	}
	if s.ground != unsetColour {
		before.ground = s.ground
	}
}

const (
	tinyPoints   = 1.0  // a font of this size or less cannot be read, in pixels or points
	tinyShare    = 0.1  // the same as a share of the size around it
	faintOpacity = 0.1  // or less cannot be read
	farOutside   = -500 // pixels, or any other unit, are off the screen
)

// declare takes up one declaration of CSS, "property: value"; both are in lower case and without blanks around them.
// Properties that do not matter here are passed over.
func (d *Decoder) declare(s *style, property, value []byte) {
	value, _, _ = bytes.Cut(value, []byte("!")) // !important
	value = bytes.TrimRight(value, " ")
	switch string(property) {
	case "display":
		s.gone = choose(string(value) == "none")
	case "visibility":
		s.unseen = choose(string(value) == "hidden" || string(value) == "collapse")
	case "opacity":
		n, unit := number(value)
		s.faint = choose(unit != notNumber && (n <= faintOpacity || unit == "%" && n <= 100*faintOpacity))
	case "font-size":
		s.tiny = tinySize(value)
	case "height", "width", "max-height", "max-width":
		if n, unit := number(value); unit != notNumber && (n == 0 || unit == "px" && n <= 1) {
			s.flat = yes
		}
	case "overflow":
		s.clipped = choose(string(value) == "hidden")
	case "position":
		s.placed = choose(string(value) == "absolute" || string(value) == "fixed")
	case "left", "top":
		if n, unit := number(value); unit != notNumber && n <= farOutside {
			s.outside = yes
		}
	case "text-indent", "margin-left", "margin-top":
		if n, unit := number(value); unit != notNumber {
			s.indented = choose(n <= farOutside)
		}
	case "color":
		s.text = d.colour(value)
	case "background", "background-color", "background-image":
		s.ground = d.background(s.ground, value)
	}
}

// background returns the colour of a background. Where there may be a picture, nobody knows it.
func (d *Decoder) background(before colour, value []byte) colour {
	if bytes.Contains(value, []byte("url(")) || bytes.Contains(value, []byte("gradient(")) {
		return unknownColour
	}
	if bytes.HasPrefix(value, []byte("rgb")) {
		return d.colour(value)
	}
	for word := range bytes.FieldsSeq(value) {
		if c := d.colour(word); c != unknownColour {
			return c
		}
	}
	return before
}

// tinySize tells of a font-size whether text of it can be read. A size in words or in relation to the one around it is
// as good as that.
func tinySize(value []byte) choice {
	n, unit := number(value)
	switch unit {
	case notNumber:
		return unset
	case "px", "pt", "":
		return choose(n <= tinyPoints)
	case "%":
		n /= 100
	}
	if n <= tinyShare {
		return yes
	}
	if unit == "rem" || unit == "vw" || unit == "vh" || unit == "mm" || unit == "cm" || unit == "in" {
		return no
	}
	return unset
}

const notNumber = "no number"

// number reads a number and its unit.
func number(value []byte) (n float64, unit string) {
	end := 0
	for end < len(value) && (value[end] >= '0' && value[end] <= '9' || value[end] == '.' || value[end] == '-' || value[end] == '+') {
		end++
	}
	n, err := strconv.ParseFloat(string(value[:end]), 64)
	if err != nil {
		return 0, notNumber
	}
	return n, string(value[end:])
}

// declarations takes up a list of declarations, as in a style attribute, and keeps the links in it.
func (d *Decoder) declarations(s *style, list []byte) {
	d.cssLinks(list)
	var property [maxProperty]byte
	var lower [maxValue]byte
	for len(list) > 0 {
		var declaration []byte
		declaration, list = cutDeclaration(list)
		name, value, ok := bytes.Cut(declaration, []byte(":"))
		if !ok {
			continue
		}
		name, value = bytes.TrimSpace(name), bytes.TrimSpace(value)
		if len(name) > maxProperty {
			continue
		}
		d.declare(s, appendLower(property[:0], name, maxProperty), appendLower(lower[:0], value, maxValue))
	}
}

const (
	maxProperty = 24  // bytes of the name of a property
	maxValue    = 200 // bytes of a value
)

// cutDeclaration cuts a list of declarations at its first semicolon outside of parentheses, as those of
// url(data:image/png;base64,...).
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

// cssLinks keeps the links that CSS fetches: url(...).
func (d *Decoder) cssLinks(css []byte) {
	for {
		at := bytes.Index(css, []byte("url("))
		if at < 0 {
			return
		}
		css = css[at+len("url("):]
		end := bytes.IndexAny(css, ");")
		if end < 0 {
			return
		}
		d.addLink(LinkOther, bytes.Trim(css[:end], " \t\r\n\"'"))
		css = css[end:]
	}
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
func (l look) inside(s style) look {
	hide := func(condition bool, why Mark) {
		if condition {
			l.why.add(why)
		}
	}
	hide(s.gone == yes || s.faint == yes, HiddenByStyle)
	hide(s.flat == yes && s.clipped == yes, HiddenBySize)
	hide(s.placed == yes && s.outside == yes || s.indented == yes, HiddenOffScreen)
	if s.unseen != unset {
		l.unseen = s.unseen == yes
	}
	if s.tiny != unset {
		l.tiny = s.tiny == yes
	}
	if s.text != unsetColour {
		l.text = s.text
	}
	if s.ground != unsetColour && s.ground != transparentColour {
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
