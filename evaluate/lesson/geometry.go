package lesson

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"chaff/features"
	"chaff/models"
)

// bits returns the four points of two bits with the values of a function.
func bits(values ...int32) table {
	return table{
		names: []string{"0 0", "0 1", "1 0", "1 1"}, points: [][]float32{{0, 0}, {0, 1}, {1, 0}, {1, 1}},
		labels: values, classes: []string{"false", "true"},
	}
}

func logic() Lesson {
	return Lesson{
		Name: "logic", Title: "AND, OR and NOT by weights set by hand, and their feasible region",
		Source:  `CS440 lecture 16, "Linear Classifiers in General"; Grosse, Examples 1, 2, 3.2`,
		Formula: "y = 1 if w1 x1 + w2 x2 + b > 0",
		Code:    []string{"models/linear.go Linear.Score", "models/linear.go NewLinear"},
		show: func(_ context.Context, p *page) error {
			for _, f := range []struct {
				name   string
				values []int32
				w1, w2 float64
				b      float64
			}{{"OR", []int32{0, 1, 1, 1}, 1, 1, -0.5}, {"AND", []int32{0, 0, 0, 1}, 1, 1, -1.5}, {"NOT x1", []int32{1, 1, 0, 0}, -1, 0, 0.5}} {
				t := bits(f.values...)
				l, err := models.NewLinear([]float64{0, f.b}, [][]float64{{0, 0}, {f.w1, f.w2}})
				if err != nil {
					return err
				}
				text := fmt.Sprintf("  %-7s w = (%2g, %g), b = %4g:  ", f.name, f.w1, f.w2, f.b)
				for i, name := range t.names {
					if x := t.row(i); l.Predict(x) != int(f.values[i]) {
						return fmt.Errorf("%s of %s is wrong", f.name, name)
					}
					text += fmt.Sprintf(" %s: %+.1f", name, l.Score(t.row(i)))
				}
				p.say("%s", text)
			}
			p.say("")
			p.say("Each point is a constraint on the weights. Those of AND, in the slice b = -1,")
			p.say("are w1 < 1, w2 < 1 and w1 + w2 > 1; 0 0 holds anywhere. # is feasible:")
			p.say("")
			and := bits(0, 0, 0, 1)
			for w2 := 1.5; w2 > -0.6; w2 -= 0.25 {
				line := fmt.Sprintf("  w2 = %5.2f  ", w2)
				for w1 := -0.5; w1 < 1.6; w1 += 0.125 {
					feasible := true
					for i, label := range and.labels {
						z := w1*float64(and.points[i][0]) + w2*float64(and.points[i][1]) - 1
						feasible = feasible && target(label)*z > 0
					}
					line += map[bool]string{true: "#", false: "."}[feasible]
				}
				p.say("%s", line)
			}
			p.say("              w1 = -0.5 to 1.5. It is convex: an intersection of half-planes.")
			return nil
		},
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

// perceptronOf returns the perceptron that learns through the origin.
func perceptronOf(epochs int) models.Perceptron {
	all := passes(epochs)
	all.ThroughOrigin = true
	return models.Perceptron{Passes: all, Steps: steps(1)}
}

func dot(w []float64, x []float32) (z float64) {
	for j, value := range x {
		z += w[j] * float64(value)
	}
	return z
}

func updates() Lesson {
	return Lesson{
		Name: "updates", Title: "The perceptron, one update after the other",
		Source:  `Collins, "The Perceptron Algorithm", "More about the Perceptron"; MLCourse`,
		Formula: "if y (theta . x) <= 0:  theta += y x,  so that y (theta . x) grows by ||x||^2",
		Code:    []string{"models/perceptron.go Perceptron"},
		show: func(ctx context.Context, p *page) error {
			t := letters()
			p.say("Six messages: a constant 1, how often \"free\", how often \"lunch\"; + is spam.")
			p.say("")
			p.say("  pass  x          y   theta after     y (theta . x) grows by ||x||^2")
			theta, made := make([]float64, 3), 0
			for pass := 1; ; pass++ {
				changed := false
				for i, x := range t.points {
					y := target(t.labels[i])
					before := y * dot(theta, x)
					if before > 0 {
						continue
					}
					changed, made = true, made+1
					squares := 0.
					for j, value := range x {
						theta[j] += y * float64(value)
						squares += float64(value) * float64(value)
					}
					after := y * dot(theta, x)
					p.say("  %4d  %s (%g %g %g)  %+2.0f  %-12s  %5g -> %2g %18g", pass, t.names[i], x[0], x[1], x[2], y, numbers("%4g", theta...), before+0, after, squares)
					if err := near("the growth", before+squares, after); err != nil {
						return err
					}
				}
				if !changed {
					p.say("")
					p.say("Pass %d changes nothing, after %d updates: it has converged, so the mail is", pass, made)
					p.say("linearly separable. Then every y (theta . x) is above 0.")
					break
				}
			}
			l, report, err := perceptronOf(100).Train(ctx, t.dataset(), models.EpochOptions{})
			if err != nil {
				return err
			}
			if report.Convergence.Updates != made {
				return fmt.Errorf("%d updates by hand, %d of the trainer", made, report.Convergence.Updates)
			}
			for j, w := range theta {
				if err := near("a weight", w, float64(l.Weights[j])); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

func margin() Lesson {
	return Lesson{
		Name: "margin", Title: "The margin, and how many updates there can be",
		Source:  `Collins, "The Perceptron Convergence Theorem"; MLCourse, "Geometric Analysis"`,
		Formula: "updates <= R^2 ||theta*||^2 / gamma^2 = (R / gamma_geom)^2",
		Code:    []string{"models/convergence.go Separation"},
		show: func(ctx context.Context, p *page) error {
			t := letters()
			l, report, err := perceptronOf(100).Train(ctx, t.dataset(), models.EpochOptions{})
			if err != nil {
				return err
			}
			theta := []float64{float64(l.Weights[0]), float64(l.Weights[1]), float64(l.Weights[2])}
			norm := math.Sqrt(theta[0]*theta[0] + theta[1]*theta[1] + theta[2]*theta[2])
			p.say("The weights that the perceptron of the lesson updates found: theta = (%s).", strings.TrimSpace(numbers(" %g", theta...)))
			p.say("")
			p.say("      x          y (theta . x)   distance from the hyperplane")
			gamma, radius := math.Inf(1), 0.
			for i, x := range t.points {
				value := target(t.labels[i]) * dot(theta, x)
				p.say("  %s  (%g %g %g) %12g %18.3f", t.names[i], x[0], x[1], x[2], value, value/norm)
				gamma = min(gamma, value)
				radius = max(radius, math.Sqrt(dot([]float64{float64(x[0]), float64(x[1]), float64(x[2])}, x)))
			}
			s := report.Convergence.Separations[0]
			if err := errors.Join(near("the margin", gamma, s.Margin), near("R", radius, s.Radius), near("the geometric margin", gamma/norm, s.GeometricMargin)); err != nil {
				return err
			}
			p.say("")
			p.say("  R, the longest x                    %8.3f", radius)
			p.say("  gamma, the least y (theta . x)      %8.3f", gamma)
			p.say("  geometric margin, gamma / ||theta|| %8.3f", gamma/norm)
			p.say("  bound, (R / geometric margin)^2     %8.1f", *s.UpdateBound)
			p.say("  updates that were made              %8d", s.Updates)
			p.say("")
			p.say("Any theta* that separates gives a bound; one of a greater margin a lower one.")
			return nil
		},
	}
}

func xor() Lesson {
	return Lesson{
		Name: "xor", Title: "XOR: what no linear classifier can do, and one more feature",
		Source:  `CS440 lecture 16, "Linear Classifiers in General"; Grosse, Examples 3 and 5`,
		Formula: "true: (0,1), (1,0)   false: (0,0), (1,1)   phi(x) = (x1, x2, x1 x2)",
		Code:    []string{"models/convergence.go Convergence", "models/perceptron.go Perceptron"},
		show: func(ctx context.Context, p *page) error {
			const epochs = 1000
			t := bits(0, 1, 1, 0)
			m := models.Perceptron{Passes: passes(epochs), Steps: steps(1)}
			_, report, err := m.Train(ctx, t.dataset(), models.EpochOptions{})
			if err != nil {
				return err
			}
			c := report.Convergence
			if c.Converged {
				return errors.New("XOR is separable")
			}
			p.say("A perceptron on x1 and x2: %d passes, %d updates, no pass without a mistake.", c.Epochs, c.Updates)
			p.say("It cannot converge. Half-planes are convex, so whoever calls (0,1) and (1,0)")
			p.say("true calls their midpoint true, and whoever calls (0,0) and (1,1) false calls")
			p.say("theirs false. Both midpoints are (0.5, 0.5).")
			p.say("")
			t.points = [][]float32{{0, 0, 0}, {0, 1, 0}, {1, 0, 0}, {1, 1, 1}}
			byHand, err := models.NewLinear([]float64{0, -0.5}, [][]float64{{0, 0, 0}, {1, 1, -2}})
			if err != nil {
				return err
			}
			learned, report, err := m.Train(ctx, t.dataset(), models.EpochOptions{})
			if err != nil {
				return err
			}
			c = report.Convergence
			if !c.Converged {
				return errors.New("XOR with x1 x2 is not separable")
			}
			p.say("With x1 x2 as a third feature it converges after %d updates in %d passes:", c.Updates, c.Epochs)
			p.say("")
			p.say("  x1 x2 x1x2  XOR   w = (1, 1, -2), b = -0.5   w = (%g, %g, %g), b = %g", learned.Weights[0], learned.Weights[1], learned.Weights[2], learned.Bias[0])
			for i, x := range t.points {
				if byHand.Predict(t.row(i)) != int(t.labels[i]) || learned.Predict(t.row(i)) != int(t.labels[i]) {
					return fmt.Errorf("XOR of %v is wrong", x)
				}
				p.say("   %g  %g    %g    %-5s %14.1f %27.1f", x[0], x[1], x[2], t.classes[t.labels[i]], byHand.Score(t.row(i)), learned.Score(t.row(i)))
			}
			p.say("")
			p.say("In mail the same idea is a term for two words together (tokenize.pairs).")
			return nil
		},
	}
}

func translations() Lesson {
	return Lesson{
		Name: "translations", Title: "Two patterns anywhere: no linear classifier tells them apart",
		Source:  `Grosse, Example 4`,
		Formula: "mean of all 16 translations of a pattern of 4 bits = (1/4, ..., 1/4)",
		Code:    []string{"models/convergence.go Convergence"},
		show: func(ctx context.Context, p *page) error {
			const size, epochs = 16, 300
			patterns := [][]int{{0, 1, 2, 3}, {0, 1, 4, 6}}
			t := table{classes: []string{"A", "B"}}
			for class, pattern := range patterns {
				for by := range size {
					point := make([]float32, size)
					for _, at := range pattern {
						point[(at+by)%size] = 1
					}
					t.points, t.labels = append(t.points, point), append(t.labels, int32(class))
				}
			}
			for class, pattern := range patterns {
				p.say("  pattern %s", t.classes[class])
				for _, by := range []int{0, 1, 2} {
					line := []byte(strings.Repeat(".", size))
					for _, at := range pattern {
						line[(at+by)%size] = '#'
					}
					p.say("    %s", line)
				}
				sum := make([]float64, size)
				for i, point := range t.points {
					for j, bit := range point {
						if int(t.labels[i]) == class {
							sum[j] += float64(bit) / size
						}
					}
				}
				p.say("    the mean of all 16: (%g, %g, ..., %g)", sum[0], sum[1], sum[size-1])
			}
			_, report, err := models.Perceptron{Passes: passes(epochs), Steps: steps(1)}.Train(ctx, t.dataset(), models.EpochOptions{})
			if err != nil {
				return err
			}
			if report.Convergence.Converged {
				return errors.New("it is separable")
			}
			p.say("")
			p.say("The regions are convex, so a classifier that is right about all 16 A calls")
			p.say("their mean A, and one that is right about all 16 B calls the same mean B.")
			p.say("A perceptron tried: %d passes, %d updates, and it did not converge.", epochs, report.Convergence.Updates)
			return nil
		},
	}
}

// vectorOf returns a document of values.
func vectorOf(values ...float32) features.Vector { return table{points: [][]float32{values}}.row(0) }
