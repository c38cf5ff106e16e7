package report

import (
	"chaff/evaluate"
	"chaff/filter"
	"chaff/metrics"
	"chaff/train"
)

// Page is the content of a report. Every part is optional; empty parts are left out.
type Page struct {
	Title, Subtitle string   // the heading, such as "chaff compare", and the line below it, such as a summary of the corpus
	Facts           []Fact   // below the heading
	Warnings        []string // why the figures are doubtful

	On      string // the mail of the figures, such as "the test part"
	Classes []string

	Tables [][][]string // the figures, as rows of cells, the heads first
	Notes  []string     // how to read them

	Models []train.Result    // the best first; it is marked if the others are compared with it
	Curves [][]metrics.Point // the errors at all thresholds, of the first of Models: see [metrics.ErrorCurve]

	// Of the first of Models: its worst mistakes, and its terms with the largest weights for each class.
	Mistakes  []evaluate.Judged
	Strongest [][]filter.TermWeight

	Boundary    *evaluate.Boundary
	Explanation *filter.Explanation // why a message has its score
	Thresholds  *metrics.Thresholds // where its verdict would change
}

// Fact is a name and its value.
type Fact struct{ Name, Value string }

// Point is a point of a curve.
type Point struct{ X, Y float64 }

// Curve is a line with a name.
type Curve struct {
	Name   string
	Points []Point
}

// Drawing is a picture of a plane, for what is not on a [Page].
type Drawing struct {
	Title, X, Y string
	From, To    Point   // corners of the plane
	Areas       []Curve // convex, shaded
	Lines       []Curve
	Boundaries  []Boundary
	Marks       []Curve // points of classes
}

// Boundary is the line where A*x + B*y + C is 0.
type Boundary struct {
	Name    string
	A, B, C float64
}

// Plot returns the drawing as a plot.
func (d Drawing) Plot() Plot {
	c := newChart(d.Title, d.X, d.Y)
	c.X.Min, c.X.Max, c.Y.Min, c.Y.Max = d.From.X, d.To.X, d.From.Y, d.To.Y
	for i, area := range d.Areas {
		c.addArea(area.Name, colour(i), area.Points)
	}
	for i, line := range d.Lines {
		c.addLine(line.Name, lineStyle(i), line.Points)
	}
	for i, b := range d.Boundaries {
		_, ends := halfPlane(b.A, b.B, b.C, c.X, c.Y, 1)
		c.addLine(b.Name, lineStyle(len(d.Lines)+i), ends)
	}
	for class, marks := range d.Marks {
		c.addMarks(marks.Name, class, marks.Points, nil)
	}
	return Plot{chart: c}
}
