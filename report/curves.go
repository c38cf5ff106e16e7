package report

import (
	"fmt"
	"slices"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"
)

// percentages returns curves with percentages for rates, and the least positive rate of ham, 0 without one. Where a rate is 0, only the
// point with the best other rate stays: the others would be a line along the frame. better says which of two is the better.
func percentages(curves []Curve, better func(a, b float64) bool) (all []Curve, least float64) {
	for _, c := range curves {
		shown := Curve{Name: c.Name}
		best := -1 // the index of the point without ham lost
		for _, p := range c.Points {
			if !finite(p.X) || !finite(p.Y) {
				continue
			}
			p = Point{100 * p.X, 100 * p.Y}
			if p.X > 0 {
				if least == 0 || p.X < least {
					least = p.X
				}
			} else if best < 0 {
				best = len(shown.Points)
			} else {
				if better(p.Y, shown.Points[best].Y) {
					shown.Points[best] = p
				}
				continue
			}
			shown.Points = append(shown.Points, p)
		}
		all = append(all, shown)
	}
	return all, least
}

func countPoints(curves []Curve) int {
	n := 0
	for _, c := range curves {
		n += len(c.Points)
	}
	return n
}

// rocChart shows the top left corner of the ROC curves, where filters differ.
func rocChart(curves []Curve, operating []Operating) *chart {
	curves, least := percentages(curves, func(a, b float64) bool { return a > b })
	if countPoints(curves) == 0 {
		return nil
	}
	if least == 0 || least >= 100 { // a perfect model has only the rates 0 and 100
		least = 0.1
	}
	c := newChart(pluralTitle("ROC curve", curves), "ham called spam (% of ham, logarithmic)", "spam caught (% of spam)")
	right, bottom := corner(curves, least)
	for _, o := range operating {
		if caught := 100 - percentOf(o.SpamMissed, o.Spam); o.Spam > 0 && caught >= 50 && o.isOf(curves) {
			bottom = min(bottom, floorOf(caught))
		}
	}
	setRates(&c.X, least, right)
	low, high := c.X.Min, c.X.Max
	for i, curve := range curves {
		line := &plotter.Line{LineStyle: lineStyle(i)}
		for _, p := range curve.Points {
			line.XYs = append(line.XYs, plotter.XY{X: max(p.X, low), Y: p.Y})
		}
		if len(line.XYs) > 0 {
			c.Add(line)
			c.addLegend(clean(curve.Name, maxName), line)
		}
	}
	c.X.Min, c.X.Max = low, high // which the lines have widened
	spanPercentages(&c.Y, []float64{bottom, 100})
	shown := slices.DeleteFunc(slices.Clone(operating), func(o Operating) bool {
		return o.Ham <= 0 || o.Spam <= 0 || percentOf(o.HamLost, o.Ham) > c.X.Max || 100-percentOf(o.SpamMissed, o.Spam) < c.Y.Min
	})
	c.addOperating(curves, shown, func(spamMissed float64) float64 { return 100 - spamMissed })
	return c
}

func pluralTitle(title string, curves []Curve) string {
	if len(curves) == 1 {
		return title
	}
	return title + "s"
}

func rocNote(c *chart) string {
	note := "The spam caught and the ham lost at each threshold. Curves near the top left are better."
	if c != nil && (c.X.Max < 100 || c.Y.Min > 0) {
		note += " Only the corner where filters differ is shown."
	}
	return note
}

// corner returns the ham lost at the right end and the spam caught at the bottom of the part of ROC curves where they differ. Curves that
// catch less than half of the spam at 10% of ham lost have no say, unless all are like that.
func corner(curves []Curve, least float64) (right, bottom float64) {
	right, bottom = 0, 100
	for _, curve := range curves {
		caughtAt := func(hamLost float64) float64 {
			caught := 0.
			for _, p := range curve.Points {
				if p.X <= hamLost {
					caught = max(caught, p.Y)
				}
			}
			return caught
		}
		if caughtAt(10) < 50 {
			continue
		}
		end := 100.
		for _, p := range curve.Points {
			if p.Y >= 99.9 {
				end = min(end, p.X)
			}
		}
		right = max(right, end)
		from := caughtAt(0)
		if from < 80 {
			from = min(80, caughtAt(1))
		}
		bottom = min(bottom, from)
	}
	if right == 0 && bottom == 100 && len(curves) > 0 && !perfect(curves) {
		return 100, 0
	}
	return min(100, roundUp(max(right*1.5, least*10, 1))), floorOf(bottom)
}

// floorOf returns the round percentage of spam caught below another.
func floorOf(caught float64) float64 {
	floors := []float64{0, 20, 50, 80, 90, 95, 98, 99, 99.5, 99.8}
	i, found := slices.BinarySearch(floors, caught)
	if !found {
		i--
	}
	return floors[max(i, 0)]
}

// isOf reports whether the model of o has a curve, so that o is marked.
func (o Operating) isOf(curves []Curve) bool {
	return slices.ContainsFunc(curves, func(c Curve) bool { return c.Name == o.Model }) && o.Point != HamLimit
}

// perfect reports whether a curve catches all spam without losing ham.
func perfect(curves []Curve) bool {
	return slices.ContainsFunc(curves, func(c Curve) bool {
		return slices.ContainsFunc(c.Points, func(p Point) bool { return p.X <= 0 && p.Y >= 100 })
	})
}

func detChart(curves []Curve, operating []Operating) *chart {
	curves, _ = percentages(lowErrors(curves), func(a, b float64) bool { return a < b })
	if countPoints(curves) == 0 {
		return nil
	}
	c := newChart(pluralTitle("DET curve", curves), "ham called spam (% of ham, normal deviate)", "spam let through (% of spam)")
	var xs, ys []float64
	for i, curve := range curves {
		none := slices.IndexFunc(curve.Points, func(p Point) bool { return p.Y <= 0 })
		for j, p := range curve.Points { // of the points without spam let through, only that with the least ham lost stays
			if p.Y <= 0 && p.X < curve.Points[none].X {
				none = j
			}
		}
		var points []Point
		for j, p := range curve.Points {
			if p.Y > 0 || j == none {
				points = append(points, p)
			}
		}
		curves[i].Points = points
		for _, p := range points {
			xs, ys = append(xs, p.X), append(ys, p.Y)
		}
	}
	for _, o := range operating {
		if o.Ham > 0 && o.Spam > 0 && o.isOf(curves) {
			x, y := percentOf(o.HamLost, o.Ham), percentOf(o.SpamMissed, o.Spam)
			if x <= 50 && y <= 50 {
				xs, ys = append(xs, x), append(ys, y)
			}
		}
	}
	setDeviate(&c.X, xs)
	setDeviate(&c.Y, ys)
	for i, curve := range curves {
		c.addLine(clean(curve.Name, maxName), lineStyle(i), curve.Points)
	}
	shown := slices.DeleteFunc(slices.Clone(operating), func(o Operating) bool { return 2*o.HamLost > o.Ham || 2*o.SpamMissed > o.Spam })
	c.addOperating(curves, shown, func(spamMissed float64) float64 { return spamMissed })
	return c
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

// addOperating marks the thresholds of the models with curves, and for a single model the limits of spam missed. y is a function of the
// percentage of spam missed.
func (c *chart) addOperating(curves []Curve, operating []Operating, y func(float64) float64) {
	marks := []struct {
		point OperatingPoint
		name  string
		shape draw.GlyphDrawer
	}{
		{SpamVerdict, "verdict spam", draw.PyramidGlyph{}},
		{UnsureVerdict, "verdict spam or unsure", draw.BoxGlyph{}},
		{SpamLimit, limitsOf(operating) + " of spam missed", draw.RingGlyph{}},
	}
	for _, mark := range marks {
		if mark.point == SpamLimit && len(curves) > 1 {
			continue
		}
		shown := false
		for _, o := range operating {
			i := slices.IndexFunc(curves, func(c Curve) bool { return c.Name == o.Model })
			if o.Point != mark.point || i < 0 || o.Ham <= 0 || o.Spam <= 0 {
				continue
			}
			at := Point{percentOf(o.HamLost, o.Ham), y(percentOf(o.SpamMissed, o.Spam))}
			if start := slices.IndexFunc(curves[i].Points, func(p Point) bool { return p.X <= 0 }); at.X == 0 && start >= 0 {
				c.addLine("", draw.LineStyle{Color: colour(i), Width: 0.7}, []Point{curves[i].Points[start], at})
			}
			c.addMark(draw.GlyphStyle{Color: colour(i), Radius: 4, Shape: mark.shape}, at)
			shown = true
		}
		if shown {
			style := draw.GlyphStyle{Color: black(), Radius: 4, Shape: mark.shape}
			if len(curves) == 1 {
				style.Color = colour(0)
			}
			c.addLegend(mark.name, &plotter.Scatter{GlyphStyle: style})
		}
	}
}

// limitsOf lists the limits of spam missed, as in "1, 5 and 10%".
func limitsOf(operating []Operating) string {
	var limits []string
	for _, o := range operating {
		if text := short(o.Limit); o.Point == SpamLimit && !slices.Contains(limits, text) {
			limits = append(limits, text)
		}
	}
	return listed(limits) + "%"
}

func percentOf(n, of int) float64 { return 100 * float64(n) / float64(of) }

// String describes the point and its limit.
func (o Operating) String() string {
	switch o.Point {
	case SpamVerdict:
		return "verdict spam"
	case UnsureVerdict:
		return "verdict spam or unsure"
	case HamLimit:
		return "at most " + short(o.Limit) + "% of ham lost"
	default:
		return "at most " + short(o.Limit) + "% of spam missed"
	}
}

// operatingTable has a row for each point of a single model, or a row for each of several models.
func (p Page) operatingTable() []table {
	if len(p.Operating) == 0 {
		return nil
	}
	first := p.Operating[0].Model
	if !slices.ContainsFunc(p.Operating, func(o Operating) bool { return o.Model != first }) {
		share := func(n, of int) string {
			if of <= 0 {
				return notKnown
			}
			return fmt.Sprintf("%s%% (%d of %d)", short(percentOf(n, of)), n, of)
		}
		return tabulate("", p.Operating, nil, []column[Operating]{
			{"operating point", name, Operating.String},
			{"spam is a score above", number, func(o Operating) string { return short(o.Threshold) }},
			{"ham lost", number, func(o Operating) string { return share(o.HamLost, o.Ham) }},
			{"spam missed", number, func(o Operating) string { return share(o.SpamMissed, o.Spam) }},
		})
	}
	type key struct {
		point OperatingPoint
		limit float64
	}
	var models []string
	var points []Operating
	at := make(map[string]map[key]Operating)
	for _, o := range p.Operating {
		k := key{o.Point, o.Limit}
		if at[o.Model] == nil {
			models, at[o.Model] = append(models, o.Model), make(map[key]Operating)
		}
		at[o.Model][k] = o
		if !slices.ContainsFunc(points, func(q Operating) bool { return k == key{q.Point, q.Limit} }) {
			points = append(points, o)
		}
	}
	columns := []column[string]{{"model", name, func(model string) string { return clean(model, maxName) }}}
	share := func(k key, of func(Operating) (n, all int)) func(string) string {
		return func(model string) string {
			o, known := at[model][k]
			n, all := of(o)
			if !known || all <= 0 {
				return notKnown
			}
			return short(percentOf(n, all))
		}
	}
	for _, o := range points {
		k := key{o.Point, o.Limit}
		if o.Point != HamLimit {
			columns = append(columns, column[string]{o.String() + ": ham lost %", longHead, share(k, func(o Operating) (int, int) { return o.HamLost, o.Ham })})
		}
		if o.Point != SpamLimit {
			columns = append(columns, column[string]{o.String() + ": spam missed %", longHead, share(k, func(o Operating) (int, int) { return o.SpamMissed, o.Spam })})
		}
	}
	return tabulate("", models, nil, columns)
}
