package message

import "bytes"

// transform takes up what moves, shrinks or turns an element.
func (s *style) transform(property, value []byte) {
	switch string(property) {
	case "scale":
		s.set(scaledAway, hasNothing(value, ' '))
		return
	case "rotate":
		axis, angle, ok := bytes.Cut(value, []byte(" "))
		s.set(turnedAway, ok && (string(axis) == "x" || string(axis) == "y") && isOnEdge(angle))
		return
	case "translate":
		s.set(slidAway, hasFar(value, ' '))
		return
	}
	isShrunk, isFar := false, false
	for rest := value; len(rest) > 0; {
		name, argument, next := cutFunction(rest)
		rest = next
		switch string(name) {
		case "scale", "scalex", "scaley", "scale3d":
			isShrunk = isShrunk || hasNothing(argument, ',')
		case "matrix":
			isShrunk = isShrunk || isFlat(argument)
			isFar = isFar || hasFar(argument, ',')
		case "rotatex", "rotatey":
			isShrunk = isShrunk || isOnEdge(argument)
		case "translate", "translatex", "translatey", "translate3d":
			isFar = isFar || hasFar(argument, ',')
		}
	}
	s.set(shrunk, isShrunk)
	s.set(carriedOff, isFar)
}

// hasNothing reports whether one of the first two numbers in a list is next to 0.
func hasNothing(numbers []byte, separator byte) bool {
	for n := 0; n < 2 && len(numbers) > 0; n++ {
		var one []byte
		one, numbers = cutAt(numbers, separator)
		m, ok := size(one)
		if is := m.plain + m.share/100; ok && -tinyScale <= is && is <= tinyScale {
			return true
		}
	}
	return false
}

// tinyScale is how many times smaller text may be and yet be read.
const tinyScale = 0.1

// hasFar reports whether a size in a list is far outside of the page.
func hasFar(sizes []byte, separator byte) bool {
	for len(sizes) > 0 {
		var one []byte
		one, sizes = cutAt(sizes, separator)
		if m, ok := size(one); ok && m.isFar() {
			return true
		}
	}
	return false
}

// isFlat reports whether a matrix leaves nothing of an element: its determinant is 0.
func isFlat(numbers []byte) bool {
	var m [4]float64
	for i := range m {
		var one []byte
		one, numbers = cutAt(numbers, ',')
		n, ok := size(one)
		if !ok {
			return false
		}
		m[i] = n.plain
	}
	area := m[0]*m[3] - m[1]*m[2]
	return -tinyScale*tinyScale <= area && area <= tinyScale*tinyScale
}

// isOnEdge reports whether an angle is a quarter turn or three, so that nothing is seen of what is flat.
func isOnEdge(angle []byte) bool {
	n, unit, ok := number(angle)
	switch string(unit) {
	case "turn":
		n *= 360
	case "rad":
		n *= 180 / 3.14159265
	case "grad":
		n *= 0.9
	}
	if n < 0 {
		n = -n
	}
	for n >= 180 && n < 1e6 {
		n -= 180
	}
	return ok && n > 89 && n < 91
}

// cutAt cuts a list at its first separator outside of parentheses.
func cutAt(list []byte, separator byte) (first, rest []byte) {
	depth := 0
	for i, c := range list {
		switch {
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == separator && depth <= 0:
			return trimCSS(list[:i]), trimCSS(list[i+1:])
		}
	}
	return trimCSS(list), nil
}

// noShape reports whether a clip-path leaves nothing to see.
func noShape(value []byte) bool {
	name, argument, _ := cutFunction(value)
	first, rest := cutAt(argument, ' ')
	m, ok := size(first)
	switch string(name) {
	case "circle":
		return ok && m.share <= 0 && m.pixels+m.plain <= tinyBox
	case "ellipse":
		second, _ := cutAt(rest, ' ')
		n, okToo := size(second)
		return ok && okToo && (m.share <= 0 && m.pixels <= tinyBox || n.share <= 0 && n.pixels <= tinyBox)
	case "inset":
		return noInset(argument)
	case "rect", "xywh", "polygon":
		return isAll(argument, "01px%, ") && !bytes.Contains(argument, []byte("10"))
	}
	return false
}

// noInset reports whether what is cut off on both sides is all there is: inset(50%), inset(0 0 100% 0).
func noInset(argument []byte) bool {
	argument, _, _ = bytes.Cut(argument, []byte(" round"))
	var sides [4]float64
	n := 0
	for ; n < len(sides) && len(argument) > 0; n++ {
		var one []byte
		one, argument = cutAt(argument, ' ')
		m, ok := size(one)
		if !ok {
			return false
		}
		sides[n] = m.share
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
