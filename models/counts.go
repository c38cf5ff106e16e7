package models

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"chaff/features"
	"chaff/internal/indices"
)

// countTrainer is a trainer whose model is a function of [counts]: naive Bayes and the baselines.
type countTrainer interface {
	settings
	// biases returns the K biases.
	biases(n *counts) []float64
	// weigh writes the K weights of a term, one of V, given its sums n_cw, of which at least one is not 0.
	weigh(dst, ncw []float64, n *counts, V float64)
}

// counts is the learner of a [countTrainer]: for each term and class it has the sum of the features of the documents. Documents can be
// learned and forgotten. Logarithms are taken when weights are asked for. The index of a term is its id.
//
// Sums are exact: features are rounded to multiples of 2^-30, which no whole number needs, nor 1/sqrt(n) up to n = 16384. So the
// order of learn and forget changes no bit, and forget restores the bits from before learn, as long as the features of a class
// sum to less than 2^23: those of half a million L2-normalised messages.
type counts struct {
	trainer   countTrainer
	kind      features.Kind // of the features that are summed
	classes   []string
	documents []int         // N_c
	sums      []float64     // n_cw, V x K, the classes of a term side by side
	totals    []float64     // n_c, the sum of the sums of all terms
	known     int           // how many terms have a sum
	tallies   []map[int]int // for Bernoulli, K: how many known terms have n_cw = n, by n; each above 0
}

func newCounts(m countTrainer, d *features.Dataset) *counts {
	K := len(d.Classes)
	return &counts{trainer: m, kind: d.Kind, classes: d.Classes, documents: make([]int, K), sums: make([]float64, d.Terms*K), totals: make([]float64, K)}
}

// trainCounts trains a model on d, which must be of one of the given kinds; of any if there are none. Its learner is a [counts].
func trainCounts(ctx context.Context, m countTrainer, d *features.Dataset, kinds ...features.Kind) (*Linear, Report, error) {
	warnings, err := check(m, d, kinds...)
	if err != nil {
		return nil, Report{}, err
	}
	n := m.newLearner(d).(*counts)
	add := func(_ int, x features.Vector, c int) { n.add(x, c, 1) }
	if err := (sorted{Dataset: d}).each(ctx, indices.Below[int32](d.Len()), nil, add); err != nil { // sums are exact in any order
		return nil, Report{}, err
	}
	n.note(indices.Below[uint32](d.Terms), 1)
	linear, err := linearOf(n, len(d.Classes), d.Workers)
	return linear, Report{Warnings: warnings, Learned: &Online{learner: n, classes: len(d.Classes)}}, err
}

// inSums returns a feature as sums add it, rounded to a multiple of 2^-30: numbers from 2^22 to 2^23 are no finer.
func inSums(f float32) float64 {
	const between = 1.5 * (1 << 22)
	return float64(f) + between - between
}

// add adds sign times a document of class c, and notes nothing: to ask which terms have no sum yet makes the processor
// wait for each of them.
func (n *counts) add(x features.Vector, c, sign int) {
	n.documents[c] += sign
	K, all := len(n.classes), n.sums
	var total, f float64
	var last float32 // consecutive terms often have the same value
	for i, w := range x.IDs {
		if v := x.Values[i]; v != last {
			last, f = v, float64(sign)*inSums(v)
		}
		total += f
		all[int(w)*K+c] += f
	}
	n.totals[c] += total
}

// note adds by, 1 or -1, to what is known of all terms for each of some terms that has a sum.
func (n *counts) note(ids []uint32, by int) {
	for _, w := range ids {
		ncw := n.of(int(w))
		if !hasSum(ncw) {
			continue
		}
		n.known += by
		for c, tally := range n.tallies {
			at := int(ncw[c])
			if tally[at] += by; tally[at] <= 0 {
				delete(tally, at)
			}
		}
	}
}

func (n *counts) learn(_ int, x features.Vector, c int) bool {
	n.change(x, c, 1)
	return true
}

// forget removes a document that was learned as one of class c. The vocabulary keeps its size. Forgetting more documents of a
// class than were learned panics.
func (n *counts) forget(x features.Vector, c int) {
	if n.documents[c] == 0 {
		panic(fmt.Sprintf("models: no document of class %q is left to forget", n.classes[c]))
	}
	n.change(x, c, -1)
}

// change adds sign times a document of class c to all that is known.
func (n *counts) change(x features.Vector, c, sign int) {
	n.note(x.IDs, -1)
	n.add(x, c, sign)
	n.note(x.IDs, 1)
}

// terms returns V, the number of terms, known or not.
func (n *counts) terms() int { return len(n.sums) / len(n.classes) }

func (n *counts) resize(terms int) { n.sums = resized(n.sums, terms*len(n.classes), 0) }

// of returns the K sums of term w.
func (n *counts) of(w int) []float64 { return n.sums[w*len(n.classes):][:len(n.classes)] }

func hasSum(sums []float64) bool {
	for _, ncw := range sums {
		if ncw != 0 {
			return true
		}
	}
	return false
}

func (n *counts) biases() []float64 { return n.trainer.biases(n) }

func (n *counts) model(dst []float64, terms []uint32) {
	V, K := float64(n.known), len(n.classes)
	for i, w := range terms {
		if ncw := n.of(int(w)); hasSum(ncw) {
			n.trainer.weigh(dst[i*K:][:K], ncw, n, V)
		} else {
			clear(dst[i*K:][:K])
		}
	}
}

// areDocuments reports whether sums are numbers of documents.
func (n *counts) areDocuments() bool {
	return n.kind == features.Bits || n.kind == features.HeadBits || n.kind == features.Whole
}

func (n *counts) shape() shape {
	K, bytes := len(n.classes), 8
	if n.areDocuments() {
		bytes = 4
	}
	return shape{rows: K, terms: n.terms(), bytes: K * bytes}
}

func (n *counts) term(c *codec, w int) {
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

// globals lists the tallies in the order of n. They are the larger part of what Bernoulli knows apart from terms, and most of
// their numbers are small.
func (n *counts) globals(c *codec) {
	listAll(c, n.documents)
	listAll(c, n.totals)
	c.list(&n.known)
	for _, tally := range n.tallies {
		all, size := slices.Sorted(maps.Keys(tally)), len(tally)
		c.varint(&size)
		if c.reading {
			clear(tally)
		}
		next := 0
		for i := 0; i < size && c.err == nil; i++ {
			var gap, terms int
			if !c.reading {
				gap, terms = all[i]-next, tally[all[i]]
			}
			c.varint(&gap)
			c.varint(&terms)
			if c.reading {
				tally[next+gap] = terms
			}
			next += gap + 1
		}
	}
}

// floor is how close to 0 and 1 an estimate comes when smoothing is 0, so that its logarithm is finite. It is the least smoothing too, as in
// scikit-learn: with less, the estimates of unseen terms would be dominated by rounding.
const floor = 1e-10

// logEstimate returns the logarithm of an estimate. Without smoothing a the estimate is clipped to floor and 1 - floor.
func logEstimate(estimate, a float64) float64 {
	if a == 0 {
		estimate = min(max(floor, estimate), 1-floor)
	}
	return math.Log(estimate)
}

// The priors.
const (
	PriorLearned = "learned" // pi_c = N_c/N
	PriorUniform = "uniform" // pi_c = 1/K
)

// logPrior returns log pi_c for each class.
//
//	pi_c = N_c/N    learned; cs440 lecture 16, "Learning P(C = c)"
//	pi_c = 1/K      uniform
//
// A learned prior takes a class without documents, which only online learners have, for one with half a document.
func logPrior(prior string, documents []int) []float64 {
	log := make([]float64, len(documents))
	var N float64
	for c, Nc := range documents {
		log[c] = max(float64(Nc), 0.5)
		N += log[c]
	}
	for c := range log {
		if prior == PriorUniform {
			log[c] = -math.Log(float64(len(log)))
		} else {
			log[c] = math.Log(log[c] / N)
		}
	}
	return log
}
