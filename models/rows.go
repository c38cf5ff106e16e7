package models

import (
	"math"

	"chaff/features"
)

// rows are weights while they are learnt: R rows over V terms and R biases, in float64. Two classes need one row, the
// score of class 1 over class 0 as in [Linear]; more classes have a row each.
type rows struct {
	n       int       // R
	form    Form      // how they become scores
	bias    []float64 // R x the biases of the form
	weights []float64 // V x R: the weight of term w in row r is weights[w*n+r]
}

func newRows(n, terms int) *rows {
	return &rows{n: n, bias: make([]float64, n), weights: make([]float64, n*terms)}
}

// newFormRows returns rows of the given form.
func newFormRows(f Form, n, terms int) *rows {
	return &rows{n: n, form: f, bias: make([]float64, n*f.biases()), weights: make([]float64, n*terms)}
}

// rowsOf is R for K classes.
func rowsOf(classes int) int {
	if classes == 2 {
		return 1
	}
	return classes
}

// scores returns the R scores of x in the memory of dst, which has R entries.
func (v *rows) scores(dst []float64, x features.Vector) []float64 {
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

// add adds step times x to row r, and step to its bias: the bias is the weight of a feature that is always 1. Through the
// origin there is none.
func (v *rows) add(r int, x features.Vector, step float64, origin bool) {
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

// grow makes room for terms up to the given number, whose weights are value.
func (v *rows) grow(terms int, value float64) {
	for len(v.weights) < terms*v.n {
		v.weights = append(v.weights, value)
	}
}

// addAll adds step times u to v.
func (v *rows) addAll(u *rows, step float64) {
	for r := range v.bias {
		v.bias[r] += step * u.bias[r]
	}
	for i := range v.weights {
		v.weights[i] += step * u.weights[i]
	}
}

// set makes v equal to u.
func (v *rows) set(u *rows) {
	copy(v.bias, u.bias)
	copy(v.weights, u.weights)
}

// clear makes all weights 0.
func (v *rows) clear() {
	clear(v.bias)
	clear(v.weights)
}

// norm is the Euclidean length of row r, its bias included.
func (v *rows) norm(r int) float64 {
	squares := v.bias[r] * v.bias[r]
	for i := r; i < len(v.weights); i += v.n {
		squares += v.weights[i] * v.weights[i]
	}
	return math.Sqrt(squares)
}

// linear returns the weights as a model of K classes. Of two rows for two classes it keeps the difference.
func (v *rows) linear(classes int) (*Linear, error) {
	l := &Linear{Classes: classes, Terms: len(v.weights) / v.n, Form: v.form}
	if classes == 2 && v.n == 2 {
		l.Bias = []float64{v.bias[1] - v.bias[0]}
		l.Weights = make([]float32, l.Terms)
		for w := range l.Weights {
			l.Weights[w] = float32(v.weights[2*w+1] - v.weights[2*w])
		}
	} else {
		l.Bias = append(l.Bias, v.bias...)
		l.Weights = make([]float32, len(v.weights))
		for i, weight := range v.weights {
			l.Weights[i] = float32(weight)
		}
	}
	if err := l.Validate(); err != nil {
		return nil, err
	}
	return l, nil
}

// squaredNorm is the square of the length of x, with 1 for the feature of the bias unless there is none.
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

// target is t of a document of class c for one of n rows: +1 if the row speaks for the class, else -1. A single row speaks
// for class 1; of more rows each speaks for its class against all others (cs440 lecture 16, "Multi-class perceptrons":
// "One-vs-others framework").
func target(n, r, c int) float64 {
	if n == 1 && c == 1 || n > 1 && r == c {
		return 1
	}
	return -1
}

// predicted is the class that scores of n rows speak for; see [Linear.Predict] for ties.
func predicted(scores []float64) int {
	if len(scores) > 1 {
		return Argmax(scores)
	}
	if scores[0] > 0 {
		return 1
	}
	return 0
}
