package report

import (
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg/draw"

	"chaff/internal/screen"
)

// mostOccurrences is the end of the axes: more in a message are rare, and would squeeze the others.
const mostOccurrences = 8

// twoTerms draws messages in the plane of two terms, and the decision boundary. Each class is a little beside the point, so that it hides
// no other.
func (p Page) twoTerms() Plot {
	t := p.Boundary
	if t == nil || len(t.Points[0])+len(t.Points[1]) == 0 {
		return Plot{}
	}
	const unit = " (occurrences)"
	c := newChart("Two terms and the boundary", clean(t.X, maxName)+unit, clean(t.Y, maxName)+unit)
	c.X.Min, c.X.Max, c.Y.Min, c.Y.Max = 0, 1, 0, 1
	for _, m := range slices.Concat(t.Points[0], t.Points[1]) {
		if m.X > c.X.Max {
			c.X.Max = min(m.X, mostOccurrences)
		}
		if m.Y > c.Y.Max {
			c.Y.Max = min(m.Y, mostOccurrences)
		}
	}
	width := c.X.Max
	for _, a := range []*plot.Axis{&c.X, &c.Y} {
		margin := (a.Max - a.Min) / 8 // so that no mark is cut
		a.Min, a.Max, a.Tick.Marker = a.Min-margin, a.Max+margin, ticksOf(1)
	}
	var ends []Point // of the boundary
	for class, side := range []float64{-1, 1} {
		var area []Point
		area, ends = halfPlane(t.A, t.B, t.C, c.X, c.Y, side)
		c.addArea("called "+p.className(class), colour(class), area)
	}
	var of, atOrigin [2]int // messages by class
	right := 0
	for class, points := range t.Points {
		var marks []Point
		var weights []int
		for _, m := range points {
			of[class] += m.Messages
			if (t.A*m.X+t.B*m.Y+t.C > 0) == (class == 1) {
				right += m.Messages
			}
			if m.X == 0 && m.Y == 0 {
				atOrigin[class] = m.Messages
			}
			marks, weights = append(marks, Point{m.X + (float64(class)-0.5)*min(0.3, width/25), m.Y}), append(weights, m.Messages)
		}
		c.addMarks(p.className(class), class, marks, weights)
	}
	if len(ends) == 2 {
		c.addLine("boundary", draw.LineStyle{Color: black(), Width: 1.4}, ends)
	}
	neither := p.byClass(atOrigin) + " have neither term."
	return Plot{
		Note: "A model of its own: softmax, trained on the occurrences of these two terms alone. It shows what a boundary is, and nothing about the accuracy of the filter. " +
			"Larger points stand for more training messages. " + neither + " A cross marks counts beyond an axis, at its end. On the line, the score is 0.",
		Alt:   screen.Sprintf("%s by %s and %s. %s The boundary has %d of %d messages on the right side.", p.byClass(of), clean(t.X, maxTerm), clean(t.Y, maxTerm), neither, right, of[0]+of[1]),
		chart: c,
	}
}

func (p Page) byClass(messages [2]int) string {
	return screen.Sprintf("%d %s and %d %s", messages[0], p.className(0), messages[1], p.className(1))
}

// halfPlane returns the corners of the part of the plot where a*x + b*y + c has the sign of side, and those where it is 0.
func halfPlane(a, b, c float64, x, y plot.Axis, side float64) (area, ends []Point) {
	corners := []Point{{x.Min, y.Min}, {x.Max, y.Min}, {x.Max, y.Max}, {x.Min, y.Max}}
	score := func(p Point) float64 { return side * (a*p.X + b*p.Y + c) }
	for i, p := range corners {
		q := corners[(i+1)%len(corners)]
		from, to := score(p), score(q)
		if from > 0 {
			area = append(area, p)
		}
		if from > 0 != (to > 0) {
			share := from / (from - to)
			end := Point{p.X + share*(q.X-p.X), p.Y + share*(q.Y-p.Y)}
			area, ends = append(area, end), append(ends, end)
		}
	}
	return area, ends
}
