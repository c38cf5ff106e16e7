package models

import (
	"context"
	"fmt"
	"slices"

	"chaff/features"
	"chaff/internal/evidence"
)

// Counts is what naive Bayes learns from labelled documents: for each term and class the sum of its features. Documents
// can be added and removed, and two Counts can be merged. The models are pure functions of it; see [Bernoulli.Linear],
// [Multinomial.Linear] and [Complement.Linear].
//
// The index of a term is its id in a vocabulary, which Counts does not know. [Counts.Merge] maps the ids of one
// vocabulary to those of another.
//
// Sums are exact when features are whole numbers: the kinds bits, counts, head bits and whole, and evidence, whose
// features are rounded to multiples of 1/4096. The order of Add, Remove and Merge then changes no bit, and Remove restores
// the bits from before Add. The normalised kinds have fractions: their sums round by the order of the documents, and Remove
// restores them only up to rounding. [Counts.Exact] reports which of the two holds.
type Counts struct {
	// Kind is the kind of feature that is summed.
	Kind features.Kind
	// Classes are the names of the K classes, and Documents has N_c, how many documents of each were added.
	Classes   []string
	Documents []int
	// Sums is n_cw, V x K, the classes of a term side by side. Of the kind evidence it counts in units of 1/4096.
	Sums []float64
	// Totals is n_c, the sum of Sums over the terms of each group of evidence. Other kinds have the first group only.
	Totals [evidence.Groups][]float64
	// Known is how many terms of each group have a sum.
	Known [evidence.Groups]int
	// Groups is the group of each known term, V; nil but for evidence.
	Groups []evidence.Group
}

// unit is how many units a feature of 1 has in the sums of the kind evidence.
const unit = 1 << 12

// units returns a feature as a whole number of units.
func units(f float32) float64 { return float64(uint32(f*unit + 0.5)) }

// NewCounts returns the Counts of no documents over the given number of terms.
func NewCounts(kind features.Kind, classes []string, terms int) *Counts {
	n := &Counts{Kind: kind, Classes: classes, Documents: make([]int, len(classes)), Sums: make([]float64, terms*len(classes))}
	for g := range n.Totals {
		n.Totals[g] = make([]float64, len(classes))
	}
	if kind == features.Evidence {
		n.Groups = make([]evidence.Group, terms)
	}
	return n
}

// Count returns the Counts of all documents of d. It adds them in the order of their contents, since sums of fractions
// round by their order.
func Count(ctx context.Context, d *features.Dataset) (*Counts, error) {
	if _, err := countDocuments(d); err != nil {
		return nil, err
	}
	n := NewCounts(d.Kind, d.Classes, d.Terms)
	all := newSorted(d)
	err := all.each(ctx, all.order, func(x features.Vector, c int) { n.add(x, c, 1) })
	n.countKnown()
	return n, err
}

// Len returns V, the number of terms, known or not.
func (n *Counts) Len() int { return len(n.Sums) / len(n.Classes) }

// of returns the K sums of term w, or nil for a term beyond the vocabulary.
func (n *Counts) of(w int) []float64 {
	K := len(n.Classes)
	if (w+1)*K > len(n.Sums) {
		return nil
	}
	return n.Sums[w*K:][:K]
}

// Exact reports whether the sums are exact, so that Remove restores the bits from before Add.
func (n *Counts) Exact() bool {
	return n.Kind != features.NormalisedBits && n.Kind != features.NormalisedCounts
}

// Add adds a document of class c. New ids enlarge the vocabulary.
func (n *Counts) Add(x features.Vector, c int) {
	n.Grow(termsOf(x))
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
	K, all, inUnits := len(n.Classes), n.Sums, n.Kind == features.Evidence
	eachGroup(x, func(g evidence.Group, from, to int) {
		var total, f float64
		var last float32 // consecutive terms often have the same value
		values := x.Values[from:to]
		for i, w := range x.IDs[from:to] {
			if v := values[i]; v != last {
				if last, f = v, float64(sign)*float64(v); inUnits {
					f = float64(sign) * units(v)
				}
			}
			total += f
			all[int(w)*K+c] += f
			if inUnits {
				n.Groups[w] = g
			}
		}
		n.Totals[g][c] += total
	})
}

// updateKnown adds by to Known for each term of x that has no sum: 1 before x is added, and -1 after x is removed.
func (n *Counts) updateKnown(x features.Vector, by int) {
	for i, w := range x.IDs {
		if hasSum(n.of(int(w))) {
			continue
		}
		n.Known[groupAt(x, i)] += by
		if n.Groups != nil {
			n.Groups[w] = 0
		}
	}
}

// countKnown counts the terms that have a sum.
func (n *Counts) countKnown() {
	n.Known = [evidence.Groups]int{}
	for w := range n.Len() {
		if hasSum(n.of(w)) {
			n.Known[n.groupOf(w)]++
		}
	}
}

// groupOf returns the group of a term.
func (n *Counts) groupOf(w int) evidence.Group {
	if n.Groups == nil {
		return 0
	}
	return n.Groups[w]
}

// hasSum reports whether a term has a sum in any class.
func hasSum(sums []float64) bool {
	for _, ncw := range sums {
		if ncw != 0 {
			return true
		}
	}
	return false
}

// Merge adds the documents of m, whose term w is term idOf[w] here; nil stands for the same ids. Both must have the same
// kind of feature and the same classes in the same order.
func (n *Counts) Merge(m *Counts, idOf []uint32) error {
	if n.Kind != m.Kind || !slices.Equal(n.Classes, m.Classes) {
		return fmt.Errorf("merge counts of %v in the classes %q with counts of %v in the classes %q", n.Kind, n.Classes, m.Kind, m.Classes)
	}
	if idOf != nil && len(idOf) != m.Len() {
		return fmt.Errorf("merge counts: %d ids for %d terms", len(idOf), m.Len())
	}
	K := len(n.Classes)
	for c, Nc := range m.Documents {
		n.Documents[c] += Nc
	}
	for g := range n.Totals {
		for c, total := range m.Totals[g] {
			n.Totals[g][c] += total
		}
	}
	if idOf == nil {
		n.Grow(m.Len())
	}
	for w := range m.Len() {
		if !hasSum(m.of(w)) {
			continue
		}
		id := w
		if idOf != nil {
			id = int(idOf[w])
			n.Grow(id + 1)
		}
		if m.Groups != nil {
			n.Groups[id] = m.Groups[w]
		}
		for c, ncw := range m.of(w) {
			n.Sums[id*K+c] += ncw
		}
	}
	n.countKnown()
	return nil
}

// Grow enlarges the vocabulary to the given number of terms.
func (n *Counts) Grow(terms int) {
	n.Sums = grown(n.Sums, terms*len(n.Classes), 0)
	if n.Groups != nil {
		n.Groups = grown(n.Groups, terms, 0)
	}
}

// grown returns a list with at least n entries, the new ones being value.
func grown[T any](list []T, n int, value T) []T {
	for len(list) < n {
		list = append(list, value)
	}
	return list
}

// termsOf returns the size of the smallest vocabulary that has all terms of x.
func termsOf(x features.Vector) int {
	if len(x.IDs) == 0 {
		return 0
	}
	return int(slices.Max(x.IDs)) + 1
}

// sumTerms returns n_c. It adds the sums term by term: Totals has the same sums rounded by the order of the documents.
func (n *Counts) sumTerms() []float64 {
	all := make([]float64, len(n.Classes))
	for i, ncw := range n.Sums {
		all[i%len(all)] += ncw
	}
	return all
}

// state lists the numbers of n for a codec.
func (n *Counts) state(c *codec) {
	c.ints(n.Documents)
	c.floats(n.Sums)
	for g := range n.Totals {
		c.floats(n.Totals[g])
	}
	c.groups(n.Groups)
	n.countKnown()
}

// linear returns the model with the given biases, and for each term the weights that the function makes of its sums.
func (n *Counts) linear(beta []float64, weights func(dst, ncw []float64)) (*Linear, error) {
	return newLinear(beta, n.Len(), func(dst []float64, w int) { weights(dst, n.of(w)) })
}
