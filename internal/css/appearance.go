package css

// Reasons is a set of reasons why text is hidden; the empty set if it is seen.
type Reasons uint8

// The reasons.
const (
	ByStyle   Reasons = 1 << iota // display:none, visibility:hidden, opacity:0
	ByColour                      // text in the colour of its background
	BySize                        // text, or a box around it, of nearly no size
	OffScreen                     // text far to the left of or above the screen
)

// Appearance is how text inside an element is shown: what it inherits from the elements around it.
type Appearance struct {
	Removed   Reasons // why nothing inside can be seen, whatever its style
	Invisible bool    // visibility: hidden
	Reversals uint8   // how often the order of letters is reversed; an odd number means from right to left

	opacity     float32
	size        float32 // of the font, in pixels
	text        Colour
	fill        Colour
	background  Colour
	hasBackdrop bool // a background hides what has a negative z-index
	rightToLeft bool
}

// MaxReversals is how often the order of letters may be reversed inside of each other.
const MaxReversals = 8

// NewAppearance returns the appearance of text on a page without styles.
func NewAppearance() Appearance {
	return Appearance{opacity: 1, size: normalSize, text: black, fill: currentColour, background: white}
}

// Inside returns the appearance of text inside an element of that style.
func (a Appearance) Inside(s *Style) Appearance {
	is := s.is
	a.opacity = s.filter.times(s.opacity.times(a.opacity))
	if is(DisplayNone) || is(contentHidden) || a.opacity <= faintOpacity+0.001 || is(negativeZIndex) && is(positioned) && a.hasBackdrop {
		a.Removed |= ByStyle
	}
	hasNoSize := is(zeroHeight) || is(zeroMaxHeight) || is(zeroWidth) || is(zeroMaxWidth)
	if is(overflowHidden) && hasNoSize || is(absolute) && is(clipEmpty) || is(clipPathEmpty) ||
		is(transformInvisible) || is(scaleZero) || is(rotateEdgeOn) {
		a.Removed |= BySize
	}
	if is(positioned) && (is(leftOffScreen) || is(topOffScreen)) || is(indentOffScreen) || is(indentBeyondBox) && is(overflowHidden) ||
		is(marginLeftOffScreen) || is(marginTopOffScreen) || is(transformOffScreen) || is(translateOffScreen) {
		a.Removed |= OffScreen
	}
	if s.specifies(invisible) {
		a.Invisible = is(invisible)
	}
	switch {
	case !s.size.isSet:
	case s.size.isRelative:
		a.size *= s.size.n
	default:
		a.size = s.size.n
	}
	if s.Text != unsetColour && s.Text != inheritedColour && s.Text != currentColour {
		a.text = s.Text
	}
	if s.fill != unsetColour && s.fill != inheritedColour {
		a.fill = s.fill
	}
	switch s.Background {
	case unsetColour, inheritedColour, transparentColour:
	case currentColour:
		a.background, a.hasBackdrop = a.text, true
	default:
		a.background, a.hasBackdrop = s.Background, true
	}
	if is(positioned) && is(hasZIndex) || s.opacity != 0 || is(transformInvisible) || is(transformOffScreen) {
		a.hasBackdrop = false // a negative z-index inside goes no further back than this element
	}
	if s.specifies(RightToLeft) {
		a.rightToLeft = is(RightToLeft)
	}
	if is(BidiOverride) && a.rightToLeft != (a.Reversals%2 == 1) && a.Reversals < MaxReversals {
		a.Reversals++
	}
	return a
}

// Reasons returns why text of this appearance is hidden.
func (a Appearance) Reasons() Reasons {
	reasons := a.Removed
	if a.Invisible {
		reasons |= ByStyle
	}
	if a.size <= tinyFont {
		reasons |= BySize
	}
	letters := a.text
	if a.fill != currentColour {
		letters = a.fill
	}
	if letters.isNear(a.background) {
		reasons |= ByColour
	}
	return reasons
}
