package report

import (
	"slices"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"

	"chaff/internal/screen"
)

// percentages returns curves with percentages for rates, and the least positive rate of ham, 0 without one. Where a rate of ham is 0, only
// the point with the most spam caught stays: the others would be a line along the frame.
func percentages(curves []Curve) (all []Curve, least float64) {
	for _, c := range curves {
		shown := Curve{Name: c.Name}
		best := -1 // the index of the point without ham lost
		for _, p := range c.Points {
			if !finite(p.X) || !finite(p.Y) {
				continue
			}
			p = Point{100 * p.X, 100 * p.Y}
			switch {
			case p.X > 0:
				if least == 0 || p.X < least {
					least = p.X
				}
			case best >= 0:
				shown.Points[best].Y = max(shown.Points[best].Y, p.Y)
				continue
			default:
				best = len(shown.Points)
			}
			shown.Points = append(shown.Points, p)
		}
		all = append(all, shown)
	}
	return all, least
}

// caughtAt returns the percentage of spam caught at a percentage of ham lost, of a curve whose whole is 1 or 100.
func caughtAt(c Curve, whole, hamLost float64) float64 {
	caught := 0.
	for _, p := range c.Points {
		if whole*p.X <= hamLost {
			caught = max(caught, whole*p.Y)
		}
	}
	return caught
}

// rocChart shows the top left corner of the ROC curves, where filters differ.
func rocChart(curves []Curve, operating []Operating) *chart {
	curves, least := percentages(curves)
	if !slices.ContainsFunc(curves, func(c Curve) bool { return len(c.Points) > 0 }) {
		return nil
	}
	if least == 0 || least >= 100 { // a perfect model has only the rates 0 and 100
		least = 0.1
	}
	title := "ROC curves"
	if len(curves) == 1 {
		title = "ROC curve"
	}
	c := newChart(title, "ham called spam (% of ham, logarithmic)", "spam caught (% of spam)")
	right, bottom := corner(curves, least)
	marked := slices.DeleteFunc(slices.Clone(operating), func(o Operating) bool {
		return o.Ham <= 0 || o.Spam <= 0 || o.Point == HamLimit || !slices.ContainsFunc(curves, func(c Curve) bool { return c.Name == o.Model })
	})
	for _, o := range marked {
		if o.caught() >= 50 {
			bottom = min(bottom, floorOf(o.caught()))
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
	c.addOperating(curves, slices.DeleteFunc(marked, func(o Operating) bool { return o.lost() > c.X.Max || o.caught() < c.Y.Min }))
	return c
}

// corner returns the ham lost at the right end and the spam caught at the bottom of the part of ROC curves where they differ. Curves that
// catch less than half of the spam at 10% of ham lost have no say, unless all are like that.
func corner(curves []Curve, least float64) (right, bottom float64) {
	right, bottom = 0, 100
	perfect := false // whether a curve catches all spam without losing ham
	for _, curve := range curves {
		from := caughtAt(curve, 1, 0)
		perfect = perfect || from >= 100
		if caughtAt(curve, 1, 10) < 50 {
			continue
		}
		end := 100.
		for _, p := range curve.Points {
			if p.Y >= 99.9 {
				end = min(end, p.X)
			}
		}
		right = max(right, end)
		if from < 80 {
			from = min(80, caughtAt(curve, 1, 1))
		}
		bottom = min(bottom, from)
	}
	if right == 0 && bottom == 100 && !perfect {
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

// addOperating marks the thresholds of the models with curves, and for a single model the limits of spam missed.
func (c *chart) addOperating(curves []Curve, operating []Operating) {
	var limits []string // of spam missed, as in "1, 5 and 10%"
	for _, o := range operating {
		if text := short(o.Limit); o.Point == SpamLimit && !slices.Contains(limits, text) {
			limits = append(limits, text)
		}
	}
	for _, mark := range []struct {
		point OperatingPoint
		name  string
		shape draw.GlyphDrawer
	}{
		{SpamVerdict, "verdict spam", draw.PyramidGlyph{}},
		{UnsureVerdict, "verdict spam or unsure", draw.BoxGlyph{}},
		{SpamLimit, listed(limits) + "% of spam missed", draw.RingGlyph{}},
	} {
		if mark.point == SpamLimit && len(curves) > 1 {
			continue
		}
		shown := false
		for _, o := range operating {
			if o.Point != mark.point {
				continue
			}
			i := slices.IndexFunc(curves, func(c Curve) bool { return c.Name == o.Model })
			at := Point{o.lost(), o.caught()}
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

func percentOf(n, of int) float64 { return 100 * float64(n) / float64(of) }

// lost and caught return the percentages of ham lost and of spam caught.
func (o Operating) lost() float64   { return percentOf(o.HamLost, o.Ham) }
func (o Operating) caught() float64 { return 100 - percentOf(o.SpamMissed, o.Spam) }

// String describes the point and its limit.
func (o Operating) String() string {
	switch o.Point {
	case SpamVerdict:
		return "verdict spam"
	case UnsureVerdict:
		return "verdict spam or unsure"
	case HamLimit:
		return "at most " + short(o.Limit) + "% of ham lost"
	}
	return "at most " + short(o.Limit) + "% of spam missed"
}

// operatingTable has a row for each threshold of a single model; of several models, a table for their verdicts and one for each kind of limit.
func (p Page) operatingTable() []table {
	if len(p.Operating) == 0 {
		return nil
	}
	var models []string
	var points []Operating // each once
	for _, o := range p.Operating {
		if !slices.Contains(models, o.Model) {
			models = append(models, o.Model)
		}
		if !slices.ContainsFunc(points, o.isAt) {
			points = append(points, o)
		}
	}
	if len(models) == 1 {
		share := func(n, of int) string {
			if of <= 0 {
				return notKnown
			}
			return screen.Sprintf("%s%% (%d of %d)", short(percentOf(n, of)), n, of)
		}
		return tabulate("", p.Operating, nil, []column[Operating]{
			{"threshold", name, Operating.String},
			{"spam is a score above", number, func(o Operating) string { return short(o.Threshold) }},
			{"ham lost", number, func(o Operating) string { return share(o.HamLost, o.Ham) }},
			{"spam missed", number, func(o Operating) string { return share(o.SpamMissed, o.Spam) }},
		})
	}
	model := column[string]{"model", name, func(model string) string { return clean(model, maxName) }}
	verdicts, hamLimits, spamLimits := []column[string]{model}, []column[string]{model}, []column[string]{model}
	for _, at := range points {
		rate := func(head string, of func(Operating) (n, all int)) column[string] {
			return column[string]{head, longHead, func(model string) string {
				i := slices.IndexFunc(p.Operating, func(o Operating) bool { return o.Model == model && o.isAt(at) })
				if i < 0 {
					return notKnown
				}
				n, all := of(p.Operating[i])
				if all <= 0 {
					return notKnown
				}
				return short(percentOf(n, all))
			}}
		}
		ham, spam := func(o Operating) (int, int) { return o.HamLost, o.Ham }, func(o Operating) (int, int) { return o.SpamMissed, o.Spam }
		limit := "at most " + short(at.Limit) + "%"
		switch at.Point {
		case SpamVerdict:
			verdicts = append(verdicts, rate("ham called spam", ham), rate("spam called ham or unsure", spam))
		case UnsureVerdict:
			verdicts = append(verdicts, rate("ham called spam or unsure", ham), rate("spam called ham", spam))
		case HamLimit:
			hamLimits = append(hamLimits, rate(limit, spam))
		case SpamLimit:
			spamLimits = append(spamLimits, rate(limit, ham))
		}
	}
	return slices.Concat(tabulate("Verdicts, in % of ham or spam", models, nil, verdicts), tabulate("% of spam missed if ham lost is", models, nil, hamLimits),
		tabulate("% of ham lost if spam missed is", models, nil, spamLimits))
}

func (o Operating) isAt(other Operating) bool {
	return o.Point == other.Point && o.Limit == other.Limit
}
