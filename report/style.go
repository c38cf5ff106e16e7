package report

import (
	"image/color"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
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
	return draw.GlyphStyle{Color: translucent(colour(i), 0x90), Radius: radius, Shape: shapes[i%len(shapes)]}
}

// translucent is a colour through which others can be seen.
func translucent(c color.RGBA, alpha uint8) color.Color { return color.NRGBA{c.R, c.G, c.B, alpha} }

// fonts are those of the plots, which are read when the first is drawn.
type fonts struct {
	cache         *font.Cache
	regular, bold font.Font
}

func newFonts() fonts {
	f := fonts{
		cache:   font.NewCache(liberation.Collection()),
		regular: font.Font{Typeface: "Liberation", Variant: "Sans"},
	}
	f.bold = f.regular
	f.bold.Weight = 3 // bold, as golang.org/x/image/font counts
	return f
}

func (f fonts) width(of font.Font, size vg.Length, text string) vg.Length {
	face := f.cache.Lookup(of, size)
	return face.Width(text)
}

// text writes text with the given share of its width to the left of p, which is on the base line.
func (f fonts) text(canvas draw.Canvas, of font.Font, size vg.Length, p vg.Point, text string, left vg.Length) {
	if text == "" {
		return
	}
	face := f.cache.Lookup(of, size)
	p.X -= left * face.Width(text)
	canvas.SetColor(color.Gray{ink})
	canvas.FillString(face, p, text)
}
