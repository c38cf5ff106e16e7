package report

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
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
	chart       *chart
}

// SVG returns the plot as SVG on white. Its text is text.
func (p Plot) SVG() ([]byte, error) {
	canvas := vgsvg.New(chartWidth, p.chart.height())
	p.chart.drawOn(draw.New(canvas))
	var b bytes.Buffer
	if _, err := canvas.WriteTo(&b); err != nil {
		return nil, err
	}
	// Systems without Liberation Sans use a font of the same widths. Text cannot contain the quote that is replaced: it is escaped.
	return bytes.ReplaceAll(b.Bytes(), []byte(`"font-family:Liberation Sans;`), []byte(`"font-family:Liberation Sans,Arial,Helvetica,sans-serif;`)), nil
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

// Plots returns the plots of the page that have data, in the order of the page. Their names are "roc", "det", "learning",
// "epochs", "epochs-loss", "scores", "reliability", "drift" and "two-terms".
func (p Page) Plots() []Plot {
	var plots []Plot
	add := func(name, note string, c *chart) {
		if c != nil {
			plots = append(plots, Plot{Name: name, Title: c.Title.Text, Note: note, chart: c})
		}
	}
	add("roc", "The spam caught and the ham lost at each threshold. Curves near the top left are better. Rates below the left end are drawn on it.", rocChart(p.ROC))
	add("det", "The two error rates at each threshold. Curves near the bottom left are better. Rates of zero are drawn on the edge, rates above 50% are left out.", detChart(p.DET))
	add("learning", "The errors after the first messages. Zero is drawn on the edge.", learningChart(p.Learning))
	const parts = "Thick lines: development part. Thin lines: training part."
	accuracy := epochChart("Accuracy by epoch", "accuracy (%)", p.Epochs, func(e Epoch) (*float64, *float64) { return e.TrainAccuracy, e.DevelopmentAccuracy })
	if accuracy != nil {
		keepBelow100(&accuracy.Y)
	}
	add("epochs", parts, accuracy)
	add("epochs-loss", parts, epochChart("Loss by epoch", "loss of the trainer", p.Epochs, func(e Epoch) (*float64, *float64) { return e.TrainLoss, e.DevelopmentLoss }))
	add("scores", "The number of messages with each score. The score cannot separate ham and spam where they overlap.", scoreChart(p.Scores, p.Thresholds))
	add("reliability", p.reliabilityNote(), reliabilityChart(p.Reliability))
	add("drift", "The accuracy on the mail of each month or year. Larger points stand for more messages.", driftChart(p.Drift))
	add("two-terms", p.twoTermsNote(), p.twoTermsChart())
	return plots
}

// percentages returns curves with percentages for rates, and the values of both axes.
func percentages(curves []Curve) (all []Curve, xs, ys []float64) {
	for _, c := range curves {
		points := make([]Point, len(c.Points))
		for i, p := range c.Points {
			points[i] = Point{100 * p.X, 100 * p.Y}
			xs, ys = append(xs, points[i].X), append(ys, points[i].Y)
		}
		all = append(all, Curve{c.Name, points})
	}
	return all, xs, ys
}

func (c *chart) addCurves(curves []Curve) *chart {
	for i, curve := range curves {
		c.addLine(clean(curve.Name, maxName), lineStyle(i), curve.Points)
	}
	return c
}

func rocChart(curves []Curve) *chart {
	curves, xs, _ := percentages(curves)
	if len(xs) == 0 {
		return nil
	}
	c := newChart("ROC curves", "ham called spam (% of ham, logarithmic)", "spam caught (% of spam)")
	setLogarithmic(&c.X, 1e-3, append(slices.DeleteFunc(xs, func(x float64) bool { return x > 1 }), 1, 100)) // a perfect model has only the rates 0 and 100
	setRange(&c.Y, 0, 100)
	return c.addCurves(curves)
}

func detChart(curves []Curve) *chart {
	curves, xs, ys := percentages(lowErrors(curves))
	if len(xs) == 0 {
		return nil
	}
	c := newChart("DET curves", "ham called spam (% of ham, normal deviate)", "spam let through (% of spam)")
	setDeviate(&c.X, xs)
	setDeviate(&c.Y, ys)
	return c.addCurves(curves)
}

// lowErrors returns the curves without the points where an error rate is above one half, which leave little room for the rates
// of useful filters. It returns curves if no point remains.
func lowErrors(curves []Curve) []Curve {
	low := make([]Curve, len(curves))
	for i, c := range curves {
		low[i] = Curve{c.Name, slices.DeleteFunc(slices.Clone(c.Points), func(p Point) bool { return !(p.X <= 0.5 && p.Y <= 0.5) })}
	}
	if slices.ContainsFunc(low, func(c Curve) bool { return len(c.Points) > 0 }) {
		return low
	}
	return curves
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
	c := newChart("Errors by messages learnt", "messages learnt", label)
	c.X.Tick.Marker = ticksOf(1)
	setRange(&c.X, xs...)
	setLogarithmic(&c.Y, 1e-4, ys)
	return c.addCurves(lines)
}

// epochChart has two lines of one colour for each model: a thin line for the training part, a thick line for the development part.
func epochChart(title, label string, curves []EpochCurve, of func(Epoch) (train, development *float64)) *chart {
	c := newChart(title, "epoch", label)
	c.X.Tick.Marker = ticksOf(1)
	trains, developments := make([][]Point, len(curves)), make([][]Point, len(curves))
	var xs, ys []float64
	add := func(to *[]Point, epoch int, y *float64) {
		if y != nil {
			*to = append(*to, Point{float64(epoch), *y})
			xs, ys = append(xs, float64(epoch)), append(ys, *y)
		}
	}
	for i, curve := range curves {
		for _, e := range curve.Epochs {
			train, development := of(e)
			add(&trains[i], e.Epoch, train)
			add(&developments[i], e.Epoch, development)
		}
	}
	if len(xs) == 0 {
		return nil
	}
	setRange(&c.X, xs...)
	setRange(&c.Y, ys...)
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
				c.addLine([]string{"unsure", "spam"}[i]+" above "+fixed(score, 2), dashed([]vg.Length{2, 6}[i]), []Point{{score, c.Y.Min}, {score, c.Y.Max}})
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
	note := "Points on the line are exact: 70% of the messages with a spam probability of 0.7 are spam."
	if len(p.Classes) > 2 {
		note = "Points on the line are exact: the predicted class is right for 70% of the messages with a probability of 0.7."
	}
	return note + " Larger points stand for more messages."
}

func reliabilityChart(bins []metrics.ReliabilityBin) *chart {
	if len(bins) == 0 {
		return nil
	}
	c := newChart("Reliability", "predicted probability", "observed share")
	setRange(&c.X, 0, 1)
	setRange(&c.Y, 0, 1)
	c.addLine("perfect", dashed(3), []Point{{0, 0}, {1, 1}})
	var points []Point
	var weights []int
	for _, b := range bins {
		points, weights = append(points, Point{b.Predicted, b.Observed}), append(weights, b.Messages)
	}
	c.addLine("this model", lineStyle(0), points)
	c.addMarks("", 0, points, weights)
	return c
}

func driftChart(months []Month) *chart {
	if len(months) < 2 {
		return nil
	}
	c := newChart("Accuracy over time", "month of delivery", "accuracy (%)")
	var points []Point
	var weights []int
	var ticks plot.ConstantTicks
	for i, m := range months {
		points, weights = append(points, Point{float64(i), m.Accuracy}), append(weights, m.Messages)
		t := plot.Tick{Value: float64(i)}
		if i%(1+(len(months)-1)/6) == 0 {
			t.Label = clean(m.Label, 12)
		}
		ticks = append(ticks, t)
	}
	c.addLine("", lineStyle(0), points)
	setRange(&c.X, c.X.Min-0.5, c.X.Max+0.5)
	c.addMarks("", 0, points, weights)
	c.X.Tick.Marker = ticks
	keepBelow100(&c.Y)
	return c
}

func (p Page) twoTermsNote() string {
	if p.TwoTerms == nil {
		return ""
	}
	return "Messages by the values of two terms. Larger points stand for more messages. On the line, the score of " + cmp.Or(p.TwoTerms.Model, "the model") + " is 0."
}

// twoTermsChart draws messages in the plane of two terms, and the decision boundary.
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
	xs, ys := []float64{0, 1}, []float64{0, 1}
	points, weights := make(map[int][]Point), make(map[int][]int)
	for _, m := range t.Points {
		xs, ys = append(xs, m.X), append(ys, m.Y)
		if m.Class >= 0 {
			points[m.Class], weights[m.Class] = append(points[m.Class], Point{m.X, m.Y}), append(weights[m.Class], m.Messages)
		}
	}
	setRange(&c.X, xs...)
	setRange(&c.Y, ys...)
	for _, a := range []*plot.Axis{&c.X, &c.Y} { // so that no mark is cut
		margin := (a.Max - a.Min) / 10
		a.Min, a.Max = a.Min-margin, a.Max+margin
	}
	for _, class := range slices.Sorted(maps.Keys(points)) {
		c.addMarks(p.className(class), class, points[class], weights[class])
	}
	if ends := boundary(*t, c.X, c.Y); len(ends) == 2 {
		c.addLine("boundary", draw.LineStyle{Color: black(), Width: 1.4}, ends)
	}
	return c
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
