package report

import (
	"bytes"

	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Plot is a plot of a page.
type Plot struct {
	// Name is a name for a file, without ending: "roc", "det", "scores".
	Name string
	// Title is what is written above the plot, Note explains how to read it.
	Title, Note string
	chart       chart
}

// SVG returns the plot as SVG, on white. The text in it is text.
func (p Plot) SVG() ([]byte, error) {
	f, err := newFonts()
	if err != nil {
		return nil, err
	}
	canvas := vgsvg.New(chartWidth, p.chart.height(f))
	p.chart.draw(draw.New(canvas), f)
	var b bytes.Buffer
	if _, err := canvas.WriteTo(&b); err != nil {
		return nil, err
	}
	// Where there is no Liberation Sans, a font with letters of the same widths. The quote before it is never in text, where
	// it is escaped.
	return bytes.ReplaceAll(b.Bytes(), []byte(`"font-family:Liberation Sans;`), []byte(`"font-family:Liberation Sans,Arial,Helvetica,sans-serif;`)), nil
}

// pngDPI is the resolution of PNG: 917 pixels for the width of a chart.
const pngDPI = 200

// PNG returns the plot as PNG, on white.
func (p Plot) PNG() ([]byte, error) {
	f, err := newFonts()
	if err != nil {
		return nil, err
	}
	canvas := vgimg.NewWith(vgimg.UseWH(chartWidth, p.chart.height(f)), vgimg.UseDPI(pngDPI))
	p.chart.draw(draw.New(canvas), f)
	var b bytes.Buffer
	if _, err := (vgimg.PngCanvas{Canvas: canvas}).WriteTo(&b); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
