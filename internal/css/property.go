package css

import "bytes"

// isDisplay reports whether browsers know a value of display.
func isDisplay(value []byte) bool {
	first, _, _ := bytes.Cut(value, []byte(" "))
	switch string(first) {
	case "none":
		return len(value) == len(first)
	case "block", "inline", "contents", "flex", "grid", "list-item", "flow", "flow-root", "ruby", "math", "run-in", "initial", "inherit",
		"unset", "revert", "revert-layer":
		return true
	}
	for _, prefix := range []string{"inline-", "table", "ruby-", "-webkit-", "-ms-", "-moz-"} {
		if bytes.HasPrefix(first, []byte(prefix)) {
			return true
		}
	}
	return false
}

// isAll reports whether value consists of these characters.
func isAll(value []byte, of string) bool { return len(bytes.Trim(value, of)) == 0 }

// setColour sets a colour, unless value is a word that browsers do not know.
func (s *Sheets) setColour(to *Colour, value []byte) {
	if c := s.ParseColour(value); c != UnknownColour || bytes.IndexByte(value, '(') >= 0 {
		*to = c
	}
}

// setAlpha sets an opacity.
func setAlpha(to *alpha, value []byte) {
	if m, ok := parseLength(value); ok && m.pixels == 0 {
		*to = alphaOf(m.plain + m.percent/100)
	}
}

// setFontSize sets the size of a font.
func setFontSize(to *fontSize, value []byte) {
	if _, unit, ok := parseNumber(value); ok {
		switch string(unit) {
		case "em", "ex", "ch", "%", "lh", "cap", "ic":
			m, _ := parseLength(value)
			*to = fontSize{float32(m.percent/100 + m.pixels/normalSize), true, true}
			return
		}
	}
	switch string(value) {
	case "smaller":
		*to = fontSize{0.83, true, true}
		return
	case "larger":
		*to = fontSize{1.2, true, true}
		return
	case "xx-small", "x-small", "small", "medium", "large", "x-large", "xx-large", "xxx-large", "initial":
		*to = fontSize{normalSize, true, false}
		return
	}
	m, ok := parseLength(value)
	if !ok {
		return
	}
	if m.percent != 0 {
		*to = fontSize{float32(m.percent/100 + m.pixels/normalSize), true, true}
		return
	}
	*to = fontSize{float32(m.pixels + m.plain), true, false}
}

// setZero sets p if a box of this height or width has no room for text.
func (s *Style) setZero(p Property, value []byte) {
	m, ok := parseLength(value)
	s.Set(p, ok && m.percent <= 0 && m.pixels+m.plain <= tinyBox)
}

// setOffScreen sets p if value is far outside of the page.
func (s *Style) setOffScreen(p Property, value []byte) {
	m, ok := parseLength(value)
	s.Set(p, ok && m.isOffScreen())
}

func (m length) isOffScreen() bool { return min(m.pixels, m.plain, m.percent, m.total()) <= farOutside }

// setSides sets two properties by the first and the last of the values of margin or inset, in the order top, right, bottom, left.
func (s *Style) setSides(top, left Property, value []byte) {
	var sides [4][]byte
	n := 0
	for len(value) > 0 && n < len(sides) {
		var side []byte
		if side, value = cutStop(value, atSpace); len(side) > 0 {
			sides[n] = side
			n++
		}
	}
	if n == 0 {
		return
	}
	s.setOffScreen(top, sides[0])
	s.setOffScreen(left, sides[[...]int{0, 0, 1, 1, 3}[n]])
}

// setFilter sets the opacity that a filter leaves.
func setFilter(to *alpha, value []byte) {
	*to = alphaOf(1)
	for len(value) > 0 {
		var name, argument []byte
		if name, argument, value = cutFunction(value); string(name) == "opacity" {
			setAlpha(to, argument)
		}
	}
}

// background sets the colour of a background, which is unknown behind a picture.
func (s *Sheets) background(style *Style, value []byte) {
	if bytes.Contains(value, []byte("url(")) || bytes.Contains(value, []byte("gradient(")) {
		style.Background = UnknownColour
		return
	}
	for len(value) > 0 {
		var word []byte
		word, value = cutStop(value, atSpace|atComma)
		if c := s.ParseColour(word); c != UnknownColour {
			style.Background = c
			return
		}
	}
}

// isEmptyRectangle reports whether a clip leaves nothing to see: "rect(0, 0, 0, 0)", or pixels in place of zeros.
func isEmptyRectangle(value []byte) bool {
	value, ok := bytes.CutPrefix(value, []byte("rect("))
	if !ok {
		return false
	}
	return isAll(value, "01px ,)") && !bytes.Contains(value, []byte("10")) && !bytes.Contains(value, []byte("11"))
}
