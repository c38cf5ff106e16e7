// Package lesson shows what the lectures say about linear classifiers, with the trainers of package models: each lesson is one screen.
//
//	for _, l := range lesson.All() {
//		text, _, err := l.Show(ctx)
//		fmt.Print(text)
//	}
//
// A lesson computes what it prints. Where the lecture has a formula, the lesson works it out by hand and fails if the trainer disagrees.
package lesson

import (
	"context"
	"fmt"
	"math"
	"strings"

	"chaff/corpus/sample"
	"chaff/features"
	"chaff/internal/screen"
	"chaff/models"
	"chaff/report"
	"chaff/train"
)

// Lesson is a piece of a lecture.
type Lesson struct {
	Name, Title string
	Source      string // the lecture and the section
	Formula     string // what the lesson is about, in one line
	Code        string // where the formula is in this program, as "FILE IDENTIFIER, FILE IDENTIFIER"

	show func(*page)
}

// All returns the lessons in the order of the lectures.
func All() []Lesson {
	return []Lesson{
		{"memoriser", "A function that fits 50 examples and knows nothing",
			`Collins, "What Kind of Solution would Suffice?", "Model Selection"`,
			"f(x) = y_t if x is training example t, else -1",
			"models/memoriser.go Memoriser", (*page).memoriser},
		{"naive-bayes", "Naive Bayes: one bit a document, or one a word",
			`CS440 lecture 16, "Feature = One Bit Per Document", "... Per Word Token"`,
			"bits (a + documents with w) / (2a + N),  counts (a + tokens w) / (aV + tokens)",
			"models/bernoulli.go Bernoulli, models/multinomial.go Multinomial", (*page).naiveBayes},
		{"logic", "AND, OR and NOT by weights set by hand, and their feasible region",
			`CS440 lecture 16, "Linear Classifiers in General"; Grosse, Examples 1, 2, 3.2`,
			"y = 1 if w1 x1 + w2 x2 + b > 0",
			"models/linear.go Linear.Score, models/linear.go NewLinear", (*page).logic},
		{"updates", "The perceptron, one update after the other",
			`Collins, "The Perceptron Algorithm", "More about the Perceptron"; MLCourse`,
			"if y (theta . x) <= 0:  theta += y x,  so that y (theta . x) grows by ||x||^2",
			"models/perceptron.go Perceptron", (*page).updates},
		{"margin", "The margin, and how many updates there can be",
			`Collins, "The Perceptron Convergence Theorem"; MLCourse, "Geometric Analysis"`,
			"updates <= R^2 ||theta*||^2 / gamma^2 = (R / gamma_geom)^2",
			"models/perceptron.go Separation", (*page).margin},
		{"xor", "XOR: what no linear classifier can do, and one more feature",
			`CS440 lecture 16, "Linear Classifiers in General"; Grosse, Examples 3 and 5`,
			"true: (0,1), (1,0)   false: (0,0), (1,1)   phi(x) = (x1, x2, x1 x2)",
			"models/perceptron.go Convergence, models/perceptron.go Perceptron", (*page).xor},
		{"translations", "Two patterns anywhere: no linear classifier tells them apart",
			`Grosse, Example 4`,
			"mean of all 16 translations of a pattern of 4 bits = (1/4, ..., 1/4)",
			"models/perceptron.go Convergence", (*page).translations},
		{"multiclass", "One vector of weights for each class",
			`CS440 lecture 16, "Multi-class perceptrons"`,
			"c taken for c':  w_c += eta f,  w_c' -= eta f,  all others as they are",
			"models/multiclassperceptron.go MulticlassPerceptron", (*page).multiclass},
		{"tanh", "The differentiable perceptron: tanh in the place of the sign",
			`CS440 lecture 16, "Differentiable Perceptron", "Why Differentiable?"`,
			"L = sum (y - tanh(w . f))^2,   w -= eta dL/dw",
			"models/tanh.go Tanh, models/gradient.go gradientDescent", (*page).tanh},
		{"softmax", "Softmax regression: the probability of each class",
			`CS440 lecture 16, "Differentiable Multi-class perceptrons"`,
			"p(c | f) = exp(w_c . f) / sum_k exp(w_k . f),   L = - sum ln p(c_i | f_i)",
			"models/softmax.go Softmax, models/ftrl.go", (*page).softmax},
		{"losses", "0-1 loss and square loss, and the risk as their mean",
			`CS446 lecture 4, "Loss functions for classification", "The empirical risk"`,
			"0-1: 1 if y f(x) <= 0, else 0    square: (y - f(x))^2    risk: the mean",
			"metrics/figures.go ZeroOneLoss, metrics/figures.go SquareLoss", (*page).losses},
		{"lms", "Least mean squares: batch and stochastic gradient descent",
			`CS446 lecture 4, "Gradient Descent for Least Mean Squares", "Learning rate"`,
			"Err = 1/2 sum (y - w . x)^2,   w_j += alpha sum (y - w . x) x_j",
			"models/lms.go LMS, models/gradient.go gradientDescent", (*page).meanSquares},
		{"parts", "Training, development and test mail",
			`CS440 lecture 16, "Classification as a learning problem"`,
			"fit on training, choose on development, measure once on test mail: disjoint",
			"corpus/split.go SplitOptions, train/fit.go Fit", (*page).parts},
	}
}

// Show computes what the lesson shows: at most 24 lines of 80 columns, and a picture where the lecture has one, else nil.
func (l Lesson) Show(ctx context.Context) (text string, picture *report.Drawing, err error) {
	p := &page{ctx: ctx}
	defer func() {
		switch f := recover().(type) {
		case nil:
		case failure:
			err = fmt.Errorf("lesson %s: %w", l.Name, f.error)
		default:
			panic(f)
		}
	}()
	p.say("%s\n%s\n  %s\n", l.Title, l.Source, l.Formula)
	l.show(p)
	p.say("\nIn the code: %s", l.Code)
	return p.text.String(), p.picture, nil
}

// page is one writing of a lesson. Its methods panic with a failure, which ends the lesson.
type page struct {
	ctx     context.Context
	text    strings.Builder
	picture *report.Drawing
}

type failure struct{ error }

func (p *page) say(format string, args ...any) {
	p.text.WriteString(screen.Sprintf(format+"\n", args...))
}

func (p *page) check(ok bool, format string, args ...any) {
	if !ok {
		panic(failure{fmt.Errorf(format, args...)})
	}
}

// near fails unless two numbers, one by hand and one of a trainer, are the same but for rounding to float32.
func (p *page) near(what string, byHand, trained float64) {
	p.check(math.Abs(byHand-trained) <= 1e-5*max(1, math.Abs(byHand)), "%s is %v by hand, and %v of the trainer", what, byHand, trained)
}

// mail returns the sample mail, divided as chaff train divides mail.
func (p *page) mail() *train.Collection {
	mail, err := train.Collect(p.ctx, sample.Source(), []string{"ham", "spam"}, train.DefaultCollectOptions())
	p.check(err == nil, "%w", err)
	return mail
}

// fit fits a model to the training part of mail and returns its figures.
func (p *page) fit(mail *train.Collection, model string, o train.Options) train.Result {
	t, err := train.Fit(p.ctx, mail, model, o)
	p.check(err == nil, "%w", err)
	return t.Result
}

func (p *page) train(m models.Trainer, d *features.Dataset) (*models.Linear, models.Report) {
	l, trained, err := m.Train(p.ctx, d, models.EpochOptions{})
	p.check(err == nil, "%w", err)
	return l, trained
}

// table is labelled points: their coordinates are the values of the terms.
type table struct {
	names   []string // of the points
	points  [][]float32
	labels  []int32
	classes []string
}

// marks returns two of the coordinates of the points, by class.
func (t table) marks(x, y int) []report.Curve {
	all := make([]report.Curve, len(t.classes))
	for i, point := range t.points {
		of := &all[t.labels[i]]
		of.Name, of.Points = t.classes[t.labels[i]], append(of.Points, report.Point{X: float64(point[x]), Y: float64(point[y])})
	}
	return all
}

// curve returns a function of z from -2 to 2 as a line.
func curve(name string, f func(z float64) float64) report.Curve {
	line := report.Curve{Name: name}
	for i := -200; i <= 200; i++ {
		z := float64(i) / 100
		line.Points = append(line.Points, report.Point{X: z, Y: f(z)})
	}
	return line
}

func (t table) dataset() *features.Dataset {
	d := &features.Dataset{Kind: features.Counts, Classes: t.classes, Terms: len(t.points[0])}
	for i := range t.points {
		d.Append(t.row(i), t.labels[i])
	}
	return d
}

// row returns a point as a document, without the terms whose value is 0.
func (t table) row(i int) (x features.Vector) {
	for w, value := range t.points[i] {
		if value != 0 {
			x.IDs, x.Values = append(x.IDs, uint32(w)), append(x.Values, value)
		}
	}
	return x
}

// target returns +1 for class 1 and -1 for class 0.
func target(label int32) float64 { return 2*float64(label) - 1 }

// passes are the settings of a trainer that reads the points in their order.
func passes(epochs int) models.Passes {
	return models.Passes{Epochs: epochs, Order: models.OrderFixed, Listed: true, Features: features.Counts.String()}
}

// steps are those of a constant learning rate, from weights of 0.
func steps(rate float64) models.Steps {
	return models.Steps{LearningRate: rate, Decay: models.RateConstant, Start: models.StartZeros}
}

// dot returns the product of weights and a point, with the last weight as the bias if there is one more.
func dot(w []float64, x []float32) (z float64) {
	for j, value := range x {
		z += w[j] * float64(value)
	}
	if len(w) > len(x) {
		z += w[len(x)]
	}
	return z
}

// numbers formats numbers in columns.
func numbers(format string, all ...float64) string {
	var text strings.Builder
	for _, x := range all {
		fmt.Fprintf(&text, format, x+0) // no -0
	}
	return text.String()
}
