package report

import (
	"bytes"
	"image/png"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot"

	"chaff/metrics"
)

func TestPlotsAreNamedInTheOrderOfThePage(t *testing.T) {
	var got []string
	for _, p := range samplePage().Plots() {
		got = append(got, p.Name)
		svg, err := p.SVG()
		if err != nil {
			t.Fatal(err)
		}
		requireSVG(t, p.Name, svg)
		if !strings.Contains(string(svg), ">"+p.Title+"</text>") {
			t.Errorf("%s has no title %q", p.Name, p.Title)
		}
	}
	if want := PlotNames(); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestPNGHasTheSizeOfTheChart(t *testing.T) {
	p := samplePage().Plots()[0]
	b, err := p.PNG()
	if err != nil {
		t.Fatal(err)
	}
	picture, err := png.Decode(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	wantHeight := int(math.Ceil(p.chart.height().Dots(pngDPI)))
	if size := picture.Bounds().Size(); size.X != 917 || math.Abs(float64(size.Y-wantHeight)) > 1 {
		t.Errorf("got %v, want 917 x %d", size, wantHeight)
	}
}

// TestAnyDataGivesAPlotOrNone has what figures can be when there is little mail, or all of one class, and what they cannot.
func TestAnyDataGivesAPlotOrNone(t *testing.T) {
	odd := []float64{0, 1, -1, 0.5, 100, math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64, -math.MaxFloat64, math.SmallestNonzeroFloat64, 1e16, 1e16 + 2, 1e-12}
	pages := map[string]Page{
		"no points":    {ROC: []Curve{{}}, Epochs: []EpochCurve{{}}, Learning: []LearningCurve{{}}, Findings: Findings{Scores: &metrics.Histogram{Edges: []float64{1}}}},
		"zero rates":   {ROC: []Curve{{"a", []Point{{0, 0}, {0, 1}, {0, 1}}}}},
		"rates of one": {ROC: []Curve{{"a", []Point{{1, 1}}}}},
		"empty bins":   {Findings: Findings{Scores: &metrics.Histogram{Edges: []float64{0, 1, 2}, Ham: []int{0, 0}, Spam: []int{0, 0}}, Reliability: []metrics.ReliabilityBin{{}}}},
		"too few edges": {Findings: Findings{Scores: &metrics.Histogram{Edges: []float64{0}, Ham: []int{1, 2, 3}, Spam: []int{-4}}, Thresholds: &metrics.Thresholds{
			Unsure: math.Inf(-1), Spam: math.NaN()}}},
		"classes that do not exist": {TwoTerms: &TwoTerms{Points: []TermPoint{{0, 0, -1, 1}, {1, 1, 1 << 30, 1}, {1, 1, 5, -3}}}, Findings: Findings{Confusion: metrics.Confusion{{1, 2, 3}, {}}}},
		"no boundary":               {TwoTerms: &TwoTerms{Points: []TermPoint{{0, 0, 0, 1}}}},
	}
	for i, x := range odd {
		for j, y := range odd {
			points := []Point{{x, y}, {y, x}, {x, x}, {y, y}}
			page := pages["odd numbers"]
			page.ROC = append(page.ROC, Curve{"a", points})
			page.Epochs = append(page.Epochs, EpochCurve{"a", []Epoch{{1, &x, &y, &y, &x}}, 1})
			page.Learning = append(page.Learning, LearningCurve{"a", []metrics.LearningPoint{{Messages: 1, SpamFigures: metrics.SpamFigures{OneMinusROCA: &x}}}})
			page.Drift = append(page.Drift, Period{"m", "", 1, y, x, y})
			pages["odd numbers"] = page
			if i <= j {
				requirePlots(t, Page{ROC: []Curve{{"a", points}}})
			}
			requirePlots(t, Page{Epochs: []EpochCurve{{"a", []Epoch{{1, &x, &y, &y, &x}}, 1}},
				TwoTerms: &TwoTerms{Points: []TermPoint{{x, y, 0, 1}}, A: x, B: y, C: x}, Findings: Findings{Scores: &metrics.Histogram{Edges: []float64{x, y}, Ham: []int{1}}, Thresholds: &metrics.Thresholds{Unsure: x, Spam: y}, Reliability: []metrics.ReliabilityBin{{Predicted: x, Observed: y}}}})
		}
	}
	for name, page := range pages {
		t.Run(name, func(t *testing.T) {
			requirePlots(t, page)
			writeHTML(t, page)
		})
	}
}

// requirePlots wants plots without numbers that are none, all in the frame.
func requirePlots(t *testing.T, p Page) {
	t.Helper()
	for _, plot := range p.Plots() {
		svg, err := plot.SVG()
		if err != nil {
			t.Fatal(err)
		}
		requireSVG(t, plot.Name, svg)
		if strings.Contains(string(svg), "NaN") || strings.Contains(string(svg), "Inf") {
			t.Errorf("%s has a number that is none: %+v", plot.Name, p)
		}
	}
}

func TestAPointThatIsNoNumberIsNotDrawn(t *testing.T) {
	draw := func(points ...Point) string {
		svg, err := Page{ROC: []Curve{{"a", points}}}.Plots()[0].SVG()
		if err != nil {
			t.Fatal(err)
		}
		return string(svg)
	}
	got := draw(Point{0.1, 0.9}, Point{math.NaN(), 0.5}, Point{0.5, math.Inf(1)}, Point{1, 1})
	if want := draw(Point{0.1, 0.9}, Point{1, 1}); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestROCCurvesShowTheCornerWhereFiltersDiffer(t *testing.T) {
	good := Curve{"good", []Point{{0, 0.95}, {0.001, 0.99}, {0.004, 0.999}, {1, 1}}}
	weak := Curve{"weak", []Point{{0, 0.01}, {0.5, 0.5}, {1, 1}}}
	fair := Curve{"fair", []Point{{0, 0.3}, {0.01, 0.7}, {0.1, 0.9}, {1, 1}}}
	for _, test := range []struct {
		name          string
		curves        []Curve
		operating     []Operating
		right, bottom float64
	}{
		{"a good filter", []Curve{good}, nil, 1, 95},
		{"a weak one beside it has no say", []Curve{good, weak}, nil, 1, 95},
		{"a fair one has", []Curve{good, fair}, nil, 100, 50},
		{"nothing but a weak one", []Curve{weak}, nil, 100, 0},
		{"a mark below the curve is shown", []Curve{good}, []Operating{{Model: "good", Ham: 1000, Spam: 100, SpamMissed: 15}}, 1, 80},
		{"a mark of a model without a curve is not", []Curve{good}, []Operating{{Model: "other", Ham: 1000, Spam: 100, SpamMissed: 15}}, 1, 95},
	} {
		c := rocChart(test.curves, test.operating)
		room := c.Y.Max - 100
		if math.Abs(c.X.Max-test.right) > 1e-9 || math.Abs(c.Y.Min-max(0, test.bottom-room)) > 1e-9 {
			t.Errorf("%s: up to %v%% of ham, from %v%% of spam; want %v and %v", test.name, c.X.Max, c.Y.Min, test.right, test.bottom-room)
		}
	}
}

func TestPlotsAreDescribedByTheirFigures(t *testing.T) {
	alts := make(map[string]string)
	for _, p := range samplePage().Plots() {
		alts[p.Name] = p.Alt
	}
	for name, want := range map[string][]string{
		"evidence":    {"words -0.50, links +0.25 and score -0.25. Unsure above -0.4, spam above 1.1."},
		"models":      {"Accuracy of each model. With 95% intervals: multinomial 9", " to 9", "majority "},
		"roc":         {"ROC curves. multinomial catches ", "% of spam where 0%, 0.1% and 1% of ham is lost. lms catches "},
		"growth":      {"multinomial: 97.10% (96.00 to 98.00) with 453 messages, ", "more mail will probably help."},
		"learning":    {"multinomial: ham ranked above spam from 0.32% after 250 messages to 0.0133% after 6,000 messages.", "ham lost from 1.4% "},
		"epochs":      {"perceptron, training part: from 96.00% to 99.98% in 12 epochs.", "perceptron, development part: from 95.30% to "},
		"scores":      {"838 ham with scores from ", "368 spam with scores from ", "Unsure above -0.4, spam above 1.1."},
		"reliability": {"Reliability. 5% predicted, 8.04% (5 to 12) of 2,260 are spam; "},
		"drift":       {"2001-06 to 2002-06 99.40% (98.00 to 99.90) of 300 messages, 2002-07 "},
		"two-terms":   {"1,300 ham and 722 spam by free and wrote. 610 ham and 210 spam have neither term. The boundary has "},
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
			above, got := TwoTerms{A: test.a, B: test.b, C: test.c}.halfPlane(x, y, 1)
			if !slices.Equal(got, test.want) {
				t.Errorf("got %v, want %v", got, test.want)
			}
			if len(above) != test.corners {
				t.Errorf("above it is %v, want %d corners", above, test.corners)
			}
		})
	}
}

func TestAxes(t *testing.T) {
	axis := func(set func(*plot.Axis)) plot.Axis {
		c := newChart("", "", "")
		set(&c.X)
		return c.X
	}
	logarithmic := func(floor float64, values ...float64) plot.Axis {
		return axis(func(a *plot.Axis) { setLogarithmic(a, floor, values) })
	}
	deviates := func(values ...float64) plot.Axis {
		return axis(func(a *plot.Axis) { setDeviate(a, values) })
	}
	tests := []struct {
		name string
		axis plot.Axis
		want string // labels of the ticks
		at   float64
		lies float64
	}{
		{"the rates of a perfect model", rocChart([]Curve{{"a", []Point{{0, 0}, {0, 1}, {1, 1}}}}, nil).X, "0 0.1 0.2 0.5 1", 0.05, 0},
		{"the end of a logarithmic axis of rates is 0", axis(func(a *plot.Axis) { setRates(a, 0.02, 2) }), "0 0.02 0.05 0.1 0.2 0.5 1 2", 0.01, 0},
		{"whole numbers", axis(func(a *plot.Axis) { setRange(a, 1, 3); a.Tick.Marker = ticksOf(1) }), "1 2 3", 2, 0.5},
		{"a line at 100% is off the frame", axis(func(a *plot.Axis) { spanPercentages(a, []float64{95, 100}) }), "95 96 97 98 99 100", 97.5, 0.5},
		{"no tick is above 100%", axis(func(a *plot.Axis) { spanPercentages(a, []float64{100}) }), "99.98 99.99 100.00", 100, 0.5},
		{"decimals tell ticks apart", axis(func(a *plot.Axis) { setRange(a, 99.1, 99.5) }), "99.1 99.2 99.3 99.4 99.5", 99.3, 0.5},
		{"a wide range", axis(func(a *plot.Axis) { setRange(a, 0, 6000) }), "0 1000 2000 3000 4000 5000 6000", 3000, 0.5},
		{"decades", logarithmic(1e-3, 0.002, 70, 0), "0.01 0.1 1 10 100", 0.002, 0},
		{"zero lies at the end of a logarithmic axis", logarithmic(1e-3, 0), "0.001 0.002", 0.001, 0},
		{"normal deviates", deviates(0.3, 15), "0.2 0.5 1 2 5 10 20", 20, 1},
		{"the ends of deviates stand for 0 and 100 if there are such values", deviates(0, 0.3, 15, 90, 100), "0 2 20 50 100", 0.2, 0},
		{"one half is in the middle of deviates", deviates(1.5, 99), "1 10 40 70 95", 50, 0.5},
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
	p := samplePage().Plots()[1]
	for b.Loop() {
		if _, err := p.SVG(); err != nil {
			b.Fatal(err)
		}
	}
}
