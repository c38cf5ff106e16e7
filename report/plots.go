package report

import (
	"bytes"
	"cmp"
	"fmt"
	"image/color"
	"maps"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"chaff/metrics"
)

// Plot is a plot of a page. It is not safe for concurrent use.
type Plot struct {
	Name        string // a file name without extension, such as "roc"
	Title, Note string // the heading of the plot, and how to read it
	Alt         string // the figures of the plot in words, for readers who cannot see it
	chart       *chart
}

// SVG returns the plot as SVG on white. Its text is text.
func (p Plot) SVG() ([]byte, error) {
	canvas := &svgCanvas{Canvas: vgsvg.New(chartWidth, p.chart.height())}
	p.chart.drawOn(draw.New(canvas))
	var b bytes.Buffer
	if _, err := canvas.WriteTo(&b); err != nil {
		return nil, err
	}
	// Text cannot contain the quotes and the tag that are replaced: it is escaped.
	svg := bytes.ReplaceAll(b.Bytes(), []byte(`"font-family:Liberation Sans;`), []byte(`"font-family:Liberation Sans,Arial,Helvetica,sans-serif;`))
	var sized []byte
	for i, part := range bytes.Split(svg, []byte("<text ")) {
		if i > 0 {
			sized = fmt.Appendf(sized, `<text textLength="%.2f" lengthAdjust="spacingAndGlyphs" `, canvas.widths[i-1].Points())
		}
		sized = append(sized, part...)
	}
	return sized, nil
}

// svgCanvas keeps the width of each text, so that systems without Liberation Sans show it in another font at the same width.
type svgCanvas struct {
	*vgsvg.Canvas
	widths []vg.Length
}

// FillString implements vg.Canvas.
func (c *svgCanvas) FillString(f font.Face, at vg.Point, text string) {
	c.widths = append(c.widths, f.Width(text))
	c.Canvas.FillString(f, at, text)
}

// pngDPI is the resolution of PNG. A chart is 917 pixels wide.
const pngDPI = 200

// PNG returns the plot as PNG on white.
func (p Plot) PNG() ([]byte, error) {
	canvas := vgimg.NewWith(vgimg.UseWH(chartWidth, p.chart.height()), vgimg.UseDPI(pngDPI))
	p.chart.drawOn(draw.New(canvas))
	var b bytes.Buffer
	_, err := vgimg.PngCanvas{Canvas: canvas}.WriteTo(&b)
	return b.Bytes(), err
}

// Plots returns the plots of the page that have data, in the order of the page. Their names are "models", "roc", "det", "growth",
// "learning", "epochs", "epochs-loss", "scores", "reliability", "drift" and "two-terms".
func (p Page) Plots() []Plot {
	var plots []Plot
	add := func(name, note, alt string, c *chart) {
		if c != nil {
			plots = append(plots, Plot{Name: name, Title: c.Title.Text, Note: note, Alt: c.Title.Text + ". " + alt, chart: c})
		}
	}
	add("models", p.modelsNote(), p.modelsAlt(), p.modelsChart())
	roc := rocChart(p.ROC, p.Operating)
	add("roc", rocNote(roc), curvesAlt(p.ROC, caughtText), roc)
	add("det", "The two error rates at each threshold. Curves near the bottom left are better. Rates above 50% are left out.",
		curvesAlt(p.DET, lostText), detChart(p.DET, p.Operating))
	add("growth", p.growthNote(), p.growthAlt(), growthChart(p.Growth))
	add("learning", "The errors after the first messages. A rate of 0 is drawn on the edge.", learningAlt(p.Learning), learningChart(p.Learning))
	accuracyOf := func(e Epoch) (*float64, *float64) { return e.TrainAccuracy, e.DevelopmentAccuracy }
	lossOf := func(e Epoch) (*float64, *float64) { return e.TrainLoss, e.DevelopmentLoss }
	curves := withEpochs(p.Epochs)
	add("epochs", epochsNote(curves), epochsAlt(curves, percentage, accuracyOf), epochChart("Accuracy by epoch", "accuracy (%)", curves, false, accuracyOf))
	add("epochs-loss", epochsNote(curves)+" Each trainer has a loss of its own.", epochsAlt(curves, short, lossOf),
		epochChart("Loss by epoch", "loss of the trainer (logarithmic)", curves, true, lossOf))
	add("scores", "The number of messages with each score. The score cannot separate ham and spam where they overlap.", p.scoresAlt(), scoreChart(p.Scores, p.Thresholds))
	add("reliability", p.reliabilityNote(), p.reliabilityAlt(), reliabilityChart(p.Reliability))
	add("drift", "The accuracy on the mail of each period, with its 95% interval. Times with few messages are joined.", driftAlt(p.Drift), driftChart(p.Drift, cmp.Or(clean(p.DriftBy, maxName), "month of delivery")))
	add("two-terms", p.twoTermsNote(), p.twoTermsAlt(), p.twoTermsChart())
	return plots
}

// modelsChart has the accuracy of each model with its interval, one below the other.
func (p Page) modelsChart() *chart {
	type line struct {
		name    string
		figures *metrics.Figures
		worse   bool // than chance explains
	}
	var lines []line
	var values []float64
	for _, m := range p.Models {
		if m.Test == nil || m.Test.Messages == 0 {
			continue
		}
		n := clean(m.Name, maxName)
		if m.Best {
			n += " *"
		}
		lines = append(lines, line{n, m.Test, m.AgainstBest != nil && m.AgainstBest.P < notByChance && m.AgainstBest.Worse > m.AgainstBest.Better})
		values = append(values, m.Test.Accuracy, m.Test.AccuracyLow, m.Test.AccuracyHigh)
	}
	if len(lines) < 2 {
		return nil
	}
	c := newChart("Accuracy of each model", "accuracy (%, normal deviate)", "")
	c.plain = vg.Length(len(lines))*16 + 74
	setDeviate(&c.X, values)
	c.Y.Min, c.Y.Max = -0.6, float64(len(lines))-0.4
	var ticks plot.ConstantTicks
	shown := make(map[bool]bool)
	for i, l := range lines {
		y := float64(len(lines) - 1 - i)
		ticks = append(ticks, plot.Tick{Value: y, Label: l.name})
		of := colour(0)
		if l.worse {
			of = grey()
		}
		c.addLine("", draw.LineStyle{Color: of, Width: 1.4}, []Point{{l.figures.AccuracyLow, y}, {l.figures.AccuracyHigh, y}})
		c.addMark(draw.GlyphStyle{Color: of, Radius: 3.2, Shape: draw.CircleGlyph{}}, Point{l.figures.Accuracy, y})
		shown[l.worse] = true
	}
	c.Y.Tick.Marker = ticks
	if shown[true] {
		for _, kind := range []struct {
			name  string
			color color.Color
		}{{"chance explains the difference", colour(0)}, {"worse than the best", grey()}} {
			c.addLegend(kind.name, &plotter.Scatter{GlyphStyle: draw.GlyphStyle{Color: kind.color, Radius: 3.2, Shape: draw.CircleGlyph{}}})
		}
	}
	return c
}

// notByChance is the probability below which chance does not explain a difference.
const notByChance = 0.05

func (p Page) modelsNote() string {
	note := "The accuracy of each model, with its 95% interval."
	if slices.ContainsFunc(p.Models, func(m Model) bool { return m.AgainstBest != nil }) {
		note += " Intervals of models that were measured on the same messages may overlap although one is better: the table has the test of their difference."
	}
	return note
}

// growthChart has the accuracy by the number of training messages.
func growthChart(g *Growth) *chart {
	if g == nil || len(g.Points) < 2 {
		return nil
	}
	c := newChart("Accuracy by training messages", "training messages (logarithmic)", "accuracy (%)")
	var points []Point
	var lows, highs, all []float64
	var ticks plot.ConstantTicks
	for _, at := range g.Points {
		points = append(points, Point{float64(max(1, at.Messages)), at.Accuracy})
		lows, highs = append(lows, at.AccuracyLow), append(highs, at.AccuracyHigh)
		ticks = append(ticks, plot.Tick{Value: float64(max(1, at.Messages)), Label: strconv.Itoa(at.Messages)})
	}
	all = append(append(all, lows...), highs...)
	c.X.Min, c.X.Max, c.X.Scale, c.X.Tick.Marker = points[0].X/1.25, points[len(points)-1].X*1.25, plot.LogScale{}, ticks
	if !(c.X.Min < c.X.Max) {
		c.X.Min, c.X.Max = c.X.Max/2, c.X.Min*2
	}
	spanPercentages(&c.Y, all)
	c.addLine("", lineStyle(0), points)
	c.addIntervals("accuracy on test mail, with its 95% interval", 0, points, lows, highs)
	return c
}

func (p Page) growthNote() string {
	if p.Growth == nil {
		return ""
	}
	note := "The model trained on parts of the training mail."
	if advice := clean(p.Growth.Advice, maxLine); advice != "" {
		note += " " + advice
	}
	return note
}

// learningChart shows the (1-ROCA)% of several models, or all figures of a single one.
func learningChart(curves []LearningCurve) *chart {
	names, label := []string{"(1-ROCA)%", "lam%", "hm% (ham lost)", "sm% (spam let through)"}, "% (logarithmic)"
	if len(curves) != 1 {
		names, label = names[:1], "(1-ROCA)%, logarithmic"
	}
	var lines []Curve
	xs, ys := []float64{0}, []float64(nil)
	for _, curve := range curves {
		for j, name := range names {
			line := Curve{Name: name}
			if len(curves) > 1 {
				line.Name = curve.Model
			}
			for _, p := range curve.Points {
				if y := [...]*float64{p.OneMinusROCA, p.LAM, p.HM, p.SM}[j]; y != nil {
					line.Points = append(line.Points, Point{float64(p.Messages), *y})
					xs, ys = append(xs, float64(p.Messages)), append(ys, *y)
				}
			}
			lines = append(lines, line)
		}
	}
	if len(ys) == 0 {
		return nil
	}
	c := newChart("Errors by messages learned", "messages learned", label)
	c.X.Tick.Marker = ticksOf(1)
	setRange(&c.X, xs...)
	setLogarithmic(&c.Y, 1e-4, ys)
	for i, line := range lines {
		c.addLine(clean(line.Name, maxName), lineStyle(i), line.Points)
	}
	return c
}

// withEpochs returns the curves with at least two epochs: one epoch is no curve.
func withEpochs(curves []EpochCurve) []EpochCurve {
	return slices.DeleteFunc(slices.Clone(curves), func(c EpochCurve) bool { return len(c.Epochs) < 2 })
}

// fewCurves is the number of models up to which the lines of both parts are drawn.
const fewCurves = 3

func epochsNote(curves []EpochCurve) string {
	if len(curves) > fewCurves {
		return "On the development part."
	}
	return "Thick lines: development part. Thin lines: training part."
}

// epochChart has two lines of one colour for each model: a thick line for the development part, and if there are few models a thin line
// for the training part.
func epochChart(title, label string, curves []EpochCurve, logarithmic bool, of func(Epoch) (train, development *float64)) *chart {
	c := newChart(title, "epoch", label)
	c.X.Tick.Marker = ticksOf(1)
	trains, developments := make([][]Point, len(curves)), make([][]Point, len(curves))
	var xs, ys, later []float64
	add := func(to *[]Point, epoch int, y *float64) {
		if y == nil || !finite(*y) {
			return
		}
		*to = append(*to, Point{float64(epoch), *y})
		xs, ys = append(xs, float64(epoch)), append(ys, *y)
		if len(*to) > 1 {
			later = append(later, *y)
		}
	}
	for i, curve := range curves {
		for _, e := range curve.Epochs {
			train, development := of(e)
			add(&developments[i], e.Epoch, development)
			if len(curves) <= fewCurves || development == nil {
				add(&trains[i], e.Epoch, train)
			}
		}
	}
	if len(xs) == 0 {
		return nil
	}
	setRange(&c.X, xs...)
	if logarithmic {
		setLogarithmic(&c.Y, 1e-4, ys)
	} else {
		spanPercentages(&c.Y, later) // the first epoch alone would squeeze the others
	}
	for i, curve := range curves {
		name, style := clean(curve.Model, maxName), lineStyle(i)
		c.addLine(name, style, developments[i])
		if len(developments[i]) > 0 {
			name = ""
		}
		style.Width = 0.6
		c.addLine(name, style, trains[i])
	}
	return c
}

// scoreChart has a step line for each class. The axis is logarithmic because the few messages in the middle matter.
func scoreChart(h *metrics.Histogram, t *metrics.Thresholds) *chart {
	if h == nil || len(h.Edges) < 2 || len(h.Ham)+len(h.Spam) == 0 {
		return nil
	}
	c := newChart("Scores of ham and spam", "score", "messages (logarithmic)")
	bins := len(h.Edges) - 1
	counts := []float64{1}
	for _, n := range append(slices.Clone(h.Ham), h.Spam...) {
		counts = append(counts, float64(n))
	}
	setRange(&c.X, slices.Clone(h.Edges)...)
	setLogarithmic(&c.Y, 1, counts)
	c.Y.Min = 0.5 // makes a single message visible
	c.Y.Tick.Marker = plot.TickerFunc(func(_, max float64) []plot.Tick { return logTicks(1, max) })
	for i, class := range []struct {
		name   string
		counts []int
	}{{"ham", h.Ham}, {"spam", h.Spam}} {
		var points []Point
		for bin, n := range class.counts[:min(bins, len(class.counts))] {
			points = append(points, Point{h.Edges[bin], float64(n)}, Point{h.Edges[bin+1], float64(n)})
		}
		c.addLine(class.name, lineStyle(i), points).FillColor = translucent(colour(i), 0x48)
	}
	if t != nil {
		for i, score := range []float64{t.Unsure, t.Spam} {
			if score >= c.X.Min && score <= c.X.Max {
				c.addLine([]string{"unsure", "spam"}[i]+" above "+short(score), dashed([]vg.Length{2, 6}[i]), []Point{{score, c.Y.Min}, {score, c.Y.Max}})
			}
		}
	}
	return c
}

// dashed returns the style of a black line of dashes.
func dashed(length vg.Length) draw.LineStyle {
	return draw.LineStyle{Color: black(), Width: 1, Dashes: []vg.Length{length, 2}}
}

func (p Page) reliabilityNote() string {
	note := "Messages in order of their spam probability, in groups of equal size, with the 95% interval of the share that is spam. On the line, probabilities are exact."
	if len(p.Classes) > 2 {
		note = "Messages in order of their probability, in groups of equal size, with the 95% interval of the share whose predicted class is right. On the line, probabilities are exact."
	}
	return note
}

func reliabilityChart(bins []metrics.ReliabilityBin) *chart {
	if len(bins) == 0 {
		return nil
	}
	c := newChart("Reliability", "predicted probability (%, normal deviate)", "observed share (%)")
	var points []Point
	var lows, highs, values []float64
	for _, b := range bins {
		points = append(points, Point{100 * b.Predicted, 100 * b.Observed})
		lows, highs = append(lows, 100*b.ObservedLow), append(highs, 100*b.ObservedHigh)
		values = append(values, 100*b.Predicted, 100*b.Observed, 100*b.ObservedLow, 100*b.ObservedHigh)
	}
	for i, v := range values { // no mailbox can check more
		if v < 0.005 {
			values[i] = 0
		} else if v > 99.995 {
			values[i] = 100
		}
	}
	setDeviate(&c.X, append(values, 5, 95))
	setDeviate(&c.Y, append(values, 5, 95))
	c.addLine("exact", dashed(3), []Point{{c.X.Min, c.Y.Min}, {c.X.Max, c.Y.Max}})
	c.addIntervals("this model, with its 95% interval", 0, points, lows, highs)
	return c
}

// driftChart shows the accuracy over times, and by says which times these are.
func driftChart(periods []Period, by string) *chart {
	if len(periods) < 2 {
		return nil
	}
	c := newChart("Accuracy over time", by, "accuracy (%)")
	var points []Point
	var lows, highs []float64
	var ticks plot.ConstantTicks
	every := 1 + (len(periods)-1)/6
	for i, m := range periods {
		points = append(points, Point{float64(i), m.Accuracy})
		lows, highs = append(lows, m.AccuracyLow), append(highs, m.AccuracyHigh)
		t := plot.Tick{Value: float64(i)}
		if i%every == 0 {
			t.Label = clean(m.From, 12)
		}
		ticks = append(ticks, t)
	}
	c.X.Min, c.X.Max, c.X.Tick.Marker = -0.5, float64(len(periods))-0.5, ticks
	spanPercentages(&c.Y, slices.Concat([]float64{90}, lows, highs))
	pale := lineStyle(0)
	pale.Color, pale.Width = translucent(colour(0), 0x70), 0.8
	c.addLine("", pale, points)
	c.addIntervals("", 0, points, lows, highs)
	return c
}

func (p Page) twoTermsNote() string {
	t := p.TwoTerms
	if t == nil {
		return ""
	}
	on := "the occurrences of these two terms"
	if t.Unit == "0 or 1" {
		on = "these two terms"
	}
	return "A model of its own: " + cmp.Or(clean(t.Model, maxName), "a model") + ", trained on " + on + " alone. It shows what a boundary is, and nothing about the accuracy of the filter. " +
		"Larger points stand for more training messages. " + p.originText() + " Counts beyond an axis are drawn at its end. On the line, the score is 0."
}

// atOrigin counts the messages of each class that have neither term.
func (p Page) atOrigin() map[int]int {
	n := make(map[int]int)
	for _, at := range p.TwoTerms.Points {
		if at.X == 0 && at.Y == 0 && at.Class >= 0 {
			n[at.Class] += at.Messages
		}
	}
	return n
}

// originText counts the messages that have neither term, which the points at 0 hide.
func (p Page) originText() string {
	n := p.atOrigin()
	var counts []string
	for _, class := range slices.Sorted(maps.Keys(n)) {
		counts = append(counts, strconv.Itoa(n[class])+" "+p.className(class))
	}
	if len(counts) == 0 {
		return "All messages have one of the terms."
	}
	return listed(counts) + " have neither term."
}

// twoTermsChart draws messages in the plane of two terms, and the decision boundary. Each class is a little beside the point, so that it
// hides no other.
func (p Page) twoTermsChart() *chart {
	t := p.TwoTerms
	if t == nil || len(t.Points) == 0 {
		return nil
	}
	unit := ""
	if t.Unit != "" {
		unit = " (" + clean(t.Unit, maxName) + ")"
	}
	c := newChart("Two terms and the boundary", clean(t.X, maxName)+unit, clean(t.Y, maxName)+unit)
	xs, ys := []weight{{1, 0}}, []weight{{1, 0}}
	points, weights := make(map[int][]Point), make(map[int][]int)
	for _, m := range t.Points {
		if finite(m.X) && finite(m.Y) {
			xs, ys = append(xs, weight{m.X, m.Messages}), append(ys, weight{m.Y, m.Messages})
		}
		if m.Class >= 0 {
			points[m.Class], weights[m.Class] = append(points[m.Class], Point{m.X, m.Y}), append(weights[m.Class], m.Messages)
		}
	}
	setRange(&c.X, 0, mostlyBelow(xs))
	setRange(&c.Y, 0, mostlyBelow(ys))
	c.X.Tick.Marker, c.Y.Tick.Marker = ticksOf(1), ticksOf(1)
	width := c.X.Max
	for _, a := range []*plot.Axis{&c.X, &c.Y} { // so that no mark is cut
		margin := (a.Max - a.Min) / 8
		a.Min, a.Max = a.Min-margin, a.Max+margin
	}
	classes := slices.Sorted(maps.Keys(points))
	for i, class := range classes {
		for j := range points[class] {
			points[class][j].X += (float64(i) - float64(len(classes)-1)/2) * min(0.3, width/25)
		}
		c.addMarks(p.className(class), class, points[class], weights[class])
	}
	if ends := boundary(*t, c.X, c.Y); len(ends) == 2 {
		c.addLine("boundary", draw.LineStyle{Color: black(), Width: 1.4}, ends)
	}
	return c
}

// weight is a value of a number of messages.
type weight struct {
	value    float64
	messages int
}

// mostlyBelow returns the value that 99.5% of the messages are not above.
func mostlyBelow(all []weight) float64 {
	all = slices.Clone(all)
	slices.SortFunc(all, func(a, b weight) int { return cmp.Compare(a.value, b.value) })
	messages := 0
	for _, w := range all {
		messages += max(0, w.messages)
	}
	seen := 0
	for _, w := range all {
		if seen += max(0, w.messages); float64(seen) >= 0.995*float64(messages) {
			if last := all[len(all)-1].value; last <= 1.5*w.value {
				return max(1, last)
			}
			return max(1, w.value)
		}
	}
	return 1
}

// boundary returns the two points where A*x + B*y + C = 0 meets the edges of the plot, or none.
func boundary(t TwoTerms, x, y plot.Axis) []Point {
	var ends []Point
	add := func(p Point) {
		inside := p.X >= x.Min && p.X <= x.Max && p.Y >= y.Min && p.Y <= y.Max
		if inside && len(ends) < 2 && !slices.Contains(ends, p) {
			ends = append(ends, p)
		}
	}
	for _, edge := range []float64{x.Min, x.Max} {
		if t.B != 0 {
			add(Point{edge, -(t.A*edge + t.C) / t.B})
		}
	}
	for _, edge := range []float64{y.Min, y.Max} {
		if t.A != 0 {
			add(Point{-(t.B*edge + t.C) / t.A, edge})
		}
	}
	return ends
}

// className returns the name of a class, or its number if it has none.
func (p Page) className(class int) string {
	if class < 0 || class >= len(p.Classes) {
		return "class " + strconv.Itoa(class)
	}
	return clean(p.Classes[class], maxName)
}
