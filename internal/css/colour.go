package css

import (
	"bytes"
	"math"
	"strings"

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

// ParseColour reads a colour as CSS and old HTML write it: a name, #rgb, #rrggbb, #rgba, #rrggbbaa, a function such as rgb(), or
// six digits alone.
func (s *Sheets) ParseColour(value []byte) Colour {
	var lower [maxColour]byte
	word := ascii.AppendLower(lower[:0], bytes.TrimSpace(value), maxColour)
	if c, ok := hexColour(bytes.TrimPrefix(word, []byte("#"))); ok {
		return c
	}
	if open := bytes.IndexByte(word, '('); open >= 0 {
		return functionColour(word[:open], word[open+1:])
	}
	if s.colours == nil {
		s.colours = namedColours()
	}
	if c, ok := s.colours[string(word)]; ok {
		return c
	}
	return UnknownColour
}

// maxColour is the length of the longest colour that is read.
const maxColour = 40

// hexColour reads a colour in hexadecimal digits.
func hexColour(digits []byte) (c Colour, ok bool) {
	if len(digits) > 8 {
		return 0, false
	}
	var n uint32
	for _, digit := range digits {
		v := ascii.HexDigit(digit)
		if v > 0xf {
			return 0, false
		}
		n = n<<4 | uint32(v)
	}
	switch len(digits) {
	case 3:
		return Colour(n>>8&0xf*0x110000 | n>>4&0xf*0x1100 | n&0xf*0x11), true
	case 4:
		c, _ = hexColour(digits[:3])
		return c.withOpacity(float64(n&0xf) / 0xf), true
	case 6:
		return Colour(n), true
	case 8:
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
	var parts [3]float64
	var isShare [3]bool
	alpha := 1.0
	n := 0
	for list = bytes.TrimLeft(list, ", /"); len(list) > 0; list = bytes.TrimLeft(list, ", /") {
		end := bytes.IndexAny(list, ", /")
		if end < 0 {
			end = len(list)
		}
		v, unit, ok := parseNumber(list[:end])
		if string(list[:end]) == "none" {
			ok = true
		}
		list = list[end:]
		switch percent := string(unit) == "%"; {
		case !ok:
			return UnknownColour
		case n < len(parts):
			parts[n], isShare[n] = v*degrees(unit), percent
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
	return colourIn(name, space, parts, isShare).withOpacity(alpha)
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
func colourIn(name, space []byte, parts [3]float64, isShare [3]bool) Colour {
	switch string(name) {
	case "rgb", "rgba":
		for i := range parts {
			if isShare[i] {
				parts[i] = parts[i] * 255 / 100
			}
		}
		return ofRGB(parts[0], parts[1], parts[2])
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
		if !bytes.HasPrefix(space, []byte("srgb")) && string(space) != "display-p3" {
			return UnknownColour
		}
		for i := range parts {
			if isShare[i] {
				parts[i] /= 100
			}
			parts[i] *= 255
		}
		if string(space) == "srgb-linear" && (min(parts[0], parts[1], parts[2]) > 0 && max(parts[0], parts[1], parts[2]) < 255) {
			return UnknownColour
		}
		return ofRGB(parts[0], parts[1], parts[2])
	case "lab", "lch", "oklab", "oklch":
		lightness := parts[0] / 100
		if bytes.HasPrefix(name, []byte("ok")) && !isShare[0] {
			lightness = parts[0]
		}
		switch {
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

// namedColours returns the named colours (CSS Color Module Level 4, section 6.1).
func namedColours() map[string]Colour {
	const table = `aliceblue f0f8ff antiquewhite faebd7 aqua 00ffff aquamarine 7fffd4 azure f0ffff beige f5f5dc bisque ffe4c4
		black 000000 blanchedalmond ffebcd blue 0000ff blueviolet 8a2be2 brown a52a2a burlywood deb887 cadetblue 5f9ea0
		chartreuse 7fff00 chocolate d2691e coral ff7f50 cornflowerblue 6495ed cornsilk fff8dc crimson dc143c cyan 00ffff
		darkblue 00008b darkcyan 008b8b darkgoldenrod b8860b darkgray a9a9a9 darkgreen 006400 darkgrey a9a9a9
		darkkhaki bdb76b darkmagenta 8b008b darkolivegreen 556b2f darkorange ff8c00 darkorchid 9932cc darkred 8b0000
		darksalmon e9967a darkseagreen 8fbc8f darkslateblue 483d8b darkslategray 2f4f4f darkslategrey 2f4f4f
		darkturquoise 00ced1 darkviolet 9400d3 deeppink ff1493 deepskyblue 00bfff dimgray 696969 dimgrey 696969
		dodgerblue 1e90ff firebrick b22222 floralwhite fffaf0 forestgreen 228b22 fuchsia ff00ff gainsboro dcdcdc
		ghostwhite f8f8ff gold ffd700 goldenrod daa520 gray 808080 green 008000 greenyellow adff2f grey 808080
		honeydew f0fff0 hotpink ff69b4 indianred cd5c5c indigo 4b0082 ivory fffff0 khaki f0e68c lavender e6e6fa
		lavenderblush fff0f5 lawngreen 7cfc00 lemonchiffon fffacd lightblue add8e6 lightcoral f08080 lightcyan e0ffff
		lightgoldenrodyellow fafad2 lightgray d3d3d3 lightgreen 90ee90 lightgrey d3d3d3 lightpink ffb6c1
		lightsalmon ffa07a lightseagreen 20b2aa lightskyblue 87cefa lightslategray 778899 lightslategrey 778899
		lightsteelblue b0c4de lightyellow ffffe0 lime 00ff00 limegreen 32cd32 linen faf0e6 magenta ff00ff maroon 800000
		mediumaquamarine 66cdaa mediumblue 0000cd mediumorchid ba55d3 mediumpurple 9370db mediumseagreen 3cb371
		mediumslateblue 7b68ee mediumspringgreen 00fa9a mediumturquoise 48d1cc mediumvioletred c71585
		midnightblue 191970 mintcream f5fffa mistyrose ffe4e1 moccasin ffe4b5 navajowhite ffdead navy 000080
		oldlace fdf5e6 olive 808000 olivedrab 6b8e23 orange ffa500 orangered ff4500 orchid da70d6 palegoldenrod eee8aa
		palegreen 98fb98 paleturquoise afeeee palevioletred db7093 papayawhip ffefd5 peachpuff ffdab9 peru cd853f
		pink ffc0cb plum dda0dd powderblue b0e0e6 purple 800080 rebeccapurple 663399 red ff0000 rosybrown bc8f8f
		royalblue 4169e1 saddlebrown 8b4513 salmon fa8072 sandybrown f4a460 seagreen 2e8b57 seashell fff5ee
		sienna a0522d silver c0c0c0 skyblue 87ceeb slateblue 6a5acd slategray 708090 slategrey 708090 snow fffafa
		springgreen 00ff7f steelblue 4682b4 tan d2b48c teal 008080 thistle d8bfd8 tomato ff6347 turquoise 40e0d0
		violet ee82ee wheat f5deb3 white ffffff whitesmoke f5f5f5 yellow ffff00 yellowgreen 9acd32`
	colours := map[string]Colour{"transparent": transparentColour, "inherit": inheritedColour,
		"currentcolor": currentColour, "canvas": white, "canvastext": black, "window": white, "windowtext": black, "field": white,
		"fieldtext": black, "initial": unsetColour, "unset": inheritedColour}
	name := ""
	for word := range strings.FieldsSeq(table) {
		if name == "" {
			name = word
			continue
		}
		if c, ok := hexColour([]byte(word)); ok {
			colours[name] = c
		}
		name = ""
	}
	return colours
}
