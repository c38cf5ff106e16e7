package css

import (
	"bytes"
	"strconv"

	"github.com/tdewolff/parse/v2/css"
	"golang.org/x/image/colornames"

	"chaff/internal/ascii"
)

// Colour is 0xRRGGBB, or one of the values below. A float32 holds them exactly.
type Colour uint32

const (
	black, white, LinkColour Colour = 0x000000, 0xffffff, 0x0000ee

	UnknownColour     Colour = 1 << 24 // a picture, or a colour that cannot be read
	transparentColour Colour = 1 << 25 // the colour of whatever is behind
	inheritedColour   Colour = 1 << 26 // that of the parent
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
	switch string(word) {
	case "transparent":
		return transparentColour
	case "inherit", "unset", "currentcolor":
		return inheritedColour
	}
	if c, ok := colornames.Map[string(word)]; ok {
		return Colour(c.R)<<16 | Colour(c.G)<<8 | Colour(c.B)
	}
	digits := bytes.TrimPrefix(word, []byte("#"))
	n, err := strconv.ParseUint(string(digits), 16, 32)
	if isShort := len(digits) <= 4; isShort { // #fff stands for #ffffff
		n = n&0xf000<<12 | n&0xf00<<8 | n&0xf0<<4 | n&0xf
		n |= n << 4
	}
	switch {
	case err != nil:
	case len(digits) == 3, len(digits) == 6:
		return Colour(n)
	case len(digits) == 4, len(digits) == 8:
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
	opacity := float32(1)
	parts := 0
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

// backgroundOf returns the colour of a background, UnknownColour if it says none, and whether a picture is before it. A gradient between
// colours that cannot be told apart is a colour.
func backgroundOf(value []token) (c Colour, hasPicture bool) {
	c = UnknownColour
	inGradient := false
	for i := range value {
		t := &value[i]
		isFunction := t.kind == css.FunctionToken
		if t.kind == css.URLToken || t.kind == css.BadURLToken || isFunction && bytes.HasPrefix(t.text, []byte("url")) {
			return UnknownColour, true
		}
		isRGB := isFunction && bytes.HasPrefix(t.text, []byte("rgb"))
		inGradient = inGradient || isFunction && !isRGB
		if !isRGB && t.kind != css.HashToken && t.kind != css.IdentToken {
			continue
		}
		next := colourOf(value[i:])
		switch {
		case next == UnknownColour && t.kind == css.IdentToken:
		case next == UnknownColour, inGradient && next > white, c != UnknownColour && !next.isNear(c):
			return UnknownColour, true
		default:
			c = next
		}
	}
	return c, inGradient && c == UnknownColour
}
