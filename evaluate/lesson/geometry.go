package lesson

import (
	"fmt"
	"math"
	"strings"

	"chaff/features"
	"chaff/models"
	"chaff/report"
)

// bits returns the four points of two bits with the values of a function.
func bits(values ...int32) table {
	return table{
		names: []string{"0 0", "0 1", "1 0", "1 1"}, points: [][]float32{{0, 0}, {0, 1}, {1, 0}, {1, 1}},
		labels: values, classes: []string{"false", "true"},
	}
}

// byHand returns a classifier of two classes with weights set by hand.
func (p *page) byHand(bias float64, weights ...float64) *models.Linear {
	l, err := models.NewLinear([]float64{0, bias}, [][]float64{make([]float64, len(weights)), weights})
	p.check(err == nil, "%w", err)
	return l
}

func (p *page) logic() {
	for _, f := range []struct {
		name      string
		values    []int32
		w1, w2, b float64
	}{{"OR", []int32{0, 1, 1, 1}, 1, 1, -0.5}, {"AND", []int32{0, 0, 0, 1}, 1, 1, -1.5}, {"NOT x1", []int32{1, 1, 0, 0}, -1, 0, 0.5}} {
		t, l := bits(f.values...), p.byHand(f.b, f.w1, f.w2)
		text := fmt.Sprintf("  %-7s w = (%2g, %g), b = %4g:  ", f.name, f.w1, f.w2, f.b)
		for i, name := range t.names {
			p.check(l.Predict(t.row(i)) == int(f.values[i]), "%s of %s is wrong", f.name, name)
			text += fmt.Sprintf(" %s: %+.1f", name, l.Score(t.row(i)))
		}
		p.say("%s", text)
	}
	p.say(`
Each point is a constraint on the weights. Those of AND, in the slice b = -1,
are w1 < 1, w2 < 1 and w1 + w2 > 1; 0 0 holds anywhere. # is feasible:
`)
	and := bits(0, 0, 0, 1)
	for w2 := 1.5; w2 > -0.6; w2 -= 0.25 {
		line := fmt.Sprintf("  w2 = %5.2f  ", w2)
		for w1 := -0.5; w1 < 1.6; w1 += 0.125 {
			feasible := true
			for i, label := range and.labels {
				feasible = feasible && target(label)*dot([]float64{w1, w2, -1}, and.points[i]) > 0
			}
			line += map[bool]string{true: "#", false: "."}[feasible]
		}
		p.say("%s", line)
	}
	p.say("              w1 = -0.5 to 1.5. It is convex: an intersection of half-planes.")
	p.picture = &report.Drawing{
		Title: "Weights of AND in the slice b = -1", X: "w1", Y: "w2", From: report.Point{X: -0.5, Y: -0.5}, To: report.Point{X: 1.5, Y: 1.5},
		Areas: []report.Curve{{Name: "feasible", Points: []report.Point{{X: 1, Y: 0}, {X: 0, Y: 1}, {X: 1, Y: 1}}}},
	}
	for i, point := range and.points[1:] {
		b := report.Boundary{Name: "by the point " + and.names[1+i], A: float64(point[0]), B: float64(point[1]), C: -1}
		p.picture.Boundaries = append(p.picture.Boundaries, b)
		for _, corner := range p.picture.Areas[0].Points {
			p.check(target(and.labels[1+i])*(b.A*corner.X+b.B*corner.Y+b.C) >= 0, "a corner of the picture is not feasible")
		}
	}
}

// letters are six points of two features, a constant one among them.
func letters() table {
	return table{
		names:  []string{"a", "b", "c", "d", "e", "f"},
		points: [][]float32{{1, 3, 0}, {1, 0, 1}, {1, 2, 1}, {1, 1, 3}, {1, 3, 1}, {1, 0, 3}},
		labels: []int32{1, 0, 1, 0, 1, 0}, classes: []string{"ham", "spam"},
	}
}

// learned returns what a perceptron through the origin learns from the letters, as weights and as its report.
func (p *page) learned(t table) (theta []float64, c models.Convergence) {
	all := passes(100)
	all.ThroughOrigin = true
	l, trained := p.train(models.Perceptron{Passes: all, Steps: steps(1)}, t.dataset())
	return []float64{float64(l.Weights[0]), float64(l.Weights[1]), float64(l.Weights[2])}, *trained.Convergence
}

func squaredNorm(x []float32) (sum float64) {
	for _, value := range x {
		sum += float64(value) * float64(value)
	}
	return sum
}

func (p *page) updates() {
	t := letters()
	p.say(`Six messages: a constant 1, how often "free", how often "lunch"; + is spam.

  pass  x          y   theta after     y (theta . x) grows by ||x||^2`)
	theta, made, pass := make([]float64, 3), 0, 1
	p.picture = plane(t, "The boundary after each update")
	for changed := true; changed; pass++ {
		changed = false
		for i, x := range t.points {
			y := target(t.labels[i])
			before := y * dot(theta, x)
			if before > 0 {
				continue
			}
			changed, made = true, made+1
			for j, value := range x {
				theta[j] += y * float64(value)
			}
			after := y * dot(theta, x)
			p.picture.Boundaries = append(p.picture.Boundaries, report.Boundary{Name: fmt.Sprintf("update %d", made), A: theta[1], B: theta[2], C: theta[0]})
			p.say("  %4d  %s (%g %g %g)  %+2.0f  %-12s  %5g -> %2g %18g",
				pass, t.names[i], x[0], x[1], x[2], y, numbers("%4g", theta...), before+0, after, squaredNorm(x))
			p.near("the growth", before+squaredNorm(x), after)
		}
	}
	p.say(`
Pass %d changes nothing, after %d updates: it has converged, so the mail is
linearly separable. Then every y (theta . x) is above 0.`, pass-1, made)
	learned, c := p.learned(t)
	p.check(c.Updates == made, "%d updates by hand, %d of the trainer", made, c.Updates)
	for j, w := range theta {
		p.near("a weight", w, learned[j])
	}
}

// plane returns a picture of the letters by the two words.
func plane(t table, title string) *report.Drawing {
	return &report.Drawing{Title: title, X: "free", Y: "lunch", From: report.Point{X: -0.5, Y: -0.5}, To: report.Point{X: 3.5, Y: 3.5}, Marks: t.marks(1, 2)}
}

func (p *page) margin() {
	t := letters()
	theta, c := p.learned(t)
	norm := math.Sqrt(theta[0]*theta[0] + theta[1]*theta[1] + theta[2]*theta[2])
	p.say(`The weights that the perceptron of the lesson updates found: theta = (%s).

      x          y (theta . x)   distance from the hyperplane`, strings.TrimSpace(numbers(" %g", theta...)))
	gamma, radius := math.Inf(1), 0.
	for i, x := range t.points {
		value := target(t.labels[i]) * dot(theta, x)
		p.say("  %s  (%g %g %g) %12g %18.3f", t.names[i], x[0], x[1], x[2], value, value/norm)
		gamma, radius = min(gamma, value), max(radius, math.Sqrt(squaredNorm(x)))
	}
	p.picture = plane(t, "The boundary and the margin")
	for i, name := range []string{"-gamma", "0", "gamma"} {
		at := float64(i-1) * gamma
		p.picture.Boundaries = append(p.picture.Boundaries, report.Boundary{Name: "theta . x = " + name, A: theta[1], B: theta[2], C: theta[0] - at})
	}
	s := c.Separations[0]
	p.near("the margin", gamma, s.Margin)
	p.near("R", radius, s.Radius)
	p.near("the geometric margin", gamma/norm, s.GeometricMargin)
	p.say(`
  R, the longest x                    %8.3f
  gamma, the least y (theta . x)      %8.3f
  geometric margin, gamma / ||theta|| %8.3f
  bound, (R / geometric margin)^2     %8.1f
  updates that were made              %8d

Any theta* that separates gives a bound; one of a greater margin a lower one.`, radius, gamma, gamma/norm, *s.UpdateBound, s.Updates)
}

func (p *page) xor() {
	t := bits(0, 1, 1, 0)
	m := models.Perceptron{Passes: passes(1000), Steps: steps(1)}
	_, trained := p.train(m, t.dataset())
	c := trained.Convergence
	p.check(!c.Converged, "XOR is separable")
	p.say(`A perceptron on x1 and x2: %d passes, each with a mistake, %d updates.
It cannot converge. Half-planes are convex, so whoever calls (0,1) and (1,0)
true calls their midpoint true, and whoever calls (0,0) and (1,1) false calls
theirs false. Both midpoints are (0.5, 0.5).
`, c.Epochs, c.Updates)
	p.picture = &report.Drawing{
		Title: "XOR: both midpoints are one point", X: "x1", Y: "x2", From: report.Point{X: -0.5, Y: -0.5}, To: report.Point{X: 1.5, Y: 1.5},
		Marks: t.marks(0, 1),
	}
	for _, class := range p.picture.Marks {
		p.picture.Lines = append(p.picture.Lines, report.Curve{Name: "all called " + class.Name, Points: class.Points})
	}
	t.points = [][]float32{{0, 0, 0}, {0, 1, 0}, {1, 0, 0}, {1, 1, 1}}
	byHand := p.byHand(-0.5, 1, 1, -2)
	learned, trained := p.train(m, t.dataset())
	c = trained.Convergence
	p.check(c.Converged, "XOR with x1 x2 is not separable")
	w := learned.Weights
	p.say("With x1 x2 as a third feature it converges after %d updates in %d passes:\n", c.Updates, c.Epochs)
	p.say("  x1 x2 x1x2  XOR   w = (1, 1, -2), b = -0.5   w = (%g, %g, %g), b = %g", w[0], w[1], w[2], learned.Bias[0])
	for i, x := range t.points {
		row, label := t.row(i), int(t.labels[i])
		p.check(byHand.Predict(row) == label && learned.Predict(row) == label, "XOR of %v is wrong", x)
		p.say("   %g  %g    %g    %-5s %14.1f %27.1f", x[0], x[1], x[2], t.classes[label], byHand.Score(row), learned.Score(row))
	}
	p.say("\nIn mail the same idea is a term for two words together (tokenize.pairs).")
}

func (p *page) translations() {
	const size, epochs = 16, 300
	t := table{classes: []string{"A", "B"}}
	for class, pattern := range [][]int{{0, 1, 2, 3}, {0, 1, 4, 6}} {
		p.say("  pattern %s", t.classes[class])
		sum := make([]float64, size)
		for by := range size {
			point, line := make([]float32, size), []byte(strings.Repeat(".", size))
			for _, at := range pattern {
				at = (at + by) % size
				point[at], line[at] = 1, '#'
				sum[at] += 1. / size
			}
			t.points, t.labels = append(t.points, point), append(t.labels, int32(class))
			if by < 3 {
				p.say("    %s", line)
			}
		}
		p.say("    the mean of all 16: (%g, %g, ..., %g)", sum[0], sum[1], sum[size-1])
	}
	_, trained := p.train(models.Perceptron{Passes: passes(epochs), Steps: steps(1)}, t.dataset())
	p.check(!trained.Convergence.Converged, "it is separable")
	p.say(`
The regions are convex, so a classifier that is right about all 16 A calls
their mean A, and one that is right about all 16 B calls the same mean B.
A perceptron tried: %d passes, %d updates, and it did not converge.`, epochs, trained.Convergence.Updates)
}

func vectorOf(values ...float32) features.Vector { return table{points: [][]float32{values}}.row(0) }
