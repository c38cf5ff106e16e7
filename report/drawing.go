package report

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
		c.addMarks(marks.Name, class, marks.Points, make([]int, len(marks.Points)))
	}
	return Plot{chart: c}
}
