package models

import (
	"math/rand/v2"
	"slices"

	"chaff/features"
	"chaff/internal/parallel"
)

// params are what a learner keeps of each term and of the bias, in float64: the weights of R rows, and behind them other numbers. Two
// classes need one row, the score of class 1 over class 0 as in [Linear]; more classes have a row each.
type params struct {
	n       int       // R
	columns int       // how many numbers a term has, of which the first R are its weights
	form    Form      // how weights become scores
	bias    []float64 // those of the bias; with a form R x its biases
	weights []float64 // V x columns: the weight of term w in row r is weights[w*columns+r]
}

func newParams(n, terms int) *params { return newColumns(n, n, terms) }

func newColumns(n, columns, terms int) *params {
	return &params{n: n, columns: columns, bias: make([]float64, columns), weights: make([]float64, columns*terms)}
}

// shape is the size of what has weights, and how these become scores.
type shape struct {
	rows, terms int // R and V
	bytes       int // the size of a term when it is saved
	form        Form
}

// weighted has the weights of R rows, which become scores by a form.
type weighted interface {
	shape() shape
	// biases returns those of the rows, each with one for each member of the form.
	biases() []float64
	// model writes the R weights of each of the given terms.
	model(dst []float64, terms []uint32)
}

func (v *params) shape() shape { return shape{v.n, v.terms(), 8 * v.columns, v.form} }

func (v *params) terms() int { return len(v.weights) / v.columns }

func (v *params) biases() []float64 { return v.bias[:v.n] }

func (v *params) model(dst []float64, terms []uint32) {
	for i, w := range terms {
		copy(dst[i*v.n:][:v.n], v.weights[int(w)*v.columns:])
	}
}

// eachWindow calls do with the weights of all terms, those of a few terms from the first on at a time: all of them take twice the memory of
// the model.
func eachWindow(v weighted, workers int, do func(first int, weights []float64)) {
	const window = 1 << 12
	shape := v.shape()
	parallel.Ranges(workers, shape.terms, window, func(_, from, to int) {
		terms, weights := make([]uint32, to-from), make([]float64, (to-from)*shape.rows)
		for i := range terms {
			terms[i] = uint32(from + i)
		}
		v.model(weights, terms)
		do(from, weights)
	})
}

// snapshot returns the weights of v, in the memory of dst unless it is nil.
func snapshot(dst *params, v weighted, workers int) *params {
	if dst == nil {
		shape := v.shape()
		dst = newParams(shape.rows, shape.terms)
		dst.form, dst.bias = shape.form, make([]float64, shape.rows*shape.form.members())
	}
	copy(dst.bias, v.biases())
	eachWindow(v, workers, func(first int, weights []float64) { copy(dst.weights[first*dst.n:], weights) })
	return dst
}

// scores returns the R scores of x, in the memory of dst if that suffices.
func (v *params) scores(dst []float64, x features.Vector) []float64 {
	return scoresOf(slices.Grow(dst[:0], v.n)[:v.n], x, v.weights, v.columns, v.bias, v.form)
}

// add adds step times x to a column, and step to that of the bias, which is the weight of a feature that is always 1. Through the
// origin there is no bias.
func (v *params) add(column int, x features.Vector, step float64, origin bool) {
	if !origin {
		v.bias[column] += step
	}
	weights, columns, values := v.weights, v.columns, x.Values[:len(x.IDs)]
	for i, w := range x.IDs {
		weights[int(w)*columns+column] += step * float64(values[i])
	}
}

func (v *params) resize(terms int) { v.weights = resized(v.weights, terms*v.columns, 0) }

// resized returns a list with n entries, the new ones being value. Append would clear the new memory while the garbage collector, which it wakes,
// waits for it and interrupts it all the time.
func resized[T any](list []T, n int, value T) []T {
	if n > cap(list) {
		list = append(make([]T, 0, max(n, len(list)+len(list)/4)), list...)
	}
	for len(list) < n {
		list = append(list, value)
	}
	return list[:n]
}

func (v *params) globals(c *codec) { listAll(c, v.bias) }

func (v *params) term(c *codec, w int) { listAll(c, v.weights[w*v.columns:][:v.columns]) }

// randomise makes the weights small random numbers.
func (v *params) randomise(seed uint64, origin bool) {
	const startDeviation = 0.01 // small beside weights that are learned
	random := rand.New(rand.NewPCG(seed, startStream))
	for w := range v.terms() {
		for r := range v.n {
			v.weights[w*v.columns+r] = startDeviation * random.NormFloat64()
		}
	}
	for r := 0; !origin && r < v.n; r++ {
		v.bias[r] = startDeviation * random.NormFloat64()
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

// squaredNorm returns the square of the length of row r, with its bias.
func (v *params) squaredNorm(r int) float64 {
	squares := v.bias[r] * v.bias[r]
	for i := r; i < len(v.weights); i += v.columns {
		squares += v.weights[i] * v.weights[i]
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

// sumOver returns the sum of the losses of the rows for a document of class c.
func sumOver(scores []float64, c int, loss func(t, z float64) float64) float64 {
	var sum float64
	for r, z := range scores {
		sum += loss(target(len(scores), r, c), z)
	}
	return sum
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
