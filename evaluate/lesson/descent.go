package lesson

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"chaff/metrics"
	"chaff/models"
	"chaff/report"
	"chaff/train"
)

func (p *page) multiclass() {
	t := threeClasses()
	weights, made := [3][]float64{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}, 0 // with the bias last
	p.say("  pass  letter (goal, rhyme)   class -> taken for   w of golf, poems, chess")
	for pass, changed := 1, true; changed; pass++ {
		changed = false
		for i, x := range t.points {
			c, other := int(t.labels[i]), -1
			for k, w := range weights {
				if k != c && (other < 0 || dot(w, x) > dot(weights[other], x)) {
					other = k
				}
			}
			if dot(weights[c], x) > dot(weights[other], x) {
				continue
			}
			changed, made = true, made+1
			for j, value := range []float64{float64(x[0]), float64(x[1]), 1} {
				weights[c][j] += value
				weights[other][j] -= value
			}
			p.say("  %4d  %s (%g, %g)              %-5s -> %-5s       %s|%s|%s", pass, t.names[i], x[0], x[1], t.classes[c], t.classes[other],
				numbers("%3g", weights[0]...), numbers("%3g", weights[1]...), numbers("%3g", weights[2]...))
		}
	}
	l, trained := p.train(models.MulticlassPerceptron{Passes: passes(100), Steps: steps(1)}, t.dataset())
	for k, w := range weights {
		p.near("a weight", w[0], float64(l.Weights[k]))
		p.near("a weight", w[1], float64(l.Weights[3+k]))
		p.near("a bias", w[2], l.Bias[k])
	}
	p.say(`
%d updates, then a pass without one. The third number is the bias. All letters
are right: the highest score is that of their class. A tie is a mistake.`, made)
	p.check(trained.Convergence.Updates == made, "%d updates by hand, %d of the trainer", made, trained.Convergence.Updates)
}

// threeClasses are letters of three kinds, by how often they have two words.
func threeClasses() table {
	return table{
		names:  []string{"a", "b", "c", "d", "e", "f"},
		points: [][]float32{{3, 0}, {0, 3}, {0, 0}, {2, 1}, {1, 2}, {1, 0}},
		labels: []int32{0, 1, 2, 0, 1, 2}, classes: []string{"golf", "poems", "chess"},
	}
}

// oneFeature are letters by how often they have the word free.
func oneFeature() table {
	return table{points: [][]float32{{0}, {1}, {2}, {4}}, labels: []int32{0, 0, 1, 1}, classes: []string{"ham", "spam"}}
}

// descent returns the settings of 64 passes of gradient descent.
func descent(method string, rate float64) models.Descent {
	return models.Descent{Passes: passes(64), Steps: steps(rate), Method: method}
}

func (p *page) tanh() {
	p.say(`The losses of a letter of class +1 at the score z, and how they change when z
grows by 0.01:

       z   (y - sign z)^2   change   (y - tanh z)^2    change`)
	sign := func(z float64) float64 { return math.Pow(1-math.Copysign(1, z), 2) }
	soft := func(z float64) float64 { return math.Pow(1-math.Tanh(z), 2) }
	p.picture = &report.Drawing{
		Title: "The loss of a letter of class +1", X: "score z", Y: "loss", From: report.Point{X: -2, Y: -0.2}, To: report.Point{X: 2, Y: 4.2},
		Lines: []report.Curve{curve("(y - sign z)^2", sign), curve("(y - tanh z)^2", soft)},
	}
	for _, z := range []float64{-2, -1, -0.5, 0.5, 1} {
		p.say("  %6g %16g %8g %16.4f %9.4f", z, sign(z), sign(z+0.01)-sign(z), soft(z), soft(z+0.01)-soft(z))
	}
	p.say(`
The loss of the sign does not say where to go; the other leads downhill.
Letters with "free" 0 and 1 times are ham, with 2 and 4 times spam. A step after
each letter, eta = 0.1:
`)
	const eta = 0.1
	t := oneFeature()
	l, trained := p.train(models.Tanh{Descent: descent(models.MethodStochastic, eta)}, t.dataset())
	w := []float64{0, 0} // by hand, with the bias last
	for i, e := range trained.Epochs {
		loss := 0.
		for k, x := range t.points { // dL/dz = -2 (y - tanh z) (1 - tanh^2 z)
			y := math.Tanh(dot(w, x))
			step := eta * 2 * (target(t.labels[k]) - y) * (1 - y*y)
			w[0], w[1] = w[0]+step*float64(x[0]), w[1]+step
		}
		for k, x := range t.points {
			loss += math.Pow(target(t.labels[k])-math.Tanh(dot(w, x)), 2) / float64(len(t.points))
		}
		p.near("the mean loss", loss, e.Train.Loss)
		if n := i + 1; n == 1 || n == 4 || n == 16 || n == 64 {
			p.say("  pass %2d   mean loss %.4f  accuracy %3.0f%%", n, e.Train.Loss, e.Train.Accuracy)
		}
	}
	p.check(l.Score(vectorOf(1)) <= 0 && l.Score(vectorOf(2)) > 0, "it has not learned")
}

func (p *page) softmax() {
	t := threeClasses()
	p.say(`The six letters of the lesson multiclass. The mean loss of equal chances is
ln 3 = %.4f. A step after each letter, by the number of passes:
`, math.Log(3))
	m := models.Softmax{Passes: passes(200), LearningRate: 1}
	_, trained := p.train(m, t.dataset())
	before := math.Log(3)
	for _, n := range []int{1, 20, 200} {
		loss := trained.Epochs[n-1].Train.Loss
		p.say("  %4d  loss %.4f", n, loss)
		p.check(loss < before, "the loss does not fall")
		before = loss
	}
	m.Epochs, m.L2 = 2000, 0.01
	l, _ := p.train(m, t.dataset())
	p.say(`
On separable letters it would fall for ever, so chaff adds L2/2 ||w||^2 to L.
With L2 = 0.01, 2,000 passes give these p, where the gradient is nearly 0:
dL/dw_c = sum over i of (p_c - [c = c_i]) f_i + L2 w_c is below 0.005.

  goal rhyme      %8s %8s %8s`, t.classes[0], t.classes[1], t.classes[2])
	var gradient [][]float64 // by hand: of L by the weights of each class, with the bias, which has no penalty, last
	for c := range t.classes {
		gradient = append(gradient, []float64{m.L2 * float64(l.Weights[c]), m.L2 * float64(l.Weights[3+c]), 0})
	}
	for i, x := range t.points {
		scores, sum := l.Scores(nil, t.row(i)), 0.
		for _, z := range scores {
			sum += math.Exp(z)
		}
		for c, z := range scores {
			scores[c] = math.Exp(z) / sum
		}
		p.say("  %4g %5g  p =  %8.3f %8.3f %8.3f", x[0], x[1], scores[0], scores[1], scores[2])
		scores[t.labels[i]]--
		for c, off := range scores {
			for j, f := range []float64{float64(x[0]), float64(x[1]), 1} {
				gradient[c][j] += off * f
			}
		}
	}
	for _, slope := range slices.Concat(gradient...) {
		p.check(math.Abs(slope) < 0.005, "the gradient is %v, and not near 0", gradient)
	}
}

func (p *page) losses() {
	p.say("  y f(x)        -1.0  -0.5   0.0   0.5   1.0   1.5   2.0")
	zeroOne, square := "  0-1 loss    ", "  square loss "
	// two classes; the score of class 1 over class 0 is z
	lossAt := func(z float64) (zeroOne, square float64) {
		label, prediction := []int32{1}, []int32{0}
		if z > 0 {
			prediction[0] = 1
		}
		return metrics.Measure(label, prediction, 2).ZeroOneLoss, metrics.SquareLoss(label, []float64{0, z}, 2)
	}
	p.picture = &report.Drawing{
		Title: "The loss of a letter", X: "y f(x)", Y: "loss", From: report.Point{X: -2, Y: -0.2}, To: report.Point{X: 2, Y: 9.2},
		Lines: []report.Curve{
			curve("0-1 loss", func(z float64) float64 { a, _ := lossAt(z); return a }),
			curve("square loss", func(z float64) float64 { _, b := lossAt(z); return b }),
		},
	}
	for _, z := range []float64{-1, -0.5, 0, 0.5, 1, 1.5, 2} {
		a, b := lossAt(z)
		p.near("the square loss", math.Pow(1-z, 2), b)
		p.check(a <= b, "the square loss is no upper bound")
		zeroOne += fmt.Sprintf("%6g", a)
		square += fmt.Sprintf("%6.2f", b)
	}
	p.say(`%s
%s

The square loss is convex and never below the other. It punishes a letter for
being too right, from y f(x) = 1 on. The empirical risk on the sample mail:

               training          development       test
               0-1     square    0-1     square    0-1     square`, zeroOne, square)
	mail := p.mail()
	for _, model := range []string{"lms", "perceptron", "multinomial"} {
		r := p.fit(mail, model, train.DefaultOptions())
		line := fmt.Sprintf("  %-12s", model)
		for _, f := range []*metrics.Figures{r.Train, r.Development, r.Test} {
			line += fmt.Sprintf(" %-7.3f %-9.3g", f.ZeroOneLoss, *f.SquareLoss)
		}
		p.say("%s", strings.TrimRight(line, " "))
	}
	p.say("\nOnly lms minimises the square loss; the scores of the others have other units.")
}

func (p *page) meanSquares() {
	t := oneFeature()
	p.say(`Letters with "free" 0 and 1 times are ham (-1), with 2 and 4 times spam (+1).
Mean Err by pass:

  pass                     1       2       4       8      16      32      64`)
	say := func(name, format string, errorAfter func(pass int) float64) {
		line := fmt.Sprintf("  %-18s", name)
		for pass := 1; pass <= 64; pass *= 2 {
			line += fmt.Sprintf(format, errorAfter(pass))
		}
		p.say("%s", line)
	}
	run := func(name, method string, rate float64) float64 {
		_, trained := p.train(models.LMS{Descent: descent(method, rate)}, t.dataset())
		errorAfter := func(pass int) float64 { return trained.Epochs[pass-1].Train.Loss }
		say(name, " %7.4g", errorAfter)
		return errorAfter(64)
	}
	batch := run("batch, 0.1", models.MethodBatch, 0.1)
	slow := run("batch, 0.001", models.MethodBatch, 0.001)
	online := run("stochastic, 0.1", models.MethodStochastic, 0.1)
	wild := descend(t, 0.4)
	say("batch, 0.4", " %7.2g", func(pass int) float64 { return wild[pass-1] })
	_, _, err := models.LMS{Descent: descent(models.MethodBatch, 0.4)}.Train(p.ctx, t.dataset(), models.EpochOptions{})
	p.check(errors.Is(err, models.ErrDiverged), "with too large a rate the trainer says %v", err)
	least := leastSquares(t)
	p.check(batch <= least+0.01 && slow >= batch && online <= 2*least+0.1, "the error ends at %v, %v and %v; the least is %v", batch, slow, online, least)
	p.near("the error of the batch", descend(t, 0.1)[63], batch)
	p.say(`
The least Err, by the normal equations, is %.4f. Too small a rate is slow; too
large a one overshoots further with each step, and chaff train says that it
diverges. The stochastic rule steps after each letter, and ends near the least.
Chaff divides the sum of the batch by the number of letters.`, least)
}

// meanError returns the mean error of a line through letters of one feature.
func meanError(t table, slope, bias float64) (sum float64) {
	for i, point := range t.points {
		sum += math.Pow(target(t.labels[i])-slope*float64(point[0])-bias, 2) / 2 / float64(len(t.points))
	}
	return sum
}

// descend makes 64 steps of batch gradient descent for letters of one feature, by hand, and returns the mean error after each.
func descend(t table, rate float64) (errs []float64) {
	w, b, n := 0., 0., float64(len(t.points))
	for range 64 {
		var dw, db float64
		for i, point := range t.points {
			missing := target(t.labels[i]) - w*float64(point[0]) - b
			dw, db = dw+missing*float64(point[0])/n, db+missing/n
		}
		w, b = w+rate*dw, b+rate*db
		errs = append(errs, meanError(t, w, b))
	}
	return errs
}

// leastSquares returns the least mean error of a line through letters of one feature.
func leastSquares(t table) float64 {
	n := float64(len(t.points))
	var x, y, xx, xy float64
	for i, point := range t.points {
		v, label := float64(point[0]), target(t.labels[i])
		x, y, xx, xy = x+v/n, y+label/n, xx+v*v/n, xy+v*label/n
	}
	slope := (xy - x*y) / (xx - x*x)
	return meanError(t, slope, y-slope*x)
}
