package report

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// chart is a plot before it is drawn: two axes and what is between them.
type chart struct {
	title  string
	x, y   axis
	series []series // in the order of drawing
}

// series is a row of points, which can be joined by a line, filled below, or marked each.
type series struct {
	name   string // in the legend; not there if empty
	points []Point
	line   draw.LineStyle  // no line if its width is 0
	fill   color.Color     // no area if nil
	glyph  draw.GlyphStyle // no marks if its radius is 0
	radii  []vg.Length     // for each point, instead of that of the glyph
}

// Measures of a chart.
const (
	chartWidth  = vg.Length(330)
	plainHeight = vg.Length(250) // without the legend
	titleSize   = vg.Length(12)
	labelSize   = vg.Length(10)
	tickSize    = vg.Length(9)
	legendRow   = vg.Length(14)
	sample      = vg.Length(24) // the line before a name in the legend
	tickLength  = vg.Length(4)
)

// height returns how high the chart is, with its legend.
func (c chart) height(f fonts) vg.Length {
	_, rows := c.legendGrid(f)
	return plainHeight + vg.Length(rows)*legendRow
}

// draw draws the chart on a canvas of its width and height.
func (c chart) draw(canvas draw.Canvas, f fonts) {
	canvas.FillPolygon(color.White, corners(canvas.Rectangle))
	_, rows := c.legendGrid(f)
	frame := canvas
	frame.Max.Y -= titleSize + 16
	frame.Max.X -= 14
	frame.Min.Y += vg.Length(rows)*legendRow + tickSize + labelSize + 22
	frame.Min.X += c.widestTick(f) + labelSize + 18
	write(canvas, f.bold, titleSize, vg.Point{X: frame.Min.X, Y: canvas.Max.Y - titleSize - 4}, c.title, 0)
	c.drawGrid(frame)
	for _, s := range c.series {
		c.drawSeries(frame, s)
	}
	c.drawAxes(frame, f)
	c.drawLegend(canvas, f)
}

// corners are those of a rectangle.
func corners(r vg.Rectangle) []vg.Point {
	return []vg.Point{r.Min, {X: r.Max.X, Y: r.Min.Y}, r.Max, {X: r.Min.X, Y: r.Max.Y}}
}

func (c chart) widestTick(f fonts) vg.Length {
	var widest vg.Length
	for _, t := range c.y.ticks {
		widest = max(widest, width(f.regular, tickSize, t.label))
	}
	return widest
}

func (c chart) drawGrid(frame draw.Canvas) {
	thin := draw.LineStyle{Color: color.Gray{pale}, Width: 0.5}
	for _, t := range c.x.ticks {
		if x := frame.X(c.x.at(t.value)); t.label != "" {
			frame.StrokeLine2(thin, x, frame.Min.Y, x, frame.Max.Y)
		}
	}
	for _, t := range c.y.ticks {
		if y := frame.Y(c.y.at(t.value)); t.label != "" {
			frame.StrokeLine2(thin, frame.Min.X, y, frame.Max.X, y)
		}
	}
}

// drawAxes draws the frame, ticks and labels. A label that would touch the one before it is left out.
func (c chart) drawAxes(frame draw.Canvas, f fonts) {
	style := draw.LineStyle{Color: color.Gray{grey}, Width: 0.7}
	closed := append(corners(frame.Rectangle), frame.Min)
	frame.StrokeLines(style, closed)
	end := vg.Length(math.Inf(-1))
	for _, t := range c.x.ticks {
		x := frame.X(c.x.at(t.value))
		frame.StrokeLine2(style, x, frame.Min.Y, x, frame.Min.Y-lengthOf(t))
		width := width(f.regular, tickSize, t.label)
		if t.label == "" || x-width/2 < end+4 {
			continue
		}
		write(frame, f.regular, tickSize, vg.Point{X: x, Y: frame.Min.Y - tickLength - tickSize - 1}, t.label, 0.5)
		end = x + width/2
	}
	end = vg.Length(math.Inf(-1))
	for _, t := range c.y.ticks {
		y := frame.Y(c.y.at(t.value))
		frame.StrokeLine2(style, frame.Min.X, y, frame.Min.X-lengthOf(t), y)
		if t.label == "" || y-tickSize/2 < end+1 {
			continue
		}
		write(frame, f.regular, tickSize, vg.Point{X: frame.Min.X - tickLength - 3, Y: y - tickSize/3}, t.label, 1)
		end = y + tickSize/2
	}
	middle := frame.Center()
	write(frame, f.regular, labelSize, vg.Point{X: middle.X, Y: frame.Min.Y - tickLength - tickSize - labelSize - 5}, c.x.label, 0.5)
	frame.Push()
	frame.Translate(vg.Point{X: frame.Min.X - c.widestTick(f) - 13, Y: middle.Y})
	frame.Rotate(math.Pi / 2)
	write(frame, f.regular, labelSize, vg.Point{}, c.y.label, 0.5)
	frame.Pop()
}

func lengthOf(t tick) vg.Length {
	if t.label == "" {
		return tickLength / 2
	}
	return tickLength
}

func (c chart) drawSeries(frame draw.Canvas, s series) {
	points := c.place(frame, s.points)
	if s.fill != nil && len(points) > 1 {
		area := thin(points)
		area = append(area, vg.Point{X: area[len(area)-1].X, Y: frame.Min.Y}, vg.Point{X: area[0].X, Y: frame.Min.Y})
		frame.FillPolygon(s.fill, area)
	}
	if s.line.Width > 0 && len(points) > 1 {
		frame.StrokeLines(s.line, thin(points))
	}
	glyph := s.glyph
	if glyph.Radius == 0 && s.fill == nil && len(points) == 1 {
		// A line of one point would not be seen.
		glyph = draw.GlyphStyle{Color: s.line.Color, Radius: 2.5, Shape: draw.CircleGlyph{}}
	}
	if glyph.Radius == 0 {
		return
	}
	for i, p := range s.points {
		if i < len(s.radii) {
			glyph.Radius = s.radii[i]
		}
		for _, place := range c.place(frame, []Point{p}) {
			frame.DrawGlyphNoClip(glyph, place)
		}
	}
}

// place returns where the points are in the frame, but for those that are no numbers.
func (c chart) place(frame draw.Canvas, points []Point) []vg.Point {
	placed := make([]vg.Point, 0, len(points))
	for _, p := range points {
		if finite(p.X) && finite(p.Y) {
			placed = append(placed, vg.Point{X: frame.X(c.x.at(p.X)), Y: frame.Y(c.y.at(p.Y))})
		}
	}
	return placed
}

// thin leaves out points that cannot be told from the one before, and those in the middle of a level or upright stretch.
// The first and the last stay.
func thin(points []vg.Point) []vg.Point {
	const seen = 0.15
	near := func(a, b vg.Length) bool { return math.Abs(float64(a-b)) < seen }
	kept := make([]vg.Point, 0, len(points))
	for i, p := range points {
		n := len(kept)
		last := i == len(points)-1
		switch {
		case n > 0 && !last && near(kept[n-1].X, p.X) && near(kept[n-1].Y, p.Y):
		case n > 1 && (kept[n-2].X == kept[n-1].X && kept[n-1].X == p.X || kept[n-2].Y == kept[n-1].Y && kept[n-1].Y == p.Y):
			kept[n-1] = p
		default:
			kept = append(kept, p)
		}
	}
	return kept
}

// legendGrid returns how many names the legend has side by side, and how many rows.
func (c chart) legendGrid(f fonts) (columns, rows int) {
	names, widest := 0, vg.Length(0)
	for _, s := range c.series {
		if s.name != "" {
			names++
			widest = max(widest, width(f.regular, tickSize, s.name))
		}
	}
	columns = max(1, min(3, int((chartWidth-16)/(widest+sample+14))))
	return columns, (names + columns - 1) / columns
}

func (c chart) drawLegend(canvas draw.Canvas, f fonts) {
	columns, rows := c.legendGrid(f)
	i := 0
	for _, s := range c.series {
		if s.name == "" {
			continue
		}
		x := canvas.Min.X + 10 + vg.Length(i%columns)*(chartWidth-16)/vg.Length(columns)
		y := canvas.Min.Y + 7 + vg.Length(rows-1-i/columns)*legendRow
		i++
		middle := y + tickSize/3
		if s.fill != nil {
			canvas.FillPolygon(s.fill, corners(vg.Rectangle{Min: vg.Point{X: x, Y: middle - 4}, Max: vg.Point{X: x + sample, Y: middle + 4}}))
		}
		if s.line.Width > 0 {
			canvas.StrokeLine2(s.line, x, middle, x+sample, middle)
		}
		if s.glyph.Radius > 0 {
			glyph := s.glyph
			glyph.Radius = min(glyph.Radius, 4)
			canvas.DrawGlyphNoClip(glyph, vg.Point{X: x + sample/2, Y: middle})
		}
		write(canvas, f.regular, tickSize, vg.Point{X: x + sample + 5, Y: y}, s.name, 0)
	}
}
