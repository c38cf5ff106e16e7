package models

import (
	"fmt"
	"iter"
	"math"
	"slices"

	"chaff/features"
	"chaff/internal/evidence"
)

// Linear is K scores over V terms,
//
//	score_c(f) = beta_c + sum over w of alpha_cw * f_w
//
// and predicts the class with the highest. Source: cs440 lecture 16, "Linear Classifiers in General". With a [Form] the products
// are added in groups, each of which is bounded.
//
// Only differences of scores matter. So two classes need one row of weights, class 1 minus class 0. Their score is the log
// odds of class 1 when the scores are log probabilities.
//
// Weights are float32, which halves the model file and the memory that classifying reads. They are rounded when the Linear is
// made, so that a saved model has the same scores to the last bit. Sums are float64, in ascending order of terms.
type Linear struct {
	// Classes is K, at least 2.
	Classes int
	// Terms is V.
	Terms int
	// Bias is beta, one per row. With a form each of its members has one, those of a row side by side.
	Bias []float64
	// Weights is alpha, V x rows: the weight of term w in row r is Weights[w*Rows()+r].
	Weights []float32
	// Form is how the products become a score; nil is the affine form above.
	Form Form `json:",omitempty"`
}

// NewLinear returns the Linear with the given bias (K) and weights (K x V). Of two classes it keeps the difference. A
// stored number that is not finite is an error that wraps [ErrNotFinite]. Tables of lengths that do not match, or fewer
// than two classes, panic.
func NewLinear(bias []float64, weights [][]float64) (*Linear, error) {
	K := len(bias)
	if K < 2 || len(weights) != K {
		panic(fmt.Sprintf("models: %d biases with %d rows of weights", K, len(weights)))
	}
	v := newParams(K, len(weights[0]))
	copy(v.bias, bias)
	for c, row := range weights {
		if len(row) != v.terms() {
			panic(fmt.Sprintf("models: row %d has %d weights, row 0 has %d", c, len(row), v.terms()))
		}
		for w, weight := range row {
			v.weights[w*K+c] = weight
		}
	}
	return linearOf(v, K, 1)
}

// linearOf returns the model of K classes with the weights of v. Of two classes with a row each it keeps the difference.
func linearOf(v weighted, classes, workers int) (*Linear, error) {
	shape := v.shape()
	l := &Linear{Classes: classes, Terms: shape.terms, Form: shape.form, Bias: slices.Clone(v.biases())}
	isDifference := classes == 2 && shape.rows == 2
	if isDifference {
		l.Bias = []float64{l.Bias[1] - l.Bias[0]}
	}
	rows := l.Rows()
	l.Weights = make([]float32, l.Terms*rows)
	eachWindow(v, workers, func(first int, weights []float64) {
		dst := l.Weights[first*rows:][:len(weights)/shape.rows*rows]
		for i := range dst {
			if isDifference {
				dst[i] = float32(weights[2*i+1] - weights[2*i])
			} else {
				dst[i] = float32(weights[i])
			}
		}
	})
	if err := l.Validate(); err != nil {
		return nil, err
	}
	return l, nil
}

// Rows returns the number of rows of weights: 1 for two classes, else K.
func (l *Linear) Rows() int { return rowCount(l.Classes) }

func rowCount(classes int) int {
	if classes == 2 {
		return 1
	}
	return classes
}

// Validate returns an error if the lengths do not agree or a number is not finite, which wraps [ErrNotFinite]. Trainers
// return valid models.
func (l *Linear) Validate() error {
	if err := l.ValidateLengths(); err != nil {
		return err
	}
	for r, beta := range l.Bias {
		if math.IsNaN(beta) || math.IsInf(beta, 0) {
			return fmt.Errorf("bias %d is %v: %w", r, beta, ErrNotFinite)
		}
	}
	rows := l.Rows()
	for i, alpha := range l.Weights {
		if alpha-alpha != 0 { // NaN unless alpha is finite
			return fmt.Errorf("weight %d of term %d is %v: %w", i%rows, i/rows, alpha, ErrNotFinite)
		}
	}
	return nil
}

// ValidateLengths returns an error if the lengths do not agree, a group is in two members, or a bound is not finite. It is for a file whose weights were checked
// when it was written, and which classifies a single message.
func (l *Linear) ValidateLengths() error {
	if l.Classes < 2 {
		return fmt.Errorf("linear model of %d classes: must have at least 2", l.Classes)
	}
	next := 0
	for i, m := range l.Form {
		for _, b := range append([]Bounds{m.Bounds}, m.Groups...) {
			for _, bound := range []float64{b.Below, b.Above} {
				if !(bound >= 0 && bound <= math.MaxFloat32) { // also refuses NaN
					return fmt.Errorf("member %d has the bound %v", i, bound)
				}
			}
		}
		last := int(m.First) + len(m.Groups) - 1
		if int(m.First) < next || last < int(m.First) || last >= evidence.Groups {
			return fmt.Errorf("member %d has the groups %d to %d", i, m.First, last)
		}
		next = last + 1
	}
	rows := l.Rows()
	if want := rows * l.Form.members(); len(l.Bias) != want {
		return fmt.Errorf("linear model of %d classes with %d biases: must have %d", l.Classes, len(l.Bias), want)
	}
	// Division, since a damaged number of terms times the rows could overflow.
	if l.Terms < 0 || len(l.Weights)%rows != 0 || len(l.Weights)/rows != l.Terms {
		return fmt.Errorf("linear model of %d terms with %d weights: must have %d for each term", l.Terms, len(l.Weights), rows)
	}
	return nil
}

// Score returns the score of class 1 over class 0, which is the log odds of class 1 with naive Bayes. It panics for another
// number of classes than two and for a term beyond the vocabulary.
func (l *Linear) Score(x features.Vector) float64 {
	if l.Classes != 2 {
		panic(fmt.Sprintf("models: Score of %d classes", l.Classes))
	}
	var z [1]float64
	return scoresOf(z[:], x, l.Weights, 1, l.Bias, l.Form)[0]
}

// Scores returns the K scores of x, in the memory of dst if that suffices. Of two classes the first has the score 0 and
// the second that of [Linear.Score].
func (l *Linear) Scores(dst []float64, x features.Vector) []float64 {
	dst = slices.Grow(dst[:0], l.Classes)[:l.Classes]
	if l.Classes == 2 {
		dst[0], dst[1] = 0, l.Score(x)
		return dst
	}
	return scoresOf(dst, x, l.Weights, l.Classes, l.Bias, l.Form)
}

// scoresOf writes the scores of the rows to dst. A term has so many columns, the first of which are its weights in the rows. Sums are in
// ascending order of terms, so that they are the same to the last bit for the same document.
func scoresOf[T float32 | float64](dst []float64, x features.Vector, weights []T, columns int, bias []float64, form Form) []float64 {
	if len(form) > 0 {
		for r := range dst {
			s := groupSums(x, weights, columns, r)
			dst[r] = 0
			for m, member := range form {
				bounded, _ := member.Bounds.within(member.sum(bias[r*len(form)+m], &s))
				dst[r] += bounded
			}
		}
		return dst
	}
	copy(dst, bias)
	values := x.Values[:len(x.IDs)]
	if len(dst) == 1 {
		var sum float64
		for i, w := range x.IDs {
			sum += float64(values[i]) * float64(weights[int(w)*columns])
		}
		dst[0] += sum
		return dst
	}
	for i, w := range x.IDs {
		f := float64(values[i])
		for r, weight := range weights[int(w)*columns:][:len(dst)] {
			dst[r] += f * float64(weight)
		}
	}
	return dst
}

// Contributions returns the contribution of each term of x, in the order of x, and that of the biases to the score of class c over class k. They
// sum to it. The terms of a bounded group, and the groups and the bias of a bounded member, share the bounded sum in proportion.
func (l *Linear) Contributions(x features.Vector, c, k int) (terms []float64, bias float64) {
	terms, rows := make([]float64, len(x.IDs)), l.Rows()
	for r, sign := range l.over(c, k) {
		var left [evidence.Groups]float64 // the share of the products of each group that its bounds leave
		if len(l.Form) == 0 {
			bias += sign * l.Bias[r]
			for g := range left {
				left[g] = 1
			}
		}
		s := groupSums(x, l.Weights, rows, r)
		for m, member := range l.Form {
			b := l.Bias[r*len(l.Form)+m]
			ofMember := member.Bounds.ratio(member.sum(b, &s))
			bias += sign * ofMember * b
			for i, bounds := range member.Groups {
				g := int(member.First) + i
				left[g] = ofMember * bounds.ratio(s[g])
			}
		}
		for i, w := range x.IDs {
			g := evidence.Group(0)
			if x.Groups != nil {
				g = x.Groups[i]
			}
			terms[i] += sign * float64(x.Values[i]) * float64(l.Weights[int(w)*rows+r]) * left[g]
		}
	}
	return terms, bias
}

// WeightOver returns the weight of term w for class c over class k.
func (l *Linear) WeightOver(w, c, k int) (weight float64) {
	for r, sign := range l.over(c, k) {
		weight += sign * float64(l.Weights[w*l.Rows()+r])
	}
	return weight
}

// over returns the rows that make the score of class c over class k, with their signs. The only row of two classes is that of class 1.
func (l *Linear) over(c, k int) iter.Seq2[int, float64] {
	return func(yield func(r int, sign float64) bool) {
		if l.Rows() == 1 {
			yield(0, float64(c-k))
			return
		}
		_ = yield(c, 1) && yield(k, -1)
	}
}

// Predict returns the class with the highest score, of equal ones the first. With ham as class 0 and spam as class 1 a tie
// goes to ham, since losing ham costs more.
func (l *Linear) Predict(x features.Vector) int {
	var few [16]float64 // avoids an allocation for up to 16 classes
	return Argmax(l.Scores(few[:0], x))
}

// Argmax returns the index of the highest score, of equal ones the first: the class that [Linear.Predict] returns.
func Argmax(scores []float64) int {
	best := 0
	for c, score := range scores {
		if score > scores[best] {
			best = c
		}
	}
	return best
}

// Rival returns the class other than c with the highest score, of equal ones the first.
func Rival(scores []float64, c int) int {
	best := -1
	for k, z := range scores {
		if k != c && (best < 0 || z > scores[best]) {
			best = k
		}
	}
	return best
}
