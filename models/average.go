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
	*params           // w_n and, with the mean, s_n in the next R columns
	read    int       // n, the documents read so far
	origin  bool      // no bias
	now     []float64 // R: the scores of the document that was read last
}

func newAveraged(p Passes, s Steps, R, terms int, mean bool) averaged {
	columns := R
	if mean {
		columns = 2 * R
	}
	a := averaged{params: newColumns(R, columns, terms), origin: p.ThroughOrigin}
	if s.Start == StartRandom {
		a.randomise(p.Seed, p.ThroughOrigin)
	}
	return a
}

// next reads the next document and returns the scores of its rows.
func (a *averaged) next(x features.Vector) []float64 {
	a.read++
	a.now = a.scores(a.now, x)
	return a.now
}

// step adds step times x to row r, at the document that was read last.
func (a *averaged) step(r int, x features.Vector, step float64) {
	a.add(r, x, step, a.origin)
	if a.columns > a.n {
		a.add(a.n+r, x, step*float64(a.read-1), a.origin)
	}
}

func (a *averaged) biases() []float64 {
	mean := make([]float64, a.n)
	a.writeMean(mean, a.bias)
	return mean
}

func (a *averaged) model(dst []float64, terms []uint32) {
	for i, w := range terms {
		a.writeMean(dst[i*a.n:][:a.n], a.weights[int(w)*a.columns:][:a.columns])
	}
}

// writeMean writes the mean of the weights of a term, or the weights without the mean.
func (a *averaged) writeMean(dst, columns []float64) {
	copy(dst, columns)
	for r := 0; a.columns > a.n && a.read > 0 && r < a.n; r++ {
		dst[r] += -1 / float64(a.read) * columns[a.n+r]
	}
}

func (a *averaged) globals(c *codec) {
	c.list(&a.read)
	a.params.globals(c)
}
