package models

import "chaff/features"

// averaged are weights that change with each document and, on request, their mean over all documents read so far:
//
//	mean_n = 1/n * sum over m = 1..n of w_m        w_m: the weights after document m
//
// A step that is made at document m is in all later w, so it is in the mean by (n-m+1)/n. Hence
//
//	mean_n = w_n - s_n/n        s_n: sum of (m-1) * step over all steps, each made at its document m
//
// which costs an update twice the terms of its document, and never the vocabulary. Source: Y. Freund, R. E. Schapire:
// Large Margin Classification Using the Perceptron Algorithm (Machine Learning 37, 1999), section 2; M. Collins:
// Discriminative Training Methods for Hidden Markov Models (EMNLP 2002), section 2.5.
type averaged struct {
	*params
	stepSums *params   // s_n; nil without the mean
	read     int       // n, the documents read so far
	origin   bool      // no bias
	scratch  []float64 // R
}

func newAveraged(start *params, average, origin bool) averaged {
	a := averaged{params: start, origin: origin}
	if average {
		a.stepSums = start.sameShape(start.terms())
	}
	return a
}

// next reads the next document and returns the scores of its rows.
func (a *averaged) next(x features.Vector) []float64 {
	a.read++
	a.scratch = a.params.scores(a.scratch, x)
	return a.scratch
}

// step adds step times x to row r, at the document that was read last.
func (a *averaged) step(r int, x features.Vector, step float64) {
	a.add(r, x, step, a.origin)
	if a.stepSums != nil {
		a.stepSums.add(r, x, step*float64(a.read-1), a.origin)
	}
}

func (a *averaged) resize(terms int) {
	for _, v := range a.parts() {
		v.resize(terms)
	}
}

// scores computes the mean for the terms of the document only.
func (a *averaged) scores(dst []float64, x features.Vector) []float64 {
	dst = a.params.scores(dst, x)
	if a.stepSums == nil || a.read == 0 {
		return dst
	}
	for r, z := range a.stepSums.scores(nil, x) {
		dst[r] -= z / float64(a.read)
	}
	return dst
}

// model writes the mean to dst, or the weights without the mean.
func (a *averaged) model(dst *params, from int) {
	a.params.model(dst, from)
	if a.stepSums != nil && a.read > 0 {
		dst.addScaled(a.stepSums.window(from, len(dst.weights)), -1/float64(a.read))
	}
}

// parts returns w_n and, with the mean, s_n.
func (a *averaged) parts() []*params {
	if a.stepSums == nil {
		return []*params{a.params}
	}
	return []*params{a.params, a.stepSums}
}

func (a *averaged) termSize() int { return len(a.parts()) * a.params.termSize() }

func (a *averaged) globals(c *codec) {
	c.int(&a.read)
	for _, v := range a.parts() {
		v.globals(c)
	}
}

func (a *averaged) term(c *codec, w int) {
	for _, v := range a.parts() {
		v.term(c, w)
	}
}
