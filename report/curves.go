package report

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"

	"chaff/internal/screen"
	"chaff/metrics"
)

// operating is the errors of a model at a threshold, above which a message is spam.
type operating struct {
	model     int // of [Page.Models]
	name      string
	threshold float64
	at        metrics.Point
	mark      draw.GlyphDrawer // nil for none
}

// operating returns the errors at the thresholds of the verdicts, and for a single model where little ham is lost.
func (p Page) operating() (all []operating) {
	for i, curve := range p.Curves {
		r := p.Models[i]
		if len(curve) == 0 || r.Test == nil || len(r.Test.Confusion) != 2 {
			continue
		}
		add := func(name string, mark draw.GlyphDrawer, threshold float64, at metrics.Point) {
			all = append(all, operating{i, name, threshold, at, mark})
		}
		if t := r.Thresholds; t != nil {
			add("verdict spam", draw.PyramidGlyph{}, t.Spam, metrics.PointAt(curve, t.Spam))
			add("verdict spam or unsure", draw.BoxGlyph{}, t.Unsure, metrics.PointAt(curve, t.Unsure))
		}
		if len(p.Curves) == 1 {
			for _, limit := range []float64{0.1, 1} {
				at := metrics.PointAtHM(curve, limit/100)
				add("at most "+short(limit)+"% of ham lost", nil, at.Threshold, at)
			}
		}
	}
	return all
}

// operatingTable has a row for each model and threshold.
func (p Page) operatingTable() table {
	first := 0
	if len(p.Curves) < 2 { // one model needs no name
		first = 1
	}
	heads := []cell{{"model", name}, {"threshold", name}, {"spam is a score above", number}, {"ham lost", number}, {"spam missed", number}}
	t := table{Head: heads[first:]}
	for _, o := range p.operating() {
		of := p.Models[o.model]
		share := func(rate float64, class int) string {
			all := of.Test.Confusion.Of(class)
			n := int(math.Round(rate * float64(all)))
			return screen.Sprintf("%s%% (%d of %d)", short(100*float64(n)/float64(all)), n, all)
		}
		cells := []string{clean(of.Model, maxName), o.name, short(o.threshold), share(o.at.HM, 0), share(o.at.SM, 1)}
		t.row(cells[first:]...)
	}
	return t
}

// caughtAt returns the percentage of spam caught at a percentage of ham lost.
func caughtAt(curve []metrics.Point, hamLost float64) float64 {
	return 100 * (1 - metrics.PointAtHM(curve, hamLost/100).SM)
}

// roc has the top of the ROC curves, where filters differ, unless they have nothing to show: all spam is caught without losing ham.
func (p Page) roc() Plot {
	var alts []string
	flawless := true
	bottom := 100.
	rates := []float64{0, 100} // of ham lost
	weak := true
	for i, curve := range p.Curves {
		if len(curve) == 0 {
			continue
		}
		var caught []string
		for _, limit := range []float64{0, 0.1, 1} {
			caught = append(caught, short(caughtAt(curve, limit))+"%")
		}
		alts = append(alts, clean(p.Models[i].Model, maxName)+" catches "+listed(caught)+" of spam where 0%, 0.1% and 1% of ham is lost.")
		flawless = flawless && caughtAt(curve, 0) >= 100
		if caughtAt(curve, 10) >= 50 { // a weak model has no say
			weak, bottom = false, min(bottom, max(80, math.Floor(caughtAt(curve, 0))))
		}
		for _, at := range curve {
			rates = append(rates, 100*at.HM)
		}
	}
	switch {
	case len(alts) == 0:
		return Plot{}
	case flawless:
		return Plot{Note: "All spam can be caught without losing ham, so there is no ROC curve to draw."}
	case weak:
		bottom = 0
	}
	title, note := "ROC curves", "The spam caught and the ham lost at each threshold. Curves near the top left are better."
	if len(alts) == 1 {
		title = "ROC curve"
	}
	if bottom > 0 {
		note += " Only the top is shown, where filters differ."
	}
	c := newChart(title, "ham called spam (% of ham, logarithmic)", "spam caught (% of spam)")
	setLogarithmic(&c.X, rates)
	spanPercentages(&c.Y, []float64{bottom, 100})
	for i, curve := range p.Curves {
		c.addLine(clean(p.Models[i].Model, maxName), lineStyle(i), topOf(metrics.Thin(curve, 400), c.Y.Min))
	}
	named := make(map[string]bool)
	for _, o := range p.operating() {
		at := Point{100 * o.at.HM, 100 * (1 - o.at.SM)}
		if o.mark == nil || at.Y < bottom {
			continue
		}
		style := draw.GlyphStyle{Color: colour(o.model), Radius: 4, Shape: o.mark}
		c.addMark(style, at)
		if !named[o.name] {
			style.Color = black()
			c.addLegend(o.name, &plotter.Scatter{GlyphStyle: style})
		}
		named[o.name] = true
	}
	return Plot{Note: note, Alt: joined(alts...), chart: c}
}

// topOf returns a ROC curve from where all spam is caught to where it leaves the plot at the bottom.
func topOf(curve []metrics.Point, bottom float64) (points []Point) {
	before := Point{100, 100}
	for _, at := range curve {
		at := Point{100 * at.HM, 100 * (1 - at.SM)}
		if at.Y < bottom {
			share := (bottom - at.Y) / (before.Y - at.Y)
			return append(points, Point{at.X + share*(before.X-at.X), bottom})
		}
		points, before = append(points, at), at
	}
	return points
}

// epochs has a line for each of the models with at least two epochs: its figures on the development part or, without one, on the training part.
func (p Page) epochs(title, label string, isLoss bool) Plot {
	const maxCurves = 6
	figure, little := percentage, 0.005 // which two decimals do not show
	if isLoss {
		figure = short
	}
	c := newChart(title, "epoch", label)
	c.X.Tick.Marker = ticksOf(1)
	var lines []Curve
	var xs, ys, later []float64
	var alts, levels, stops []string
	flat := true
	for _, r := range p.Models {
		if len(r.Epochs) < 2 || len(lines) == maxCurves {
			continue
		}
		line := Curve{Name: clean(r.Model, maxName)}
		var values []float64
		for _, e := range r.Epochs {
			of := cmp.Or(e.Development, &e.Train)
			at := Point{float64(e.Epoch), of.Accuracy}
			if isLoss {
				at.Y = of.Loss
			}
			if !finite(at.Y) {
				continue
			}
			line.Points, xs, values = append(line.Points, at), append(xs, at.X), append(values, at.Y)
		}
		if len(values) == 0 {
			continue
		}
		first, last := values[0], values[len(values)-1]
		if isLoss {
			little = 0.05 * slices.Max(values)
		}
		flat = flat && slices.Max(values)-slices.Min(values) <= little
		lines, ys, later = append(lines, line), append(ys, values...), append(later, values[1:]...)
		levels = append(levels, line.Name+" "+figure(first))
		alts = append(alts, screen.Sprintf("%s: from %s to %s in %d epochs.", line.Name, figure(first), figure(last), len(values)))
		stops = append(stops, screen.Sprintf("%s after %d", line.Name, r.Epochs[len(r.Epochs)-1].Epoch))
	}
	switch {
	case len(lines) == 0:
		return Plot{}
	case flat:
		return Plot{Note: title + " hardly changes: " + strings.Join(levels, "; ") + "."}
	}
	setRange(&c.X, xs...)
	if isLoss {
		setLogarithmic(&c.Y, ys)
	} else {
		spanPercentages(&c.Y, later) // the first epoch alone would squeeze the others
	}
	for i, line := range lines {
		c.addLine(line.Name, lineStyle(i), line.Points)
	}
	note := "On the development part. Training stopped at the end of each line: " + strings.Join(stops, "; ") + "."
	if isLoss {
		note += " Each trainer has a loss of its own."
	}
	return Plot{Note: note, Alt: joined(alts...), chart: c}
}
