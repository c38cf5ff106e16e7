package models

import (
	"math"

	"chaff/features"
)

// side is a number for the documents on each side of a row: [1] for those of its class, [0] for all others.
type side [2]float64

// sideOf is the side of row r, of n rows, that a document of class c is on.
func sideOf(n, r, c int) int {
	if target(n, r, c) > 0 {
		return 1
	}
	return 0
}

// sides are the sums of features on both sides of R rows, and the log odds of multinomial naive Bayes that they give.
type sides struct {
	n         int     // R
	smoothing float64 // a, above 0
	terms     []side  // V x R: n0_w and n1_w
	totals    []side  // R: n0 and n1
	known     int     // the terms that a document has
}

func newSides(n int, smoothing float64) *sides {
	return &sides{n: n, smoothing: smoothing, totals: make([]side, n)}
}

// grow makes room for terms up to the given number.
func (s *sides) grow(terms int) {
	for len(s.terms) < terms*s.n {
		s.terms = append(s.terms, side{})
	}
}

// add counts a document of class c.
func (s *sides) add(x features.Vector, c int) {
	for i, w := range x.IDs {
		f, cells := float64(x.Values[i]), s.terms[int(w)*s.n:][:s.n]
		if cells[0] == (side{}) {
			s.known++
		}
		for r := range cells {
			at := sideOf(s.n, r, c)
			cells[r][at] += f
			s.totals[r][at] += f
		}
	}
}

// gone is the sum below which nothing but rounding is left of a term.
const gone = 1e-9

// logOdds is nb(f) of a document in row r. without is how often the document itself is taken off each side first: not at
// all, or once on its own. The logarithm of the totals is the same for all terms.
func (s *sides) logOdds(r int, x features.Vector, without side) float64 {
	a, totals := s.smoothing, s.totals[r]
	var odds, length float64 // length: of the terms that count
	for i, w := range x.IDs {
		f, n := float64(x.Values[i]), s.terms[int(w)*s.n+r]
		for at := range n {
			n[at] = max(0, n[at]-without[at]*f)
			totals[at] -= without[at] * f
		}
		if n[0]+n[1] < gone {
			continue
		}
		odds += f * math.Log((a+n[1])/(a+n[0]))
		length += f
	}
	if length == 0 {
		return 0
	}
	return odds + length*s.ofTotals(totals)
}

// ofTotals is log((aV + n0) / (aV + n1)), for a vocabulary that is not empty.
func (s *sides) ofTotals(n side) float64 {
	aV := s.smoothing * float64(s.known)
	return math.Log((aV + max(0, n[0])) / (aV + max(0, n[1])))
}

// weight is what f_w is multiplied by in nb(f), for row r.
func (s *sides) weight(r, w int) float64 {
	n := s.terms[w*s.n+r]
	if n[0]+n[1] < gone {
		return 0
	}
	return math.Log((s.smoothing+n[1])/(s.smoothing+n[0])) + s.ofTotals(s.totals[r])
}
