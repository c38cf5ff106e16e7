package css

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"sync"
)

// setter changes a style to what a declaration says. The value is trimmed, in lower case and not empty. Setters ignore values that
// browsers do not know.
type setter func(s *Style, value []byte)

// properties returns the setters of all properties that matter, by name.
var properties = sync.OnceValue(func() map[string]setter {
	setters := map[string]setter{}
	for names, set := range map[string]setter{
		"all":                             setAll,
		"background background-image":     setBackground,
		"background-color":                setBackgroundColour,
		"clip":                            holdsIf(clipEmpty, isEmptyRectangle),
		"clip-path -webkit-clip-path":     holdsIf(clipPathEmpty, isEmptyShape),
		"color":                           func(s *Style, value []byte) { s.Text.set(value) },
		"content-visibility":              holdsIf(contentHidden, func(value []byte) bool { return string(value) == "hidden" }),
		"direction":                       holdsFor(RightToLeft, []string{"rtl"}, []string{"ltr"}),
		"display":                         setDisplay,
		"filter -webkit-filter":           setFilter,
		"font":                            setFont,
		"font-size":                       func(s *Style, value []byte) { s.size.set(value) },
		"height block-size":               holdsIf(zeroHeight, isTiny),
		"inset":                           setSides(topOffScreen, leftOffScreen),
		"left inset-inline-start":         holdsIf(leftOffScreen, isOffScreen),
		"margin":                          setSides(marginTopOffScreen, marginLeftOffScreen),
		"margin-left margin-inline-start": holdsIf(marginLeftOffScreen, isOffScreen),
		"margin-top margin-block-start":   holdsIf(marginTopOffScreen, isOffScreen),
		"max-height max-block-size":       holdsIf(zeroMaxHeight, isTiny),
		"max-width max-inline-size":       holdsIf(zeroMaxWidth, isTiny),
		"opacity":                         func(s *Style, value []byte) { s.opacity.set(value) },
		"overflow overflow-x overflow-y":  setOverflow,
		"position":                        setPosition,
		"rotate":                          holdsIf(rotateEdgeOn, isTurnedEdgeOn),
		"scale":                           holdsIf(scaleZero, func(value []byte) bool { return hasZeroScale(value, atSpace) }),
		"text-indent":                     setIndent,
		"top inset-block-start":           holdsIf(topOffScreen, isOffScreen),
		"transform -webkit-transform -ms-transform": setTransform,
		"translate":               holdsIf(translateOffScreen, func(value []byte) bool { return hasOffScreen(value, atSpace) }),
		"unicode-bidi":            holdsIf(BidiOverride, func(value []byte) bool { return bytes.HasSuffix(value, []byte("-override")) }),
		"visibility":              holdsFor(invisible, []string{"hidden", "collapse"}, []string{"visible", "initial"}),
		"-webkit-text-fill-color": func(s *Style, value []byte) { s.fill.set(value) },
		"width inline-size":       holdsIf(zeroWidth, isTiny),
		"z-index":                 setZIndex,
	} {
		for name := range strings.FieldsSeq(names) {
			setters[name] = set
		}
	}
	return setters
})

// holdsIf returns the setter of a property that holds for the values that pass a test.
func holdsIf(p Property, test func(value []byte) bool) setter {
	return func(s *Style, value []byte) { s.Set(p, test(value)) }
}

// holdsFor returns the setter of a property that holds for some words, and not for others.
func holdsFor(p Property, words, others []string) setter {
	return func(s *Style, value []byte) {
		if holds := slices.Contains(words, string(value)); holds || slices.Contains(others, string(value)) {
			s.Set(p, holds)
		}
	}
}

func setAll(s *Style, value []byte) {
	switch string(value) {
	case "initial":
		*s = initialStyle()
	case "unset", "revert": // inherited properties are still inherited
		*s = initialStyle()
		s.Text, s.fill, s.size, s.specified = unsetColour, unsetColour, fontSize{}, s.specified&^(1<<invisible)
	}
}

// setBackground sets the colour of a background, which is unknown behind a picture.
func setBackground(s *Style, value []byte) {
	if bytes.Contains(value, []byte("url(")) || bytes.Contains(value, []byte("gradient(")) {
		s.Background = UnknownColour
		return
	}
	for word := range split(value, atSpace|atComma) {
		if c := ParseColour(word); c != UnknownColour {
			s.Background = c
			return
		}
	}
}

func setBackgroundColour(s *Style, value []byte) {
	if s.Background != UnknownColour { // a picture is before it
		s.Background.set(value)
	}
}

func setDisplay(s *Style, value []byte) {
	first, _, _ := bytes.Cut(value, []byte(" "))
	switch string(first) {
	case "none":
		if len(value) > len(first) {
			return
		}
	case "block", "inline", "contents", "flex", "grid", "list-item", "flow", "flow-root", "ruby", "math", "run-in", "initial", "inherit",
		"unset", "revert", "revert-layer":
	default:
		isPrefix := func(prefix string) bool { return bytes.HasPrefix(first, []byte(prefix)) }
		if !slices.ContainsFunc([]string{"inline-", "table", "ruby-", "-webkit-", "-ms-", "-moz-"}, isPrefix) {
			return
		}
	}
	s.Set(DisplayNone, string(first) == "none")
}

// setFilter sets the opacity that a filter leaves.
func setFilter(s *Style, value []byte) {
	s.filter = alphaOf(1)
	for len(value) > 0 {
		var name, argument []byte
		if name, argument, value = cutFunction(value); string(name) == "opacity" {
			s.filter.set(argument)
		}
	}
}

func setFont(s *Style, value []byte) {
	for word := range bytes.SplitSeq(value, []byte(" ")) {
		size, _, _ := bytes.Cut(word, []byte("/"))
		if n, _, ok := parseNumber(size); ok && n >= 100 && isAll(size, "0123456789") {
			continue // the weight
		}
		s.size.set(size)
	}
}

func setIndent(s *Style, value []byte) {
	s.Set(indentOffScreen, isOffScreen(value))
	if m, ok := parseLength(value); ok {
		s.Set(indentBeyondBox, m.percent >= 100 || m.pixels >= -2*farOutside)
	}
}

func setOverflow(s *Style, value []byte) {
	first, _, _ := bytes.Cut(value, []byte(" "))
	switch string(first) {
	case "hidden", "clip", "auto", "scroll", "overlay", "visible", "initial":
		s.Set(overflowHidden, first[0] != 'v' && first[0] != 'i')
	}
}

func setPosition(s *Style, value []byte) {
	switch string(value) {
	case "absolute", "fixed", "relative", "sticky", "-webkit-sticky", "static", "initial":
		s.Set(absolute, value[0] == 'a' || value[0] == 'f')
		s.Set(positioned, string(value) != "static" && value[0] != 'i')
	}
}

// setSides returns the setter of two properties by the values for the top and the left side.
func setSides(top, left Property) setter {
	return func(s *Style, value []byte) {
		if sides, ok := parseSides(value); ok {
			s.Set(top, sides[0].isOffScreen())
			s.Set(left, sides[3].isOffScreen())
		}
	}
}

// setTransform sets what functions that move, scale or turn an element do to it.
func setTransform(s *Style, value []byte) {
	isShrunk, isMoved := false, false
	for len(value) > 0 {
		var name, argument []byte
		name, argument, value = cutFunction(value)
		switch string(name) {
		case "scale", "scalex", "scaley", "scale3d":
			isShrunk = isShrunk || hasZeroScale(argument, atComma)
		case "matrix":
			isShrunk = isShrunk || isZeroMatrix(argument)
			isMoved = isMoved || hasOffScreen(argument, atComma)
		case "rotatex", "rotatey":
			isShrunk = isShrunk || isEdgeOn(argument)
		case "translate", "translatex", "translatey", "translate3d":
			isMoved = isMoved || hasOffScreen(argument, atComma)
		}
	}
	s.Set(transformInvisible, isShrunk)
	s.Set(transformOffScreen, isMoved)
}

func setZIndex(s *Style, value []byte) {
	n, unit, ok := parseNumber(value)
	s.Set(negativeZIndex, ok && n < 0 && len(unit) == 0)
	s.Set(hasZIndex, ok)
}

// isAll reports whether value consists of these characters.
func isAll(value []byte, of string) bool { return len(bytes.Trim(value, of)) == 0 }

func (m length) isTiny() bool { return m.percent <= 0 && m.pixels+m.plain <= tinyBox }

func (m length) isOffScreen() bool { return min(m.pixels, m.plain, m.percent, m.total()) <= farOutside }

// isTiny reports whether a box of this height or width has no room for text.
func isTiny(value []byte) bool {
	m, ok := parseLength(value)
	return ok && m.isTiny()
}

// isOffScreen reports whether a length is far outside of the page.
func isOffScreen(value []byte) bool {
	m, ok := parseLength(value)
	return ok && m.isOffScreen()
}

// hasOffScreen reports whether a length in a list is far outside of the page.
func hasOffScreen(lengths []byte, separator stops) bool {
	for length := range split(lengths, separator) {
		if isOffScreen(length) {
			return true
		}
	}
	return false
}

// tinyScale is a scale at which nobody can read text.
const tinyScale = 0.1

// hasZeroScale reports whether one of the first two numbers in a list is nearly 0.
func hasZeroScale(numbers []byte, separator stops) bool {
	m, n := parseLengths(numbers, separator)
	return slices.ContainsFunc(m[:min(n, 2)], func(m length) bool { return math.Abs(m.plain+m.percent/100) <= tinyScale })
}

// isZeroMatrix reports whether a matrix leaves nothing of an element: its determinant is nearly 0.
func isZeroMatrix(numbers []byte) bool {
	m, n := parseLengths(numbers, atComma)
	return n == len(m) && math.Abs(m[0].plain*m[3].plain-m[1].plain*m[2].plain) <= tinyScale*tinyScale
}

// isEdgeOn reports whether an angle is a quarter turn or three quarters, so that nothing flat is seen.
func isEdgeOn(angle []byte) bool {
	n, unit, ok := parseNumber(angle)
	n = math.Mod(math.Abs(n*degrees(unit)), 180)
	return ok && n > 89 && n < 91
}

// isTurnedEdgeOn reports the same of an axis and an angle.
func isTurnedEdgeOn(value []byte) bool {
	axis, angle, ok := bytes.Cut(value, []byte(" "))
	return ok && (string(axis) == "x" || string(axis) == "y") && isEdgeOn(angle)
}

// isEmptyRectangle reports whether a clip leaves nothing to see: "rect(0, 0, 0, 0)", or pixels in place of zeros.
func isEmptyRectangle(value []byte) bool {
	value, ok := bytes.CutPrefix(value, []byte("rect("))
	return ok && isAll(value, "01px ,)") && !bytes.Contains(value, []byte("10")) && !bytes.Contains(value, []byte("11"))
}

// isEmptyShape reports whether a clip-path leaves nothing to see.
func isEmptyShape(value []byte) bool {
	name, argument, _ := cutFunction(value)
	switch string(name) {
	case "circle":
		m, n := parseLengths(argument, atSpace)
		return n > 0 && m[0].isTiny()
	case "ellipse":
		m, n := parseLengths(argument, atSpace)
		isThin := func(m length) bool { return m.percent <= 0 && m.pixels <= tinyBox }
		return n > 1 && !m[0].isNaN() && !m[1].isNaN() && (isThin(m[0]) || isThin(m[1]))
	case "inset": // inset(50%), inset(0 0 100% 0)
		argument, _, _ = bytes.Cut(argument, []byte(" round"))
		m, ok := parseSides(argument)
		share := func(m length) float64 {
			if m.pixels >= -2*farOutside {
				return 100
			}
			return m.percent
		}
		return ok && !slices.ContainsFunc(m[:], length.isNaN) && (share(m[0])+share(m[2]) >= 100 || share(m[1])+share(m[3]) >= 100)
	case "rect", "xywh", "polygon":
		return isAll(argument, "01px%, ") && !bytes.Contains(argument, []byte("10"))
	}
	return false
}
