package report

import (
	"image/color"
	"math"
	"slices"
	"strconv"

	"golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// chart is a plot with its legend below it, in two columns.
type chart struct {
	*plot.Plot
	xLabel, yLabel string    // not those of Plot, which leaves too much room for a label of a scale that is not linear
	plain          vg.Length // height without the legend
	legend         [2]plot.Legend
	entries        int
	rows           plot.ConstantTicks // see newRows
}

// Sizes of a chart.
const (
	chartWidth  = vg.Length(330)
	plainHeight = vg.Length(250) // of most charts, without the legend
	titleSize   = vg.Length(12)
	labelSize   = vg.Length(10)
	tickSize    = vg.Length(9)
	legendRow   = vg.Length(14)
)

func newChart(title, x, y string) *chart {
	c := &chart{Plot: plot.New(), xLabel: x, yLabel: y, plain: plainHeight, legend: [2]plot.Legend{plot.NewLegend(), plot.NewLegend()}}
	c.Title.Text, c.Title.Padding = title, 6
	setFont(&c.Title.TextStyle, titleSize)
	c.Title.TextStyle.Font.Weight = font.WeightBold
	for _, axis := range []*plot.Axis{&c.X, &c.Y} {
		axis.Tick.Length, axis.Tick.Marker = 4, ticksOf(0)
		setFont(&axis.Label.TextStyle, labelSize)
		setFont(&axis.Tick.Label, tickSize)
	}
	for i := range c.legend {
		c.legend[i].Left, c.legend[i].Top, c.legend[i].Padding = true, true, legendRow-tickSize
		setFont(&c.legend[i].TextStyle, tickSize)
	}
	pale := draw.LineStyle{Color: color.Gray{0xe4}, Width: 0.5}
	c.Add(&plotter.Grid{Vertical: pale, Horizontal: pale})
	return c
}

// newRows returns a chart that has so many rows with a label, for what is compared.
func newRows(title, x string, rows int) *chart {
	c := newChart(title, x, "")
	c.plain = vg.Length(rows)*16 + 74
	c.Y.Min, c.Y.Max = -0.6, float64(rows)-0.4
	return c
}

// addRow labels the next row, the first of which is at the top, and returns where it is.
func (c *chart) addRow(label string) (y float64) {
	y = math.Round(c.Y.Max) - float64(len(c.rows)) - 1
	c.rows = append(c.rows, plot.Tick{Value: y, Label: label})
	c.Y.Tick.Marker = c.rows
	return y
}

func setFont(s *text.Style, size vg.Length) { s.Font.Variant, s.Font.Size = "Sans", size }

func (c *chart) height() vg.Length { return c.plain + vg.Length((c.entries+1)/2)*legendRow }

func (c *chart) drawOn(canvas draw.Canvas) {
	canvas.SetColor(color.White)
	canvas.Fill(canvas.Rectangle.Path())
	for _, a := range []*plot.Axis{&c.X, &c.Y} {
		if !(a.Min <= a.Max) { // without finite points
			a.Min, a.Max = 0, 1
		}
		if size := max(math.Abs(a.Min), math.Abs(a.Max)); a.Max-a.Min <= 1e-9*size { // ticks need a range
			a.Min, a.Max = a.Min-max(1, size/10), a.Max+max(1, size/10)
		}
	}
	frame := draw.Crop(canvas, 0, 0, c.height()-c.plain, 0)
	label := c.X.Label.TextStyle
	frame.FillText(label, vg.Point{X: frame.Center().X + 16, Y: frame.Min.Y + 4}, c.xLabel)
	label.Rotation, label.YAlign = math.Pi/2, draw.YTop
	frame.FillText(label, vg.Point{X: frame.Min.X + 4, Y: frame.Center().Y + 8}, c.yLabel)
	left := labelSize + 12
	if c.yLabel == "" {
		left = 4
	}
	c.Draw(draw.Crop(frame, left, -12, labelSize+10, -8))
	for i := range c.legend {
		left := 12 + vg.Length(i)*chartWidth/2
		c.legend[i].Draw(draw.Crop(canvas, left, 0, 0, -c.plain))
	}
}

// addLegend adds a name to the legend; none if it is empty.
func (c *chart) addLegend(name string, sample plot.Thumbnailer) {
	if name != "" {
		c.legend[c.entries%2].Add(name, sample)
		c.entries++
	}
}

func (c *chart) addLine(name string, style draw.LineStyle, points []Point) {
	line := &plotter.Line{XYs: c.clamp(points), LineStyle: style}
	if len(line.XYs) == 1 { // a line of one point is invisible
		c.Add(&plotter.Scatter{XYs: line.XYs, GlyphStyle: draw.GlyphStyle{Color: style.Color, Radius: 2.5, Shape: draw.CircleGlyph{}}})
	}
	if len(line.XYs) > 0 {
		c.Add(line)
		c.addLegend(name, line)
	}
}

// addMarks adds a mark at each point. Its area grows with the weight of the point, if it has one, up to a radius of 9 points.
func (c *chart) addMarks(name string, class int, points []Point, weights []int) {
	shapes := []draw.GlyphDrawer{draw.CircleGlyph{}, draw.PyramidGlyph{}, draw.BoxGlyph{}}
	style := draw.GlyphStyle{Color: translucent(colour(class), 0xb0), Radius: 4, Shape: shapes[class%len(shapes)]}
	heaviest := slices.Max(append(weights, 1))
	for i, p := range points {
		s := style
		if weights != nil {
			s.Radius = 2 + vg.Length(7*math.Sqrt(float64(max(weights[i], 0))/float64(heaviest)))
		}
		c.addMark(s, p)
		if within(c.X, p.X) != p.X || within(c.Y, p.Y) != p.Y {
			c.addMark(draw.GlyphStyle{Color: black(), Radius: 4, Shape: draw.CrossGlyph{}}, p)
		}
	}
	c.addLegend(name, &plotter.Scatter{GlyphStyle: style})
}

// addArea shades a convex area, with its name in the middle.
func (c *chart) addArea(name string, of color.RGBA, corners []Point) {
	area := c.clamp(corners)
	if len(area) < 3 {
		return
	}
	var middle plotter.XY
	for _, p := range area {
		middle.X, middle.Y = middle.X+p.X/float64(len(area)), middle.Y+p.Y/float64(len(area))
	}
	style := c.X.Tick.Label
	style.XAlign, style.YAlign = draw.XCenter, draw.YCenter
	c.Add(&plotter.Polygon{XYs: []plotter.XYs{area}, Color: translucent(of, 0x20)},
		&plotter.Labels{XYs: plotter.XYs{middle}, Labels: []string{name}, TextStyle: []text.Style{style}})
}

func (c *chart) addMark(style draw.GlyphStyle, at Point) {
	if marks := c.clamp([]Point{at}); len(marks) > 0 {
		c.Add(&plotter.Scatter{XYs: marks, GlyphStyle: style})
	}
}

// clamp returns the finite points. Points outside a range that the axes have already are moved to its edge.
func (c *chart) clamp(points []Point) plotter.XYs {
	var inside plotter.XYs
	for _, p := range points {
		if finite(p.X) && finite(p.Y) {
			inside = append(inside, plotter.XY{X: within(c.X, p.X), Y: within(c.Y, p.Y)})
		}
	}
	return inside
}

func within(a plot.Axis, v float64) float64 {
	if a.Min > a.Max { // no range yet
		return v
	}
	return min(max(v, a.Min), a.Max)
}

func setRange(a *plot.Axis, values ...float64) {
	values = slices.DeleteFunc(values, func(v float64) bool { return !finite(v) })
	if len(values) > 0 {
		a.Min, a.Max = slices.Min(values), slices.Max(values)
	}
}

// spanPercentages makes an axis of percentages span the values, with room above 100, so that a line at 100 is off the frame.
func spanPercentages(a *plot.Axis, values []float64) {
	setRange(a, values...)
	a.Min, a.Max = max(a.Min, 0), min(a.Max, 100)
	room := max(0.06*(a.Max-a.Min), 0.02)
	least := a.Tick.Marker
	a.Min, a.Max = max(a.Min-room, 0), a.Max+room
	a.Tick.Marker = plot.TickerFunc(func(min, max float64) []plot.Tick {
		return slices.DeleteFunc(least.Ticks(min, max), func(t plot.Tick) bool { return t.Value > 100 })
	})
}

// ticksOf returns a ticker for a linear axis: at most six steps of 1, 2 or 5 times a power of ten, each at least least.
// plot.DefaultTicks has about three labels, and does not return for some ranges.
func ticksOf(least float64) plot.TickerFunc {
	return func(min, max float64) []plot.Tick {
		step := math.Max(roundUp((max-min)/6), least)
		var ticks []plot.Tick
		for i, first := 0.0, math.Ceil(min/step-1e-9); i < 8 && (first+i)*step <= max+step*1e-9; i++ {
			format, decimals := byte('f'), int(math.Max(0, -math.Floor(math.Log10(step)+1e-9)))
			if decimals > 5 || math.Abs(max) >= 1e6 {
				format, decimals = 'g', 3
			}
			ticks = append(ticks, plot.Tick{Value: (first + i) * step, Label: strconv.FormatFloat((first+i)*step, format, decimals, 64)})
		}
		return ticks
	}
}

// setLogarithmic makes an axis logarithmic. It spans the positive values, rounded to 1, 2 or 5 times a power of ten, of which the smallest may be a
// millionth of the greatest. If there are others, its low end stands for 0.
func setLogarithmic(a *plot.Axis, values []float64) {
	positive := slices.DeleteFunc(slices.Clone(values), func(v float64) bool { return !(v > 1e-100 && finite(v)) })
	setRange(a, positive...)
	if a.Min > a.Max {
		a.Min, a.Max = 0.1, 0.1
	}
	least := roundDown(max(a.Min, a.Max/1e6))
	a.Min, a.Max, a.Scale = least, max(roundUp(a.Max), roundUp(least*1.5)), plot.LogScale{}
	if len(positive) < len(values) {
		a.Min = least / 2
	}
	// It labels the powers of ten, and on short axes 2 and 5 times those. plot.LogTicks leaves out 0.1, whose computed logarithm is above -1.
	a.Tick.Marker = plot.TickerFunc(func(min, max float64) (ticks []plot.Tick) {
		if min < least {
			ticks = append(ticks, plot.Tick{Value: min, Label: "0"})
		}
		few := max/least < 3000
		for e := int(math.Floor(math.Log10(least) + 1e-9)); math.Pow10(e) <= max*(1+1e-9); e++ {
			for m := 1.0; m < 10; m++ {
				t := plot.Tick{Value: m * math.Pow10(e)}
				if m == 1 || few && (m == 2 || m == 5) {
					t.Label = short(t.Value)
				}
				if t.Value >= least*0.9 {
					ticks = append(ticks, t)
				}
			}
		}
		return ticks
	})
}

// roundDown and roundUp return the nearest 1, 2 or 5 times a power of ten.
func roundDown(v float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(v)+1e-9))
	for _, m := range []float64{5, 2} {
		if m*power <= v*(1+1e-9) {
			return m * power
		}
	}
	return power
}

func roundUp(v float64) float64 { return 1 / roundDown(1/v) }

// colour returns the i-th of the colours of Okabe and Ito that are visible on white.
func colour(i int) color.RGBA {
	all := []color.RGBA{
		{0x00, 0x72, 0xb2, 0xff}, // blue
		{0xd5, 0x5e, 0x00, 0xff}, // vermilion
		{0x00, 0x9e, 0x73, 0xff}, // bluish green
		{0xcc, 0x79, 0xa7, 0xff}, // reddish purple
		{0xe6, 0x9f, 0x00, 0xff}, // orange
		{0x56, 0xb4, 0xe9, 0xff}, // sky blue
		black(),
	}
	return all[i%len(all)]
}

func black() color.RGBA { return color.RGBA{0x22, 0x22, 0x22, 0xff} }

func grey() color.RGBA { return color.RGBA{0x8c, 0x8c, 0x8c, 0xff} }

// lineStyle returns the style of the i-th line. Lines that share a colour differ in their dashes.
func lineStyle(i int) draw.LineStyle {
	dashes := [][]vg.Length{nil, {6, 2.5}, {1.5, 2}, {7, 2, 1.5, 2}, {3, 2}}
	return draw.LineStyle{Color: colour(i), Width: 1.4, Dashes: dashes[i%len(dashes)]}
}

// translucent returns a colour through which others are visible.
func translucent(c color.RGBA, alpha uint8) color.Color { return color.NRGBA{c.R, c.G, c.B, alpha} }
