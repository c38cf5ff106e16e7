package models

import (
	"context"
	"errors"
	"fmt"
	"math"
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
	if _, err := checkDocuments(d); err != nil {
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
	for w := range n.terms() {
		if hasSum(n.of(w)) {
			n.Known++
		}
	}
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

func hasSum(sums []float64) bool {
	for _, ncw := range sums {
		if ncw != 0 {
			return true
		}
	}
	return false
}

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

func (n *Counts) term(c *codec, w int) {
	sums := n.of(w)
	if !n.areDocuments() {
		listAll(c, sums)
		return
	}
	for k := range sums {
		documents := uint32(sums[k])
		c.list(&documents)
		sums[k] = float64(documents)
	}
}

// countTrainer is a trainer whose model is a function of [Counts]: naive Bayes and the baselines.
type countTrainer interface {
	settings
	// biases returns the K biases.
	biases(n *Counts) []float64
	// weigh writes the K weights of a term, one of V, given its sums n_cw.
	weigh(dst, ncw []float64, n *Counts, V float64)
}

// counting is the learner of a [countTrainer]. It takes logarithms when weights are asked for, so that learning is counting only.
type counting struct {
	*Counts
	trainer countTrainer
	absent  *absentTerms // for Bernoulli
	whole   bool         // the vocabulary has all terms that there are, as in training, and not only those with a sum
	beta    []float64    // of the whole vocabulary
}

func newCounting(m countTrainer, classes []string, terms int) *counting {
	kind, _ := m.shared().kind() // Validate checked it
	return &counting{Counts: NewCounts(kind, classes, terms), trainer: m}
}

func (l *counting) learn(_ int, x features.Vector, c int) bool {
	l.absent.add(l.Counts, x.IDs, -1)
	l.Add(x, c)
	l.absent.add(l.Counts, x.IDs, 1)
	return true
}

func (l *counting) forget(x features.Vector, c int) {
	l.absent.add(l.Counts, x.IDs, -1)
	l.Remove(x, c)
	l.absent.add(l.Counts, x.IDs, 1)
}

func (l *counting) shape() shape {
	K, bytes := len(l.Classes), 8
	if l.areDocuments() {
		bytes = 4
	}
	return shape{rows: K, terms: l.terms(), bytes: K * bytes}
}

func (l *counting) biases() []float64 {
	switch {
	case l.whole:
		return l.beta
	case l.absent != nil:
		return l.absent.biases(l.Counts)
	}
	return l.trainer.biases(l.Counts)
}

func (l *counting) model(dst []float64, terms []uint32) {
	V, K := float64(l.Known), len(l.Classes)
	if l.whole {
		V = float64(l.terms())
	}
	for i, w := range terms {
		if ncw := l.of(int(w)); l.whole || hasSum(ncw) {
			l.trainer.weigh(dst[i*K:][:K], ncw, l.Counts, V)
		} else {
			clear(dst[i*K:][:K])
		}
	}
}

func (l *counting) globals(c *codec) {
	listAll(c, l.Documents)
	listAll(c, l.Totals)
	c.list(&l.Known)
	l.absent.list(c)
}

// trainCounts trains a model on d. With a name, d must have the kind that m takes.
func trainCounts(ctx context.Context, m countTrainer, d *features.Dataset, name string) (*Linear, Report, *Counts, error) {
	if err := m.Validate(); err != nil {
		return nil, Report{}, nil, err
	}
	if kind, _ := m.shared().kind(); name != "" {
		if err := checkKind(name, d, kind); err != nil {
			return nil, Report{}, nil, err
		}
	}
	l := m.newLearner(d.Classes, 0, 0).(*counting)
	warnings, err := checkDocuments(d)
	if err != nil {
		return nil, Report{}, nil, err
	}
	if l.Counts, err = Count(ctx, d); err != nil {
		return nil, Report{}, nil, err
	}
	l.beta, l.whole = m.biases(l.Counts), true
	linear, err := linearOf(l, len(d.Classes), d.Workers)
	l.whole = false
	l.absent.add(l.Counts, listOrder[uint32](l.terms()), 1)
	return linear, Report{Warnings: warnings, Learned: &Online{learner: l, classes: len(d.Classes)}}, l.Counts, err
}

// The range of smoothing other than 0. The minimum is that of scikit-learn: with less, the estimates of unseen terms would
// be dominated by rounding. At the maximum all estimates are practically equal.
const (
	minSmoothing = 1e-10
	maxSmoothing = 1e6
)

func validateBayes(smoothing float64, prior string) error {
	var errs []error
	if smoothing != 0 && !(smoothing >= minSmoothing && smoothing <= maxSmoothing) { // also refuses NaN
		errs = append(errs, fmt.Errorf("smoothing is %v: must be 0, or from %v to %v", smoothing, minSmoothing, maxSmoothing))
	}
	return errors.Join(append(errs, checkChoice("prior", prior, PriorLearned, PriorUniform))...)
}

// floor is how close to 0 and 1 an estimate comes when smoothing is 0, so that its logarithm is finite.
const floor = minSmoothing

// logEstimate returns the logarithm of an estimate. Without smoothing a the estimate is clipped to floor and 1 - floor.
func logEstimate(estimate, a float64) float64 {
	if a == 0 {
		estimate = min(max(floor, estimate), 1-floor)
	}
	return math.Log(estimate)
}
