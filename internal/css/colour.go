package css

import (
	"bytes"
	"math"

	"chaff/internal/ascii"
)

// Colour is 0xRRGGBB, or one of the values below.
type Colour uint32

const (
	unsetColour       Colour = 1 << (24 + iota)
	UnknownColour            // a picture, or a colour that cannot be read
	transparentColour        // the colour of whatever is behind
	inheritedColour          // the colour of the parent
	currentColour            // the colour of the text
)

// The default colours of text, page and links.
const (
	black      Colour = 0x000000
	white      Colour = 0xffffff
	LinkColour Colour = 0x0000ee
)

// nearness is how much each of red, green and blue may differ, of 255, for text to be unreadable.
const nearness = 12

// isNear reports whether text of colour c cannot be read on b. Unknown colours can be read.
func (c Colour) isNear(b Colour) bool {
	if c == transparentColour {
		return true
	}
	if c > white || b > white {
		return false
	}
	for shift := 0; shift < 24; shift += 8 {
		difference := int(c>>shift&0xff) - int(b>>shift&0xff)
		if difference > nearness || difference < -nearness {
			return false
		}
	}
	return true
}

// maxColour is the length of the longest colour that is read.
const maxColour = 40

// ParseColour reads a colour as CSS and old HTML write it: a name, #rgb, #rrggbb, #rgba, #rrggbbaa, a function such as rgb(), or
// six digits alone.
func ParseColour(value []byte) Colour {
	var lower [maxColour]byte
	word := ascii.AppendLower(lower[:0], bytes.TrimSpace(value), maxColour)
	if c, ok := hexColour(bytes.TrimPrefix(word, []byte("#"))); ok {
		return c
	}
	if name, list, ok := bytes.Cut(word, []byte("(")); ok {
		return functionColour(name, bytes.Clone(list)) // without the copy, lower would be on the heap for every colour
	}
	switch string(word) {
	case "transparent":
		return transparentColour
	case "inherit", "unset":
		return inheritedColour
	case "initial":
		return unsetColour
	case "currentcolor":
		return currentColour
	case "rebeccapurple":
		return 0x663399
	case "canvas", "window", "field":
		return white
	case "canvastext", "windowtext", "fieldtext":
		return black
	}
	if c, ok := namedColour(word); ok {
		return c
	}
	return UnknownColour
}

// set sets a colour, unless value is a word that browsers do not know.
func (c *Colour) set(value []byte) {
	if parsed := ParseColour(value); parsed != UnknownColour || bytes.IndexByte(value, '(') >= 0 {
		*c = parsed
	}
}

// override replaces a colour by another one that is specified.
func (c *Colour) override(by Colour) {
	if by != unsetColour {
		*c = by
	}
}

// uncertain returns what is known of a colour that may be specified or not.
func (c Colour) uncertain() Colour {
	if c == unsetColour {
		return unsetColour
	}
	return UnknownColour
}

// hexColour reads a colour in hexadecimal digits.
func hexColour(digits []byte) (c Colour, ok bool) {
	var n uint32
	isShort := len(digits) <= 4 // #fff stands for #ffffff
	for _, digit := range digits {
		v := uint32(ascii.HexDigit(digit))
		if v > 0xf {
			return 0, false
		}
		n = n<<4 | v
		if isShort {
			n = n<<4 | v
		}
	}
	switch len(digits) {
	case 3, 6:
		return Colour(n), true
	case 4, 8:
		return Colour(n >> 8).withOpacity(float64(n&0xff) / 0xff), true
	}
	return 0, false
}

// withOpacity returns how a colour of that opacity looks: a translucent one is unknown.
func (c Colour) withOpacity(share float64) Colour {
	switch {
	case share <= faintOpacity:
		return transparentColour
	case share < 1-faintOpacity:
		return UnknownColour
	}
	return c
}

// functionColour reads rgb(1, 2, 3), rgba(1 2 3 / 0.5), hsl(), hwb() and color(srgb 1 1 1). Of lab() and its relatives it reads black
// and white.
func functionColour(name, list []byte) Colour {
	list, _, _ = bytes.Cut(list, []byte(")"))
	var space []byte
	if string(name) == "color" {
		space, list, _ = bytes.Cut(bytes.TrimLeft(list, " "), []byte(" "))
	}
	full, one := 255.0, 1.0 // the values of 100% and of a number of 1
	switch string(name) {
	case "hsl", "hsla", "hwb":
		full = 100
	case "color":
		one = 255
	case "lab", "lch":
		full, one = 1, 0.01
	case "oklab", "oklch":
		full = 1
	}
	var parts [3]float64
	alpha := 1.0
	n := 0
	for part := range bytes.FieldsFuncSeq(list, func(r rune) bool { return r == ',' || r == ' ' || r == '/' }) {
		v, unit, ok := parseNumber(part)
		switch percent := string(unit) == "%"; {
		case !ok && string(part) != "none":
			return UnknownColour
		case n < len(parts) && percent:
			parts[n] = v * full / 100
		case n < len(parts):
			parts[n] = v * degrees(unit) * one
		case percent:
			alpha = v / 100
		default:
			alpha = v
		}
		n++
	}
	if n < len(parts) {
		return UnknownColour
	}
	return colourIn(name, space, parts).withOpacity(alpha)
}

// degrees returns the size of a unit of angles in degrees, 1 for other units.
func degrees(unit []byte) float64 {
	switch string(unit) {
	case "turn":
		return 360
	case "rad":
		return 180 / 3.14159265
	case "grad":
		return 0.9
	}
	return 1
}

// colourIn returns the colour of three numbers in a colour space of CSS.
func colourIn(name, space []byte, parts [3]float64) Colour {
	switch string(name) {
	case "rgb", "rgba":
		return ofRGB(parts[:]...)
	case "hsl", "hsla":
		return hueColour(parts[0], parts[1]/100, parts[2]/100)
	case "hwb":
		light, dark := parts[1]/100, parts[2]/100
		if light+dark > 1 {
			light, dark = light/(light+dark), dark/(light+dark)
		}
		// The hue is scaled to the range from the whiteness to 1 minus the blackness.
		c := hueColour(parts[0], 1, 0.5)
		part := func(shift int) float64 { return 255*light + float64(c>>shift&0xff)*(1-light-dark) }
		return ofRGB(part(16), part(8), part(0))
	case "color":
		isKnown := bytes.HasPrefix(space, []byte("srgb")) || string(space) == "display-p3"
		if string(space) == "srgb-linear" { // of which only the ends are those of RGB
			isKnown = min(parts[0], parts[1], parts[2]) <= 0 || max(parts[0], parts[1], parts[2]) >= 255
		}
		if isKnown {
			return ofRGB(parts[:]...)
		}
	case "lab", "lch", "oklab", "oklch":
		switch lightness := parts[0]; {
		case lightness >= 0.98:
			return white
		case lightness <= 0.02:
			return black
		}
	}
	return UnknownColour
}

// ofRGB returns the colour of red, green and blue up to 255.
func ofRGB(parts ...float64) (c Colour) {
	for _, v := range parts {
		c = c<<8 | Colour(min(max(v, 0), 255)+0.5)
	}
	return c
}

// hueColour returns the colour of a hue in degrees, a saturation and a lightness (CSS Color Module Level 4, section 7.1).
func hueColour(hue, saturation, lightness float64) Colour {
	saturation, lightness = min(max(saturation, 0), 1), min(max(lightness, 0), 1)
	hue = math.Mod(hue, 360)
	part := func(n float64) float64 {
		k := math.Mod(n+hue/30+12, 12)
		return 255 * (lightness - saturation*min(lightness, 1-lightness)*max(-1, min(k-3, 9-k, 1)))
	}
	return ofRGB(part(0), part(8), part(4))
}
