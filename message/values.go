package message

import "bytes"

// isDisplay reports whether browsers know a value of display; they pass over others.
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

// isAll reports whether value is made of these characters only.
func isAll(value []byte, of string) bool { return len(bytes.Trim(value, of)) == 0 }

// setColour sets a colour, unless it is a word that browsers do not know.
func (d *Decoder) setColour(to *colour, value []byte) {
	if c := d.colour(value); c != unknownColour || bytes.IndexByte(value, '(') >= 0 {
		*to = c
	}
}

// setShare sets an opacity.
func setShare(to *share, value []byte) {
	if m, ok := size(value); ok && m.pixels == 0 {
		*to = shareOf(m.plain + m.share/100)
	}
}

// setFontSize sets the size of a font.
func setFontSize(to *fontSize, value []byte) {
	if _, unit, ok := number(value); ok {
		switch string(unit) {
		case "em", "ex", "ch", "%", "lh", "cap", "ic":
			m, _ := size(value)
			*to = fontSize{float32(m.share/100 + m.pixels/normalSize), true, true}
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
	m, ok := size(value)
	if !ok {
		return
	}
	if m.share != 0 {
		*to = fontSize{float32(m.share/100 + m.pixels/normalSize), true, true}
		return
	}
	*to = fontSize{float32(m.pixels + m.plain), true, false}
}

// setNoRoom sets whether a box of this height or width has no room for text.
func (s *style) setNoRoom(p property, value []byte) {
	m, ok := size(value)
	s.set(p, ok && m.share <= 0 && m.pixels+m.plain <= tinyBox)
}

// setFar sets whether something is far outside of the page.
func (s *style) setFar(p property, value []byte) {
	m, ok := size(value)
	s.set(p, ok && m.isFar())
}

func (m measure) isFar() bool { return min(m.pixels, m.plain, m.share, m.total()) <= farOutside }

// setSides sets what two of the four values of margin or inset say: the first, and the last.
func (s *style) setSides(top, left property, value []byte) {
	var sides [4][]byte
	n := 0
	for len(value) > 0 && n < len(sides) {
		end := 0
		for depth := 0; end < len(value) && (value[end] != ' ' || depth > 0); end++ {
			switch value[end] {
			case '(':
				depth++
			case ')':
				depth--
			}
		}
		if end > 0 {
			sides[n] = value[:end]
			n++
		}
		value = value[min(end+1, len(value)):]
	}
	if n == 0 {
		return
	}
	s.setFar(top, sides[0])
	switch n {
	case 1:
		s.setFar(left, sides[0])
	case 2, 3:
		s.setFar(left, sides[1])
	case 4:
		s.setFar(left, sides[3])
	}
}

// filter takes up what a filter leaves of an element.
func (d *Decoder) filter(s *style, value []byte) {
	seen := share(0)
	for rest := value; len(rest) > 0; {
		name, argument, next := cutFunction(rest)
		rest = next
		if string(name) == "opacity" {
			setShare(&seen, argument)
		}
	}
	if seen == 0 {
		seen = shareOf(1)
	}
	s.filter = seen
}

// cutFunction returns the name and the argument of the function that value starts with, and what follows it.
func cutFunction(value []byte) (name, argument, rest []byte) {
	open := bytes.IndexByte(value, '(')
	if open < 0 {
		return trimCSS(value), nil, nil
	}
	end := open + parenthesisEnd(value[open:])
	return trimCSS(value[:open]), trimCSS(value[open+1 : end]), value[min(end+1, len(value)):]
}

// background takes up the colour of a background. Where there may be a picture, nobody knows it.
func (d *Decoder) background(s *style, value []byte) {
	if bytes.Contains(value, []byte("url(")) || bytes.Contains(value, []byte("gradient(")) {
		s.ground = unknownColour
		return
	}
	for len(value) > 0 {
		end := 0
		for depth := 0; end < len(value) && (value[end] != ' ' && value[end] != ',' || depth > 0); end++ {
			switch value[end] {
			case '(':
				depth++
			case ')':
				depth--
			}
		}
		if c := d.colour(value[:end]); c != unknownColour {
			s.ground = c
			return
		}
		value = value[min(end+1, len(value)):]
	}
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
