package models

import (
	"context"
	"fmt"
	"slices"

	"chaff/features"
)

// Counts is what naive Bayes learns from labelled documents: for each term and class the sum of its features. Documents
// can be added and removed. The models are pure functions of it. The index of a term is its id.
//
// Sums are exact: features are rounded to multiples of 2^-30, which no whole number needs, nor 1/sqrt(n) up to n = 16384. So the
// order of Add and Remove changes no bit, and Remove restores the bits from before Add, as long as the features of a class
// sum to less than 2^23: those of half a million L2-normalised messages.
type Counts struct {
	// Kind is the kind of feature that is summed.
	Kind features.Kind
	// Classes are the names of the K classes, and Documents has N_c, how many documents of each were added.
	Classes   []string
	Documents []int
	// Sums is n_cw, V x K, the classes of a term side by side.
	Sums []float64
	// Totals is n_c, the sum of Sums over all terms.
	Totals []float64
	// Known is how many terms have a sum.
	Known int
}

// NewCounts returns the Counts of no documents over the given number of terms.
func NewCounts(kind features.Kind, classes []string, terms int) *Counts {
	K := len(classes)
	return &Counts{Kind: kind, Classes: classes, Documents: make([]int, K), Sums: make([]float64, terms*K), Totals: make([]float64, K)}
}

// Count returns the Counts of all documents of d.
func Count(ctx context.Context, d *features.Dataset) (*Counts, error) {
	if _, err := countDocuments(d); err != nil {
		return nil, err
	}
	n := NewCounts(d.Kind, d.Classes, d.Terms)
	rows := d.Rows()
	for i, c := range d.Labels {
		if i%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		n.add(rows.Row(i), int(c), 1)
	}
	n.countKnown()
	return n, nil
}

// inSums returns a feature as sums add it, rounded to a multiple of 2^-30: numbers from 2^22 to 2^23 are no finer.
func inSums(f float32) float64 {
	const between = 1.5 * (1 << 22)
	return float64(f) + between - between
}

// terms returns V, the number of terms, known or not.
func (n *Counts) terms() int { return len(n.Sums) / len(n.Classes) }

func (n *Counts) resize(terms int) { n.Sums = resized(n.Sums, terms*len(n.Classes), 0) }

// of returns the K sums of term w, or nil for a term beyond the vocabulary.
func (n *Counts) of(w int) []float64 {
	K := len(n.Classes)
	if (w+1)*K > len(n.Sums) {
		return nil
	}
	return n.Sums[w*K:][:K]
}

// Add adds a document of class c. New ids enlarge the vocabulary.
func (n *Counts) Add(x features.Vector, c int) {
	if terms := termsOf(x); terms > n.terms() {
		n.resize(terms)
	}
	n.updateKnown(x, 1)
	n.add(x, c, 1)
}

// Remove removes a document that was added as one of class c. The vocabulary keeps its size. Removing more documents of a
// class than were added panics.
func (n *Counts) Remove(x features.Vector, c int) {
	if n.Documents[c] == 0 {
		panic(fmt.Sprintf("models: no document of class %q is left to remove", n.Classes[c]))
	}
	n.add(x, c, -1)
	n.updateKnown(x, -1)
}

// add adds sign times a document of class c, and leaves out Known: to ask which terms have no sum yet makes the processor
// wait for each of them.
func (n *Counts) add(x features.Vector, c, sign int) {
	n.Documents[c] += sign
	K, all := len(n.Classes), n.Sums
	var total, f float64
	var last float32 // consecutive terms often have the same value
	for i, w := range x.IDs {
		if v := x.Values[i]; v != last {
			last, f = v, float64(sign)*inSums(v)
		}
		total += f
		all[int(w)*K+c] += f
	}
	n.Totals[c] += total
}

// updateKnown adds by to Known for each term of x that has no sum: 1 before x is added, and -1 after x is removed.
func (n *Counts) updateKnown(x features.Vector, by int) {
	for _, w := range x.IDs {
		if !hasSum(n.of(int(w))) {
			n.Known += by
		}
	}
}

func (n *Counts) countKnown() {
	n.Known = 0
	for w := range n.terms() {
		if hasSum(n.of(w)) {
			n.Known++
		}
	}
}

func hasSum(sums []float64) bool {
	for _, ncw := range sums {
		if ncw != 0 {
			return true
		}
	}
	return false
}

// resized returns a list with n entries, the new ones being value.
func resized[T any](list []T, n int, value T) []T {
	list = slices.Grow(list, max(0, n-len(list)))
	for len(list) < n {
		list = append(list, value)
	}
	return list[:n]
}

// termsOf returns the size of the smallest vocabulary that has all terms of x.
func termsOf(x features.Vector) int {
	if len(x.IDs) == 0 {
		return 0
	}
	return int(slices.Max(x.IDs)) + 1
}

// areDocuments reports whether sums are numbers of documents.
func (n *Counts) areDocuments() bool {
	return n.Kind == features.Bits || n.Kind == features.HeadBits || n.Kind == features.Whole
}

func (n *Counts) termSize() int {
	if n.areDocuments() {
		return 4 * len(n.Classes)
	}
	return 8 * len(n.Classes)
}

func (n *Counts) globals(c *codec) {
	c.ints(n.Documents)
	c.floats(n.Totals)
	c.int(&n.Known)
}

func (n *Counts) term(c *codec, w int) {
	sums := n.of(w)
	if !n.areDocuments() {
		c.floats(sums)
		return
	}
	for k := range sums {
		documents := uint32(sums[k])
		c.uint32(&documents)
		sums[k] = float64(documents)
	}
}

// linear returns the model with the given biases, and for each term the weights that the function makes of its sums.
func (n *Counts) linear(beta []float64, weights func(dst, ncw []float64)) (*Linear, error) {
	return newLinear(beta, n.terms(), func(dst []float64, w int) { weights(dst, n.of(w)) })
}
