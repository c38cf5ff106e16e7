package report

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot"

	"chaff/evaluate"
	"chaff/metrics"
	"chaff/models"
	"chaff/train"
)

func TestEachPlotHasItsTitle(t *testing.T) {
	drawn := samplePage().drawn()
	if len(drawn) != 6 {
		t.Errorf("%d plots, want 6", len(drawn))
	}
	for _, p := range drawn {
		svg := p.SVG()
		requireSVG(t, p.title(), svg)
		if !strings.Contains(string(svg), ">"+p.title()+"</text>") {
			t.Errorf("%s has no title", p.title())
		}
	}
}

// TestAnyDataGivesAPlotOrNone has what figures can be when there is little mail, or all of one class, and what they cannot.
func TestAnyDataGivesAPlotOrNone(t *testing.T) {
	measured := train.Result{Model: "a", Test: &metrics.Figures{Messages: 3, Confusion: metrics.Confusion{{1, 0}, {1, 1}}}}
	odd := []float64{0, 1, -1, 0.5, 100, math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64, -math.MaxFloat64, math.SmallestNonzeroFloat64, 1e16, 1e16 + 2, 1e-12}
	terms := func(points ...evaluate.TermPoint) *evaluate.Boundary {
		return &evaluate.Boundary{Points: [2][]evaluate.TermPoint{points, points}}
	}
	curves := func(points ...metrics.Point) Page {
		return Page{Models: []train.Result{measured}, Curves: [][]metrics.Point{points}}
	}
	pages := map[string]Page{
		"no points":    {Models: []train.Result{measured}, Curves: [][]metrics.Point{nil}},
		"zero rates":   curves(metrics.Point{SM: 1}, metrics.Point{}),
		"rates of one": curves(metrics.Point{HM: 1}, metrics.Point{SM: 1}),
		"empty bins":   {Models: []train.Result{{Test: &metrics.Figures{Reliability: []metrics.ReliabilityBin{{}}}}}},
		"classes that do not exist": {Boundary: terms(evaluate.TermPoint{X: 1, Y: 1, Messages: -3}),
			Models: []train.Result{{Test: &metrics.Figures{Confusion: metrics.Confusion{{1, 2, 3}, {0, 0, 0}, {0, 0, 0}}}}}},
		"no boundary": {Boundary: terms(evaluate.TermPoint{Messages: 1})},
	}
	for _, x := range odd {
		for _, y := range odd {
			epochs := models.Report{Epochs: []models.Epoch{{Epoch: 1, Train: models.EpochFigures{Loss: x, Accuracy: y}}, {Epoch: 2, Train: models.EpochFigures{Loss: y, Accuracy: x}}}}
			figures := &metrics.Figures{Messages: 3, Accuracy: x, AccuracyLow: y, AccuracyHigh: x, Confusion: measured.Test.Confusion}
			requirePlots(t, Page{
				Models:     []train.Result{{Model: "a", Report: epochs, Test: figures, Choice: train.Choice{Thresholds: &metrics.Thresholds{Unsure: x, Spam: y}}}, {Model: "b", Test: figures}},
				Curves:     [][]metrics.Point{{{Threshold: x, HM: x, SM: y}, {Threshold: y, HM: y, SM: x}, {SM: 1}}},
				Boundary:   &evaluate.Boundary{Points: [2][]evaluate.TermPoint{{{X: x, Y: y, Messages: 1}}}, A: x, B: y, C: x},
				Thresholds: &metrics.Thresholds{Unsure: x, Spam: y},
			})
		}
	}
	for name, page := range pages {
		t.Run(name, func(t *testing.T) {
			requirePlots(t, page)
			writeHTML(t, page)
		})
	}
}

// TestNamesOfModelsWithACommaStayApart has two kinds of feature of one model.
func TestNamesOfModelsWithACommaStayApart(t *testing.T) {
	epochs := []models.Epoch{{Epoch: 1, Train: models.EpochFigures{Accuracy: 50}}, {Epoch: 2, Train: models.EpochFigures{Accuracy: 90}}}
	p := Page{Models: []train.Result{
		{Model: "softmax, bits", Report: models.Report{Epochs: epochs}}, {Model: "softmax, counts", Report: models.Report{Epochs: epochs}},
	}}
	if note := p.epochs("Accuracy by epoch", "accuracy (%)", false).Note; !strings.Contains(note, "softmax, bits after 2; softmax, counts after 2.") {
		t.Error(note)
	}
}

// requirePlots wants plots without numbers that are none, all in the frame.
func requirePlots(t *testing.T, p Page) {
	t.Helper()
	for _, plot := range p.drawn() {
		svg := plot.SVG()
		requireSVG(t, plot.title(), svg)
		if strings.Contains(string(svg), "NaN") || strings.Contains(string(svg), "Inf") {
			t.Errorf("%s has a number that is none: %+v", plot.title(), p)
		}
	}
}

func TestROCCurvesShowTheTopWhereFiltersDiffer(t *testing.T) {
	good := []metrics.Point{{HM: 1}, {HM: 0.004, SM: 0.001}, {HM: 0.001, SM: 0.01}, {SM: 0.055}}
	weak := []metrics.Point{{HM: 1}, {HM: 0.5, SM: 0.5}, {SM: 0.99}}
	fair := []metrics.Point{{HM: 1}, {HM: 0.1, SM: 0.1}, {HM: 0.01, SM: 0.3}, {SM: 0.7}}
	for _, test := range []struct {
		name   string
		curves [][]metrics.Point
		bottom float64
	}{
		{"a good filter", [][]metrics.Point{good}, 94},
		{"a weak one beside it has no say", [][]metrics.Point{good, weak}, 94},
		{"a fair one has", [][]metrics.Point{good, fair}, 80},
		{"nothing but a weak one", [][]metrics.Point{weak}, 0},
	} {
		c := Page{Models: make([]train.Result, 2), Curves: test.curves}.roc().chart
		room := c.Y.Max - 100
		if math.Abs(c.Y.Min-max(0, test.bottom-room)) > 1e-9 {
			t.Errorf("%s: from %v%% of spam; want %v", test.name, c.Y.Min, test.bottom-room)
		}
	}
}

func TestAROCCurveLeavesThePlotAtTheBottom(t *testing.T) {
	curve := []metrics.Point{{HM: 1}, {HM: 0.5, SM: 0.125}, {HM: 0.5, SM: 0.25}, {SM: 0.75}}
	for bottom, want := range map[float64][]Point{
		0:  {{100, 100}, {50, 87.5}, {50, 75}, {0, 25}},
		50: {{100, 100}, {50, 87.5}, {50, 75}, {25, 50}},
		80: {{100, 100}, {50, 87.5}, {50, 80}},
	} {
		if got := topOf(curve, bottom); !slices.Equal(got, want) {
			t.Errorf("from %v%%: got %v, want %v", bottom, got, want)
		}
	}
}

// Of more than two classes, the parts of the score add up to the lead over the second class.
func TestTheSumOfSeveralClassesIsNoScore(t *testing.T) {
	p := samplePage()
	p.Explanation.Score, p.Explanation.Against = 1.5, "letters"
	if plot := p.evidence(); plot.title() != "What adds up to the lead over letters" || !strings.Contains(plot.Alt, "and lead over letters -0.25.") {
		t.Errorf("got %q: %q", plot.title(), plot.Alt)
	}
}

func TestPlotsAreDescribedByTheirFigures(t *testing.T) {
	alts := make(map[string]string)
	for _, p := range samplePage().drawn() {
		alts[p.title()] = p.Alt
	}
	for name, want := range map[string][]string{
		"What adds up to the score":  {"bias +0.00, words -0.50, links +0.25 and score -0.25. Unsure above -0.4, spam above 1.1."},
		"Accuracy of each model":     {"With 95% intervals: multinomial 9", " to 9", "majority "},
		"ROC curves":                 {"multinomial catches ", "% of spam where 0%, 0.1% and 1% of ham is lost. lms catches "},
		"Accuracy by epoch":          {"perceptron: from 95.30% to ", " in 12 epochs."},
		"Two terms and the boundary": {"1,300 ham and 722 spam by free and wrote. 610 ham and 210 spam have neither term. The boundary has "},
	} {
		for _, w := range want {
			if !strings.Contains(alts[name], w) {
				t.Errorf("%s: no %q in %q", name, w, alts[name])
			}
		}
	}
}

func TestTheBoundaryMeetsTheEdges(t *testing.T) {
	x, y := plot.Axis{Min: 0, Max: 4}, plot.Axis{Min: 0, Max: 2}
	tests := []struct {
		name    string
		a, b, c float64
		want    []Point
		corners int // of the half plane of positive scores
	}{
		{"a slope", 1, -1, 0, []Point{{0, 0}, {2, 2}}, 4},
		{"horizontal", 0, 1, -1, []Point{{4, 1}, {0, 1}}, 4},
		{"vertical", 1, 0, -3, []Point{{3, 0}, {3, 2}}, 4},
		{"a corner", 1, 1, -1, []Point{{1, 0}, {0, 1}}, 5},
		{"outside", 1, 1, 5, nil, 4},
		{"no line", 0, 0, 1, nil, 4},
		{"below all", 0, 0, -1, nil, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			above, got := halfPlane(test.a, test.b, test.c, x, y, 1)
			if !slices.Equal(got, test.want) {
				t.Errorf("got %v, want %v", got, test.want)
			}
			if len(above) != test.corners {
				t.Errorf("above it is %v, want %d corners", above, test.corners)
			}
		})
	}
}

func TestRowsAreBelowEachOtherInTheFrame(t *testing.T) {
	c := newRows("", "", 3)
	for want := 2.; want >= 0; want-- {
		if at := c.addRow(""); at != want || at < c.Y.Min || at > c.Y.Max {
			t.Errorf("got a row at %v of %v to %v, want %v", at, c.Y.Min, c.Y.Max, want)
		}
	}
}

// TestMarksShowTheirWeightAndWhatIsOutside has a mark in a frame and one above it, which gets a cross.
func TestMarksShowTheirWeightAndWhatIsOutside(t *testing.T) {
	drawn := func(at Point, weights ...int) string {
		c := newChart("", "", "")
		setRange(&c.X, 0, 4)
		setRange(&c.Y, 0, 4)
		c.addMarks("", 0, []Point{{1, 1}, at}, weights)
		return string(Plot{chart: c}.SVG())
	}
	inside := strings.Count(drawn(Point{2, 2}), "<path")
	if outside := strings.Count(drawn(Point{2, 9}), "<path"); outside <= inside {
		t.Errorf("got %d shapes for a mark outside, %d for one inside", outside, inside)
	}
	if drawn(Point{2, 2}, 9, 9) == drawn(Point{2, 2}, 1, 9) {
		t.Error("a weight changes nothing")
	}
}

func TestAxes(t *testing.T) {
	axis := func(set func(*plot.Axis)) plot.Axis {
		c := newChart("", "", "")
		set(&c.X)
		return c.X
	}
	logarithmic := func(values ...float64) plot.Axis { return axis(func(a *plot.Axis) { setLogarithmic(a, values) }) }
	tests := []struct {
		name string
		axis plot.Axis
		want string // labels of the ticks
		at   float64
		lies float64
	}{
		{"the end of a logarithmic axis stands for 0 if there is such a value", logarithmic(0, 0.02, 2), "0 0.02 0.05 0.1 0.2 0.5 1 2", 0.01, 0},
		{"rates of 0 and 100", logarithmic(0, 100), "0 100 200", 50, 0},
		{"whole numbers", axis(func(a *plot.Axis) { setRange(a, 1, 3); a.Tick.Marker = ticksOf(1) }), "1 2 3", 2, 0.5},
		{"a line at 100% is off the frame", axis(func(a *plot.Axis) { spanPercentages(a, []float64{95, 100}) }), "95 96 97 98 99 100", 97.5, 0.5},
		{"no tick is above 100%", axis(func(a *plot.Axis) { spanPercentages(a, []float64{100}) }), "99.98 99.99 100.00", 100, 0.5},
		{"decimals tell ticks apart", axis(func(a *plot.Axis) { setRange(a, 99.1, 99.5) }), "99.1 99.2 99.3 99.4 99.5", 99.3, 0.5},
		{"a wide range", axis(func(a *plot.Axis) { setRange(a, 0, 6000) }), "0 1000 2000 3000 4000 5000 6000", 3000, 0.5},
		{"decades", logarithmic(0.01, 70), "0.01 0.1 1 10 100", 1, 0.5},
		{"nothing but zero", logarithmic(0), "0 0.1 0.2", 0.05, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var labels []string
			for _, tick := range test.axis.Tick.Marker.Ticks(test.axis.Min, test.axis.Max) {
				if tick.Label != "" && tick.Value >= test.axis.Min && tick.Value <= test.axis.Max {
					labels = append(labels, tick.Label)
				}
			}
			if got := strings.Join(labels, " "); got != test.want {
				t.Errorf("ticks: got %s, want %s", got, test.want)
			}
			if got := test.axis.Norm(test.at); math.Abs(got-test.lies) > 1e-9 {
				t.Errorf("%v lies at %v, want %v", test.at, got, test.lies)
			}
		})
	}
}

func BenchmarkSVG(b *testing.B) {
	p := samplePage().drawn()[1]
	for b.Loop() {
		p.SVG()
	}
}
