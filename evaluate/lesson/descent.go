package lesson

import (
	"context"
	"errors"
	"fmt"
	"math"

	"chaff/metrics"
	"chaff/models"
	"chaff/train"
)

func multiclass() Lesson {
	return Lesson{
		Name: "multiclass", Title: "One vector of weights for each class",
		Source:  `CS440 lecture 16, "Multi-class perceptrons"`,
		Formula: "c taken for c':  w_c += eta f,  w_c' -= eta f,  all others as they are",
		Code:    []string{"models/multiclassperceptron.go MulticlassPerceptron"},
		show: func(ctx context.Context, p *page) error {
			t := threeClasses()
			weights, made := [3][3]float64{}, 0 // with the bias last
			p.say("  pass  letter (goal, rhyme)   class -> taken for   w of golf, poems, chess")
			for pass := 1; ; pass++ {
				changed := false
				for i, x := range t.points {
					scores := [3]float64{}
					for k, w := range weights {
						scores[k] = w[0]*float64(x[0]) + w[1]*float64(x[1]) + w[2]
					}
					c, other := int(t.labels[i]), -1
					for k, z := range scores {
						if k != c && (other < 0 || z > scores[other]) {
							other = k
						}
					}
					if scores[c] > scores[other] {
						continue
					}
					changed, made = true, made+1
					for j, value := range []float64{float64(x[0]), float64(x[1]), 1} {
						weights[c][j] += value
						weights[other][j] -= value
					}
					p.say("  %4d  %s (%g, %g)              %-5s -> %-5s       %s|%s|%s", pass, t.names[i], x[0], x[1], t.classes[c], t.classes[other],
						numbers("%3g", weights[0][:]...), numbers("%3g", weights[1][:]...), numbers("%3g", weights[2][:]...))
				}
				if !changed {
					break
				}
			}
			l, report, err := models.MulticlassPerceptron{Passes: passes(100), Steps: steps(1)}.Train(ctx, t.dataset(), models.EpochOptions{})
			if err != nil {
				return err
			}
			for k, w := range weights {
				if err := errors.Join(near("a weight", w[0], float64(l.Weights[k])), near("a weight", w[1], float64(l.Weights[3+k])), near("a bias", w[2], l.Bias[k])); err != nil {
					return err
				}
			}
			p.say("")
			p.say("%d updates, then a pass without one. The third number is the bias. All letters", made)
			p.say("are right: the highest score is that of their class. A tie is a mistake.")
			if report.Convergence.Updates != made {
				return fmt.Errorf("%d updates by hand, %d of the trainer", made, report.Convergence.Updates)
			}
			return nil
		},
	}
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

func tanh() Lesson {
	return Lesson{
		Name: "tanh", Title: "The differentiable perceptron: tanh in the place of the sign",
		Source:  `CS440 lecture 16, "Differentiable Perceptron", "Why Differentiable?"`,
		Formula: "L = sum (y - tanh(w . f))^2,   w -= eta dL/dw",
		Code:    []string{"models/tanh.go Tanh", "models/gradient.go gradientDescent"},
		show: func(ctx context.Context, p *page) error {
			p.say("The losses of a letter of class +1 at the score z, and how they change when z\ngrows by 0.01:")
			p.say("")
			p.say("       z   (y - sign z)^2   change   (y - tanh z)^2    change")
			for _, z := range []float64{-2, -1, -0.5, 0.5, 1} {
				sign := func(z float64) float64 { return math.Pow(1-math.Copysign(1, z), 2) }
				soft := func(z float64) float64 { return math.Pow(1-math.Tanh(z), 2) }
				p.say("  %6g %16g %8g %16.4f %9.4f", z, sign(z), sign(z+0.01)-sign(z), soft(z), soft(z+0.01)-soft(z))
			}
			p.say("")
			p.say("The loss of the sign does not say where to go; the other leads downhill.")
			p.say("Letters with \"free\" 0 and 1 times are ham, with 2 and 4 times spam; eta = 0.1:")
			p.say("")
			t := oneFeature()
			m := models.Tanh{Descent: models.Descent{Passes: passes(64), Steps: steps(0.1), Method: models.MethodStochastic}}
			l, report, err := m.Train(ctx, t.dataset(), models.EpochOptions{})
			if err != nil {
				return err
			}
			for _, n := range []int{1, 4, 16, 64} {
				e := report.Epochs[n-1]
				p.say("  after %2d passes  mean loss %.4f  accuracy %3.0f%%", n, e.Train.Loss, e.Train.Accuracy)
			}
			if l.Score(vectorOf(1)) > 0 || l.Score(vectorOf(2)) <= 0 {
				return errors.New("it has not learned")
			}
			return nil
		},
	}
}

func softmax() Lesson {
	return Lesson{
		Name: "softmax", Title: "Softmax regression: the probability of each class",
		Source:  `CS440 lecture 16, "Differentiable Multi-class perceptrons"`,
		Formula: "p(c | f) = exp(w_c . f) / sum_k exp(w_k . f),   L = - sum ln p(c_i | f_i)",
		Code:    []string{"models/softmax.go Softmax", "models/lbfgs.go"},
		show: func(ctx context.Context, p *page) error {
			t := threeClasses()
			p.say("The six letters of the lesson multiclass. The mean loss of equal chances is")
			p.say("ln 3 = %.4f. Gradient descent, by the number of passes:", math.Log(3))
			p.say("")
			m := models.Softmax{Passes: passes(200), LearningRate: 1, Method: models.MethodStochastic}
			_, report, err := m.Train(ctx, t.dataset(), models.EpochOptions{})
			if err != nil {
				return err
			}
			before := math.Log(3)
			for _, n := range []int{1, 5, 20, 200} {
				loss := report.Epochs[n-1].Train.Loss
				p.say("  %4d  loss %.4f", n, loss)
				if loss >= before {
					return errors.New("the loss does not fall")
				}
				before = loss
			}
			m.Method, m.L2 = models.MethodBatch, 0.01
			l, _, err := m.Train(ctx, t.dataset(), models.EpochOptions{})
			if err != nil {
				return err
			}
			p.say("")
			p.say("On separable letters it would fall for ever, so chaff adds L2/2 ||w||^2. With")
			p.say("L2 = 0.01 the minimum gives:")
			p.say("")
			p.say("  goal rhyme      %8s %8s %8s", t.classes[0], t.classes[1], t.classes[2])
			for i, x := range t.points {
				scores, sum := l.Scores(nil, t.row(i)), 0.
				for _, z := range scores {
					sum += math.Exp(z)
				}
				p.say("  %4g %5g  p =  %8.3f %8.3f %8.3f", x[0], x[1], math.Exp(scores[0])/sum, math.Exp(scores[1])/sum, math.Exp(scores[2])/sum)
			}
			return nil
		},
	}
}

func losses() Lesson {
	return Lesson{
		Name: "losses", Title: "0-1 loss and square loss, and the risk as their mean",
		Source:  `CS446 lecture 4, "Loss functions for classification", "The empirical risk"`,
		Formula: "0-1: 1 if y f(x) <= 0, else 0    square: (y - f(x))^2    risk: the mean",
		Code:    []string{"metrics/figures.go ZeroOneLoss", "metrics/figures.go SquareLoss"},
		show: func(ctx context.Context, p *page) error {
			p.say("  y f(x)        -1.0  -0.5   0.0   0.5   1.0   1.5   2.0")
			zeroOne, square := "  0-1 loss    ", "  square loss "
			for _, z := range []float64{-1, -0.5, 0, 0.5, 1, 1.5, 2} {
				// two classes; the score of class 1 over class 0 is z
				label, prediction := []int32{1}, []int32{0}
				if z > 0 {
					prediction[0] = 1
				}
				a, b := metrics.ZeroOneLoss(label, prediction), metrics.SquareLoss(label, []float64{0, z}, 2)
				if a > b {
					return errors.New("the square loss is no upper bound")
				}
				zeroOne += fmt.Sprintf("%6g", a)
				square += fmt.Sprintf("%6.2f", b)
			}
			p.say("%s", zeroOne)
			p.say("%s", square)
			p.say("")
			p.say("The square loss is convex and never below the other. It punishes a letter for")
			p.say("being too right, from y f(x) = 1 on. The empirical risk on the sample mail:")
			p.say("")
			mail, err := sampleMail(ctx)
			if err != nil {
				return err
			}
			p.say("               training          development       test")
			p.say("               0-1     square    0-1     square    0-1     square")
			for _, model := range []string{"lms", "perceptron", "multinomial"} {
				t, err := train.Fit(ctx, mail, model, train.DefaultOptions())
				if err != nil {
					return err
				}
				line := fmt.Sprintf("  %-12s", model)
				for _, f := range []*metrics.Figures{t.Result.Train, t.Result.Development, t.Result.Test} {
					line += fmt.Sprintf(" %-7.3f %-9.3g", f.ZeroOneLoss, *f.SquareLoss)
				}
				p.say("%s", line)
			}
			p.say("")
			p.say("Only lms minimises the square loss; the scores of the others have other units.")
			return nil
		},
	}
}

func meanSquares() Lesson {
	return Lesson{
		Name: "lms", Title: "Least mean squares: batch and stochastic gradient descent",
		Source:  `CS446 lecture 4, "Gradient Descent for Least Mean Squares", "Learning rate"`,
		Formula: "Err = 1/2 sum (y - w . x)^2,   w_j += alpha sum (y - w . x) x_j",
		Code:    []string{"models/lms.go LMS", "models/gradient.go gradientDescent"},
		show: func(ctx context.Context, p *page) error {
			t := oneFeature()
			p.say("Letters with \"free\" 0 and 1 times are ham (-1), with 2 and 4 times spam (+1).\nMean Err by pass:")
			p.say("")
			p.say("  pass                     1       2       4       8      16      32      64")
			run := func(name, method string, rate float64) (last float64, err error) {
				m := models.LMS{Descent: models.Descent{Passes: passes(64), Steps: steps(rate), Method: method}}
				line, epochs := fmt.Sprintf("  %-18s", name), 0
				_, _, err = m.Train(ctx, t.dataset(), models.EpochOptions{OnEpoch: func(e models.Epoch) {
					if epochs++; epochs&(epochs-1) == 0 {
						last = e.Train.Loss
						line += fmt.Sprintf(" %7.4g", last)
					}
				}})
				p.say("%s", line)
				return last, err
			}
			batch, err := run("batch, 0.1", models.MethodBatch, 0.1)
			if err != nil {
				return err
			}
			slow, err := run("batch, 0.001", models.MethodBatch, 0.001)
			if err != nil {
				return err
			}
			online, err := run("stochastic, 0.1", models.MethodStochastic, 0.1)
			if err != nil {
				return err
			}
			wild, line := descend(t, 0.4), fmt.Sprintf("  %-18s", "batch, 0.4")
			for _, pass := range []int{1, 2, 4, 8, 16, 32, 64} {
				line += fmt.Sprintf(" %7.2g", wild[pass-1])
			}
			p.say("%s", line)
			m := models.LMS{Descent: models.Descent{Passes: passes(64), Steps: steps(0.4), Method: models.MethodBatch}}
			if _, _, err := m.Train(ctx, t.dataset(), models.EpochOptions{}); !errors.Is(err, models.ErrDiverged) {
				return fmt.Errorf("with too large a rate the trainer says %v", err)
			}
			least := leastSquares(t)
			if batch > least+0.01 || slow < batch || online > 2*least+0.1 {
				return fmt.Errorf("the error ends at %v, %v and %v; the least is %v", batch, slow, online, least)
			}
			if err := near("the error of the batch", descend(t, 0.1)[63], batch); err != nil {
				return err
			}
			p.say("")
			p.say("The least Err, by the normal equations, is %.4f. Too small a rate is slow; too", least)
			p.say("large a one overshoots further with each step, and chaff train says that it")
			p.say("diverges. The stochastic rule steps after each letter, and ends near the least.")
			p.say("Chaff divides the sum of the batch by the number of letters.")
			return nil
		},
	}
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
		sum := 0.
		for i, point := range t.points {
			sum += math.Pow(target(t.labels[i])-w*float64(point[0])-b, 2) / 2 / n
		}
		errs = append(errs, sum)
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
	sum := 0.
	for i, point := range t.points {
		sum += math.Pow(target(t.labels[i])-y-slope*(float64(point[0])-x), 2) / 2 / n
	}
	return sum
}
