package models

import "chaff/features"

// averaged are rows that change with each document, and if asked for, their mean over all documents read so far:
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
	*rows
	late   *rows // s_n; nil if no mean is asked for
	read   int   // n, the documents read so far
	origin bool  // no bias
}

func newAveraged(start *rows, average, origin bool) averaged {
	a := averaged{rows: newRows(start.n, len(start.weights)/start.n), origin: origin}
	a.set(start)
	if average {
		a.late = newRows(start.n, len(start.weights)/start.n)
	}
	return a
}

// step adds step times x to row r, at the document that was read last.
func (a *averaged) step(r int, x features.Vector, step float64) {
	a.add(r, x, step, a.origin)
	if a.late != nil {
		a.late.add(r, x, step*float64(a.read-1), a.origin)
	}
}

// grow implements growing.
func (a *averaged) grow(terms int) {
	a.rows.grow(terms, 0)
	if a.late != nil {
		a.late.grow(terms, 0)
	}
}

// scoresNow implements growing: the scores of the mean, of the terms of the document alone.
func (a *averaged) scoresNow(dst []float64, x features.Vector) []float64 {
	dst = a.scores(room(dst, a.n), x)
	if a.late == nil || a.read == 0 {
		return dst
	}
	for r, z := range a.late.scores(make([]float64, a.n), x) {
		dst[r] -= z / float64(a.read)
	}
	return dst
}

// model writes the mean to dst, or the weights if no mean is asked for.
func (a *averaged) model(dst *rows) {
	dst.set(a.rows)
	if a.late != nil && a.read > 0 {
		dst.addAll(a.late, -1/float64(a.read))
	}
}
