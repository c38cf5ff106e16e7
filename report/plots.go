package report

import (
	"cmp"
	"math"
	"strconv"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"chaff/metrics"
)

// Plots returns the plots of the page that there is something to draw for, in the order of the page. Their names are
// "roc", "det", "learning", "epochs", "epochs-loss", "scores", "reliability", "drift" and "two-terms".
func (p Page) Plots() []Plot {
	var plots []Plot
	add := func(name, note string, c chart, drawn bool) {
		if drawn {
			plots = append(plots, Plot{Name: name, Title: c.title, Note: note, chart: c})
		}
	}
	add("roc", "For each limit of the score: how much spam is caught at what loss of ham. The nearer to the top left, the better. Rates below the left end are drawn on it.",
		rocChart(p.ROC), anyPoints(p.ROC))
	add("det", "The two errors against each other. The nearer to the bottom left, the better. Rates of zero are drawn on the edge, those above 50% left out.",
		detChart(p.DET), anyPoints(p.DET))
	learning, drawn := learningChart(p.Learning)
	add("learning", "The errors after so many messages. Zero is drawn on the edge.", learning, drawn)
	accuracies, drawn := epochChart(newPercentAxis, "Accuracy by epoch", "accuracy (%)", p.Epochs, func(e Epoch) (*float64, *float64) { return e.TrainAccuracy, e.DevelopmentAccuracy })
	add("epochs", "Thick lines: development part. Thin lines: training part.", accuracies, drawn)
	losses, drawn := epochChart(newAxis, "Loss by epoch", "loss, on the trainer's own scale", p.Epochs, func(e Epoch) (*float64, *float64) { return e.TrainLoss, e.DevelopmentLoss })
	add("epochs-loss", "Thick lines: development part. Thin lines: training part.", losses, drawn)
	if p.Scores != nil {
		scores, drawn := scoreChart(*p.Scores)
		add("scores", "How many messages have which score. What overlaps cannot be told apart by the score.", scores, drawn)
	}
	add("reliability", p.reliabilityNote(),
		reliabilityChart(p.Reliability), len(p.Reliability) > 0)
	add("drift", "How well the model does on the mail of each month or year. Larger points stand for more messages.", driftChart(p.Drift), len(p.Drift) > 1)
	if p.TwoTerms != nil {
		add("two-terms", "Messages as points, larger for more of them. On the line the score of "+cmp.Or(p.TwoTerms.Model, "the model")+" is 0.", p.twoTermsChart(), len(p.TwoTerms.Points) > 0)
	}
	return plots
}

func anyPoints(curves []Curve) bool {
	for _, c := range curves {
		if len(c.Points) > 0 {
			return true
		}
	}
	return false
}

// percentCurves returns one series for each curve, with percentages for shares, and the values of both axes.
func percentCurves(curves []Curve) (all []series, xs, ys []float64) {
	for i, c := range curves {
		s := series{line: lineStyle(i)}
		if len(c.Points) > 0 {
			s.name = clean(c.Name, maxName)
		}
		for _, p := range c.Points {
			q := Point{100 * p.X, 100 * p.Y}
			s.points = append(s.points, q)
			xs, ys = append(xs, q.X), append(ys, q.Y)
		}
		all = append(all, s)
	}
	return all, xs, ys
}

func rocChart(curves []Curve) chart {
	all, xs, _ := percentCurves(curves)
	least := 1.0 // percent; a perfect model has no rates but 0 and 100
	for _, x := range xs {
		if x > 0 && x < least {
			least = x
		}
	}
	x := newLogAxis("ham called spam (% of ham, logarithmic)", []float64{least, 100}, 1e-3)
	return chart{title: "ROC curves", x: x, y: newAxis("spam caught (% of spam)", []float64{0, 100}), series: all}
}

func detChart(curves []Curve) chart {
	curves = lowErrors(curves)
	all, xs, ys := percentCurves(curves)
	return chart{
		title: "DET curves",
		x:     newDeviateAxis("ham called spam (% of ham, normal deviate)", xs, 1e-3),
		y:     newDeviateAxis("spam let through (% of spam)", ys, 1e-3), series: all,
	}
}

// lowErrors returns the curves without the points where an error is above one half, which would leave little room for
// those where a filter is used; if that would be all of them, the curves as they are.
func lowErrors(curves []Curve) []Curve {
	low := make([]Curve, len(curves))
	for i, c := range curves {
		low[i].Name = c.Name
		for _, p := range c.Points {
			if p.X <= 0.5 && p.Y <= 0.5 {
				low[i].Points = append(low[i].Points, p)
			}
		}
	}
	if !anyPoints(low) {
		return curves
	}
	return low
}

// learningChart has the (1-ROCA)% of each model; of a single model all of its figures.
func learningChart(curves []LearningCurve) (chart, bool) {
	type figure struct {
		name string
		of   func(LearningPoint) *float64
	}
	figures := []figure{{"(1-ROCA)%", func(p LearningPoint) *float64 { return p.OneMinusROCA }}}
	label := "(1-ROCA)%, logarithmic"
	if len(curves) == 1 {
		label = "% (logarithmic)"
		figures = append(figures,
			figure{"lam%", func(p LearningPoint) *float64 { return p.LAM }},
			figure{"hm% (ham lost)", func(p LearningPoint) *float64 { return p.HM }},
			figure{"sm% (spam let through)", func(p LearningPoint) *float64 { return p.SM }})
	}
	c := chart{title: "Errors by messages learnt"}
	var xs, ys []float64
	for i, curve := range curves {
		for j, f := range figures {
			s := series{name: f.name, line: lineStyle(i + j)}
			if len(curves) > 1 {
				s.name = clean(curve.Model, maxName)
			}
			for _, p := range curve.Points {
				if y := f.of(p); y != nil {
					s.points = append(s.points, Point{float64(p.Messages), *y})
					xs, ys = append(xs, float64(p.Messages)), append(ys, *y)
				}
			}
			if len(s.points) > 0 {
				c.series = append(c.series, s)
			}
		}
	}
	xs = append(xs, 0)
	c.x = newCountAxis("messages learnt", xs).tight(xs)
	c.y = newLogAxis(label, ys, 1e-4)
	return c, len(ys) > 0
}

// epochChart has two lines of a colour for each model: thin for the training part, thick for the development part.
func epochChart(newY func(string, []float64) axis, title, label string, curves []EpochCurve, of func(Epoch) (train, development *float64)) (chart, bool) {
	c := chart{title: title}
	var xs, ys []float64
	for i, curve := range curves {
		name := clean(curve.Model, maxName)
		train, development := series{line: lineStyle(i)}, series{line: lineStyle(i)}
		train.line.Width = 0.6
		for _, e := range curve.Epochs {
			t, d := of(e)
			for _, of := range []struct {
				y *float64
				s *series
			}{{t, &train}, {d, &development}} {
				if of.y != nil {
					of.s.points = append(of.s.points, Point{float64(e.Epoch), *of.y})
					xs, ys = append(xs, float64(e.Epoch)), append(ys, *of.y)
				}
			}
		}
		switch {
		case len(development.points) > 0:
			development.name = name
		case len(train.points) > 0:
			train.name = name
		}
		c.series = append(c.series, train, development)
	}
	c.x, c.y = newCountAxis("epoch", xs).tight(xs), newY(label, ys)
	return c, len(xs) > 0
}

// scoreChart has a step line for each class, on a logarithmic axis, since it is the few in the middle that matter.
func scoreChart(h Histogram) (chart, bool) {
	c := chart{title: "Scores of ham and spam"}
	var counts []float64
	for i, of := range []struct {
		name   string
		counts []int
	}{{"ham", h.Ham}, {"spam", h.Spam}} {
		s := series{name: of.name, line: lineStyle(i), fill: translucent(colour(i), 0x48)}
		for bin, n := range of.counts {
			if bin+1 < len(h.Edges) {
				s.points = append(s.points, Point{h.Edges[bin], float64(n)}, Point{h.Edges[bin+1], float64(n)})
				counts = append(counts, float64(n))
			}
		}
		c.series = append(c.series, s)
	}
	c.x = newAxis("score", h.Edges).tight(h.Edges)
	c.y = newLogAxis("messages (logarithmic)", append(counts, 1), 1)
	c.y.min = 0.5 // below one message, so that one is seen
	if t := h.Thresholds; t != nil {
		for i, at := range []struct {
			name  string
			score float64
		}{{"unsure above " + fixed(t.Unsure, 2), t.Unsure}, {"spam above " + fixed(t.Spam, 2), t.Spam}} {
			line := draw.LineStyle{Color: colour(6), Width: 1, Dashes: [][]vg.Length{{2, 2}, {6, 2}}[i]}
			if !(at.score >= c.x.min && at.score <= c.x.max) {
				continue // the lines would lie where they do not belong
			}
			c.series = append(c.series, series{name: at.name, points: []Point{{at.score, c.y.min}, {at.score, c.y.max}}, line: line})
		}
	}
	return c, len(counts) > 0
}

func (p Page) reliabilityNote() string {
	note := "If 70% of the messages said to be spam with a probability of 0.7 are spam, and so on, the points lie on the line."
	if len(p.Classes) > 2 {
		note = "If the class given is right for 70% of the messages where it has a probability of 0.7, and so on, the points lie on the line."
	}
	return note + " Larger points stand for more messages."
}

func reliabilityChart(bins []metrics.ReliabilityBin) chart {
	most := 1
	for _, b := range bins {
		most = max(most, b.Messages)
	}
	ideal := series{name: "perfect", points: []Point{{0, 0}, {1, 1}}, line: draw.LineStyle{Color: colour(6), Width: 0.8, Dashes: []vg.Length{3, 3}}}
	seen := series{name: "this model", line: lineStyle(0), glyph: glyphStyle(0, 3)}
	for _, b := range bins {
		seen.points = append(seen.points, Point{b.Predicted, b.Observed})
		seen.radii = append(seen.radii, areaRadius(b.Messages, most))
	}
	return chart{
		title: "Reliability", x: newAxis("probability predicted", []float64{0, 1}), y: newAxis("share observed", []float64{0, 1}),
		series: []series{ideal, seen},
	}
}

// areaRadius returns the radius of a mark whose area grows with n, of at most most.
func areaRadius(n, most int) vg.Length {
	return 2 + vg.Length(7*math.Sqrt(float64(max(n, 0))/float64(max(most, 1))))
}

func driftChart(months []Month) chart {
	line := series{line: lineStyle(0), glyph: glyphStyle(0, 2.5)}
	most := 1
	for _, m := range months {
		most = max(most, m.Messages)
	}
	var ys []float64
	for i, m := range months {
		line.radii = append(line.radii, areaRadius(m.Messages, most)/2)
		line.points = append(line.points, Point{float64(i), m.Accuracy})
		ys = append(ys, m.Accuracy)
	}
	x := axis{label: "when the mail came", min: -0.5, max: float64(len(months)) - 0.5}
	for i, m := range months {
		x.ticks = append(x.ticks, tick{float64(i), clean(m.Label, 12)})
	}
	return chart{title: "Accuracy over time", x: x, y: newPercentAxis("accuracy (%)", ys), series: []series{line}}
}

// twoTermsChart is the picture of the lectures: messages in the plane of two terms, and the boundary.
func (p Page) twoTermsChart() chart {
	t := p.TwoTerms
	xs, ys := []float64{0, 1}, []float64{0, 1}
	most, classes := 1, 0
	for _, point := range t.Points {
		xs, ys = append(xs, point.X), append(ys, point.Y)
		most, classes = max(most, point.Messages), max(classes, min(point.Class, 99)+1)
	}
	unit := ""
	if t.Unit != "" {
		unit = " (" + clean(t.Unit, maxName) + ")"
	}
	c := chart{
		title: "Two terms and the boundary",
		x:     newAxis(clean(t.X, maxName)+unit, xs), y: newAxis(clean(t.Y, maxName)+unit, ys),
	}
	c.x, c.y = withRoom(c.x), withRoom(c.y)
	for class := range classes {
		s := series{name: p.className(class), glyph: glyphStyle(class, 4)}
		for _, point := range t.Points {
			if point.Class == class {
				s.points = append(s.points, Point{point.X, point.Y})
				s.radii = append(s.radii, areaRadius(point.Messages, most))
			}
		}
		if len(s.points) > 0 {
			c.series = append(c.series, s)
		}
	}
	if ends := boundary(*t, c.x, c.y); len(ends) == 2 {
		c.series = append(c.series, series{name: "boundary", points: ends, line: draw.LineStyle{Color: colour(6), Width: 1.4}})
	}
	return c
}

// withRoom widens an axis by a tenth at both ends, so that no mark is cut.
func withRoom(a axis) axis {
	room := (a.max - a.min) / 10
	a.min, a.max = a.min-room, a.max+room
	return a
}

// boundary returns the two points where A*x + B*y + C = 0 meets the edges of the plot; none if it does not.
func boundary(t TwoTerms, x, y axis) []Point {
	var ends []Point
	add := func(p Point) {
		inside := p.X >= x.min && p.X <= x.max && p.Y >= y.min && p.Y <= y.max
		if inside && (len(ends) == 0 || p != ends[0]) && len(ends) < 2 {
			ends = append(ends, p)
		}
	}
	for _, edge := range []float64{x.min, x.max} {
		if t.B != 0 {
			add(Point{edge, -(t.A*edge + t.C) / t.B})
		}
	}
	for _, edge := range []float64{y.min, y.max} {
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
