package models

import (
	"math"

	"chaff/features"
	"chaff/internal/parallel"
)

// params are weights and biases while they are learnt: R rows over V terms, in float64. Two classes need one row, the
// score of class 1 over class 0 as in [Linear]; more classes have a row each.
type params struct {
	n       int       // R
	form    Form      // how they become scores
	bias    []float64 // R x the biases of the form
	weights []float64 // V x R: the weight of term w in row r is weights[w*n+r]
}

func newParams(n, terms int) *params { return newFormParams(nil, n, terms) }

func newFormParams(f Form, n, terms int) *params {
	return &params{n: n, form: f, bias: make([]float64, n*f.biases()), weights: make([]float64, n*terms)}
}

func (v *params) terms() int { return len(v.weights) / v.n }

func (v *params) sameShape(terms int) *params { return newFormParams(v.form, v.n, terms) }

func rowCount(classes int) int {
	if classes == 2 {
		return 1
	}
	return classes
}

// scores returns the R scores of x, in the memory of dst if that suffices.
func (v *params) scores(dst []float64, x features.Vector) []float64 {
	dst = resize(dst, v.n)
	if len(v.form) > 0 {
		for r := range dst {
			s := groupSums(x, v.weights, v.n, r)
			dst[r] = v.form.score(v.bias[r*len(v.form):], &s)
		}
		return dst
	}
	copy(dst, v.bias)
	if v.n == 1 {
		var sum float64
		for i, w := range x.IDs {
			sum += float64(x.Values[i]) * v.weights[w]
		}
		dst[0] += sum
		return dst
	}
	for i, w := range x.IDs {
		f := float64(x.Values[i])
		for r, weight := range v.weights[int(w)*v.n:][:v.n] {
			dst[r] += f * weight
		}
	}
	return dst
}

// add adds step times x to row r, and step to its bias, which is the weight of a feature that is always 1. Through the
// origin there is no bias.
func (v *params) add(r int, x features.Vector, step float64, origin bool) {
	if !origin {
		v.bias[r] += step
	}
	if v.n == 1 {
		for i, w := range x.IDs {
			v.weights[w] += step * float64(x.Values[i])
		}
		return
	}
	for i, w := range x.IDs {
		v.weights[int(w)*v.n+r] += step * float64(x.Values[i])
	}
}

func (v *params) resize(terms int) { v.weights = resized(v.weights, terms*v.n, 0) }

func (v *params) addScaled(u *params, step float64) {
	for r := range v.bias {
		v.bias[r] += step * u.bias[r]
	}
	for i := range v.weights {
		v.weights[i] += step * u.weights[i]
	}
}

func (v *params) copyFrom(u *params) {
	copy(v.bias, u.bias)
	copy(v.weights, u.weights)
}

func (v *params) clear() {
	clear(v.bias)
	clear(v.weights)
}

func (v *params) model(dst *params, from int) { dst.copyFrom(v.window(from, len(dst.weights))) }

// window returns v with n of its weights, from the one with the given index on, in the same memory.
func (v *params) window(from, n int) *params {
	return &params{n: v.n, form: v.form, bias: v.bias, weights: v.weights[from:][:n]}
}

func (v *params) termSize() int { return 8 * v.n }

func (v *params) globals(c *codec) { c.floats(v.bias) }

func (v *params) term(c *codec, w int) { c.floats(v.weights[w*v.n:][:v.n]) }

func (v *params) norm(r int) float64 {
	squares := v.bias[r] * v.bias[r]
	for i := r; i < len(v.weights); i += v.n {
		squares += v.weights[i] * v.weights[i]
	}
	return math.Sqrt(squares)
}

// weighted has weights, which model writes to dst: the biases, and from the weight with the given index on as many as dst has.
type weighted interface {
	model(dst *params, from int)
	terms() int
	// sameShape returns zero weights with the same rows and form.
	sameShape(terms int) *params
}

// rounded returns the weights of v as a model of K classes. It rounds a few at a time, since all of them before rounding take twice the memory
// of the model.
func rounded(v weighted, classes, workers int) (*Linear, error) {
	const window = 1 << 12 // terms
	bias := v.sameShape(0)
	v.model(bias, 0)
	l := &Linear{Classes: classes, Terms: v.terms(), Form: bias.form, Bias: bias.bias}
	if bias.keepsDifference(classes) {
		l.Bias = rowsOf(l.Bias)
	}
	rows := l.Rows()
	l.Weights = make([]float32, l.Terms*rows)
	windows := make([]*params, max(workers, 1))
	parallel.Ranges(workers, l.Terms, window, func(worker, from, to int) {
		if windows[worker] == nil {
			windows[worker] = v.sameShape(window)
		}
		now := windows[worker].window(0, (to-from)*bias.n)
		v.model(now, from*bias.n)
		now.roundTo(l.Weights[from*rows:], classes)
	})
	return l.valid()
}

// keepsDifference reports whether a model of K classes has the difference of two rows, since there are two for two classes.
func (v *params) keepsDifference(classes int) bool { return classes == 2 && v.n == 2 }

func (v *params) roundTo(dst []float32, classes int) {
	if v.keepsDifference(classes) {
		for w := range v.terms() {
			dst[w] = float32(v.weights[2*w+1] - v.weights[2*w])
		}
		return
	}
	for i, weight := range v.weights {
		dst[i] = float32(weight)
	}
}

// squaredNorm returns the square of the length of x, with 1 for the feature of the bias unless there is none.
func squaredNorm(x features.Vector, origin bool) float64 {
	squares := 1.0
	if origin {
		squares = 0
	}
	for _, f := range x.Values {
		squares += float64(f) * float64(f)
	}
	return squares
}

// target returns t of a document of class c for row r of n: +1 if the row is that of the class, else -1. A single row is
// that of class 1; of more rows each separates its class from all others (cs440 lecture 16, "Multi-class perceptrons":
// "One-vs-others framework").
func target(n, r, c int) float64 {
	if n == 1 && c == 1 || n > 1 && r == c {
		return 1
	}
	return -1
}

// predicted returns the class that scores of n rows predict; see [Linear.Predict] for ties.
func predicted(scores []float64) int {
	if len(scores) > 1 {
		return Argmax(scores)
	}
	if scores[0] > 0 {
		return 1
	}
	return 0
}

// resize returns memory for n scores, that of dst if it suffices.
func resize(dst []float64, n int) []float64 {
	if cap(dst) < n {
		return make([]float64, n)
	}
	return dst[:n]
}
