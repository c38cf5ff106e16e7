package report

import (
	"image/color"

	"codeberg.org/go-fonts/liberation/liberationsansbold"
	"codeberg.org/go-fonts/liberation/liberationsansregular"
	weights "golang.org/x/image/font"
	"golang.org/x/image/font/opentype"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Greys of what is not data: text, axes, the grid.
const (
	ink  = 0x22
	grey = 0x88
	pale = 0xe4
)

// palette returns the colours of Okabe and Ito that can be seen on white.
func palette() []color.RGBA {
	return []color.RGBA{
		{0x00, 0x72, 0xb2, 0xff}, // blue
		{0xd5, 0x5e, 0x00, 0xff}, // vermilion
		{0x00, 0x9e, 0x73, 0xff}, // bluish green
		{0xcc, 0x79, 0xa7, 0xff}, // reddish purple
		{0xe6, 0x9f, 0x00, 0xff}, // orange
		{0x56, 0xb4, 0xe9, 0xff}, // sky blue
		{0x22, 0x22, 0x22, 0xff}, // black
	}
}

func colour(i int) color.RGBA {
	all := palette()
	return all[i%len(all)]
}

// lineStyle returns the style of the i-th line: lines of one colour, which come again after seven, differ in their dashes.
func lineStyle(i int) draw.LineStyle {
	dashes := [][]vg.Length{nil, {6, 2.5}, {1.5, 2}, {7, 2, 1.5, 2}, {3, 2}}
	return draw.LineStyle{Color: colour(i), Width: 1.4, Dashes: dashes[i%len(dashes)]}
}

// glyphStyle returns the mark of the i-th class.
func glyphStyle(i int, radius vg.Length) draw.GlyphStyle {
	shapes := []draw.GlyphDrawer{draw.CircleGlyph{}, draw.PyramidGlyph{}, draw.BoxGlyph{}}
	return draw.GlyphStyle{Color: translucent(colour(i), 0xb0), Radius: radius, Shape: shapes[i%len(shapes)]}
}

// translucent is a colour through which others can be seen.
func translucent(c color.RGBA, alpha uint8) color.Color { return color.NRGBA{c.R, c.G, c.B, alpha} }

// fonts are the two of the plots. They are read for each plot, and not when the program starts.
type fonts struct{ regular, bold font.Face }

func newFonts() (fonts, error) {
	regular, err := opentype.Parse(liberationsansregular.TTF)
	if err != nil {
		return fonts{}, err
	}
	bold, err := opentype.Parse(liberationsansbold.TTF)
	if err != nil {
		return fonts{}, err
	}
	return fonts{font.Face{Face: regular}, font.Face{Font: font.Font{Weight: weights.WeightBold}, Face: bold}}, nil
}

func width(of font.Face, size vg.Length, text string) vg.Length {
	of.Font.Size = size
	return of.Width(text)
}

// write writes text with the given share of its width to the left of p, which is on the base line.
func write(canvas draw.Canvas, with font.Face, size vg.Length, p vg.Point, text string, left vg.Length) {
	if text == "" {
		return
	}
	p.X -= left * width(with, size, text)
	with.Font.Size = size
	canvas.SetColor(color.Gray{ink})
	canvas.FillString(with, p, text)
}
