package message

// look is how the text at one place in HTML is shown: what is inherited from the elements around it.
type look struct {
	why     Marks // why it is not seen, for good: nothing inside can be seen either
	opacity float32
	size    float32 // of the font, in pixels
	text    colour
	fill    colour
	ground  colour
	unseen  bool
	covered bool  // a background is before what is below
	left    bool  // it is read from right to left
	turns   uint8 // how often the order of letters is turned: an odd number is from right to left
}

// newLook is that of a page of which nothing is said.
func newLook() look {
	return look{opacity: 1, size: normalSize, text: black, fill: currentColour, ground: white}
}

// inside returns how text inside an element of style s is shown.
func (l look) inside(s *style) look {
	is := s.is
	l.opacity = s.filter.times(s.opacity.times(l.opacity))
	if is(gone) || is(contentGone) || l.opacity <= faintOpacity+0.001 || is(below) && is(moved) && l.covered {
		l.why.add(HiddenByStyle)
	}
	if is(clipped) && (is(noHeight) || is(noMaxHeight) || is(noWidth) || is(noMaxWidth)) || is(placed) && is(cutOff) || is(cutOut) ||
		is(shrunk) || is(scaledAway) || is(turnedAway) {
		l.why.add(HiddenBySize)
	}
	if is(moved) && (is(farLeft) || is(farUp)) || is(indented) || is(pushedOut) && is(clipped) || is(marginLeft) || is(marginTop) ||
		is(carriedOff) || is(slidAway) {
		l.why.add(HiddenOffScreen)
	}
	if s.says(unseen) {
		l.unseen = is(unseen)
	}
	switch {
	case !s.size.isSet:
	case s.size.isRelative:
		l.size *= s.size.n
	default:
		l.size = s.size.n
	}
	if s.text != unsetColour && s.text != inheritedColour && s.text != currentColour {
		l.text = s.text
	}
	if s.fill != unsetColour && s.fill != inheritedColour {
		l.fill = s.fill
	}
	switch s.ground {
	case unsetColour, inheritedColour, transparentColour:
	case currentColour:
		l.ground, l.covered = l.text, true
	default:
		l.ground, l.covered = s.ground, true
	}
	if is(moved) && is(layered) || s.opacity != 0 || is(shrunk) || is(carriedOff) {
		l.covered = false // what is below goes no further than here
	}
	if s.says(leftward) {
		l.left = is(leftward)
	}
	if is(ordered) && l.left != (l.turns%2 == 1) && l.turns < maxTurns {
		l.turns++
	}
	return l
}

// hidden returns why text of this look is not seen, nothing if it is.
func (l look) hidden() Marks {
	why := l.why
	if l.unseen {
		why.add(HiddenByStyle)
	}
	if l.size <= tinyFont {
		why.add(HiddenBySize)
	}
	letters := l.text
	if l.fill != currentColour {
		letters = l.fill
	}
	if letters.near(l.ground) {
		why.add(HiddenByColour)
	}
	if why != 0 {
		why.add(HiddenText)
	}
	return why
}
