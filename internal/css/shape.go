package css

import (
	"bytes"
	"math"

	"chaff/internal/ascii"
)

// setTransform sets what a property that moves, scales or turns an element does to it.
func (s *Style) setTransform(property, value []byte) {
	switch string(property) {
	case "scale":
		s.Set(scaleZero, hasZeroScale(value, atSpace))
		return
	case "rotate":
		axis, angle, ok := bytes.Cut(value, []byte(" "))
		s.Set(rotateEdgeOn, ok && (string(axis) == "x" || string(axis) == "y") && isEdgeOn(angle))
		return
	case "translate":
		s.Set(translateOffScreen, hasOffScreen(value, atSpace))
		return
	}
	isShrunk, isOffScreen := false, false
	for rest := value; len(rest) > 0; {
		name, argument, next := cutFunction(rest)
		rest = next
		switch string(name) {
		case "scale", "scalex", "scaley", "scale3d":
			isShrunk = isShrunk || hasZeroScale(argument, atComma)
		case "matrix":
			isShrunk = isShrunk || isZeroMatrix(argument)
			isOffScreen = isOffScreen || hasOffScreen(argument, atComma)
		case "rotatex", "rotatey":
			isShrunk = isShrunk || isEdgeOn(argument)
		case "translate", "translatex", "translatey", "translate3d":
			isOffScreen = isOffScreen || hasOffScreen(argument, atComma)
		}
	}
	s.Set(transformInvisible, isShrunk)
	s.Set(transformOffScreen, isOffScreen)
}

// hasZeroScale reports whether one of the first two numbers in a list is nearly 0.
func hasZeroScale(numbers []byte, separator stops) bool {
	for n := 0; n < 2 && len(numbers) > 0; n++ {
		m, rest, ok := cutLength(numbers, separator)
		numbers = rest
		if is := m.plain + m.percent/100; ok && -tinyScale <= is && is <= tinyScale {
			return true
		}
	}
	return false
}

// tinyScale is a scale at which nobody can read text.
const tinyScale = 0.1

// hasOffScreen reports whether a length in a list is far outside of the page.
func hasOffScreen(sizes []byte, separator stops) bool {
	for len(sizes) > 0 {
		m, rest, ok := cutLength(sizes, separator)
		if ok && m.isOffScreen() {
			return true
		}
		sizes = rest
	}
	return false
}

// isZeroMatrix reports whether a matrix leaves nothing of an element: its determinant is nearly 0.
func isZeroMatrix(numbers []byte) bool {
	var m [4]float64
	for i := range m {
		n, rest, ok := cutLength(numbers, atComma)
		if !ok {
			return false
		}
		m[i], numbers = n.plain, rest
	}
	area := m[0]*m[3] - m[1]*m[2]
	return -tinyScale*tinyScale <= area && area <= tinyScale*tinyScale
}

// isEdgeOn reports whether an angle is a quarter turn or three quarters, so that nothing flat is seen.
func isEdgeOn(angle []byte) bool {
	n, unit, ok := parseNumber(angle)
	n = math.Mod(math.Abs(n*degrees(unit)), 180)
	return ok && n > 89 && n < 91
}

// cutLength parses the first length of a list, and reports whether it is one.
func cutLength(list []byte, at stops) (first length, rest []byte, ok bool) {
	text, rest := cutList(list, at)
	first, ok = parseLength(text)
	return first, rest, ok
}

// cutList cuts a list at its first separator outside of parentheses, and trims both parts.
func cutList(list []byte, at stops) (first, rest []byte) {
	first, rest = cutStop(list, at)
	return first, ascii.Space.Trim(rest)
}

// isEmptyShape reports whether a clip-path leaves nothing to see.
func isEmptyShape(value []byte) bool {
	name, argument, _ := cutFunction(value)
	first, rest := cutList(argument, atSpace)
	m, ok := parseLength(first)
	switch string(name) {
	case "circle":
		return ok && m.percent <= 0 && m.pixels+m.plain <= tinyBox
	case "ellipse":
		second, _ := cutList(rest, atSpace)
		n, okToo := parseLength(second)
		return ok && okToo && (m.percent <= 0 && m.pixels <= tinyBox || n.percent <= 0 && n.pixels <= tinyBox)
	case "inset":
		return isEmptyInset(argument)
	case "rect", "xywh", "polygon":
		return isAll(argument, "01px%, ") && !bytes.Contains(argument, []byte("10"))
	}
	return false
}

// isEmptyInset reports whether an inset leaves nothing between its sides: inset(50%), inset(0 0 100% 0).
func isEmptyInset(argument []byte) bool {
	argument, _, _ = bytes.Cut(argument, []byte(" round"))
	var sides [4]float64
	n := 0
	for ; n < len(sides) && len(argument) > 0; n++ {
		m, rest, ok := cutLength(argument, atSpace)
		if !ok {
			return false
		}
		sides[n], argument = m.percent, rest
		if m.pixels >= -2*farOutside {
			sides[n] = 100
		}
	}
	switch n {
	case 0:
		return false
	case 1:
		return sides[0] >= 50
	case 2:
		return sides[0] >= 50 || sides[1] >= 50
	case 3:
		return sides[0]+sides[2] >= 100 || sides[1] >= 50
	}
	return sides[0]+sides[2] >= 100 || sides[1]+sides[3] >= 100
}
