package metrics

import "math"

// HM returns hm%, ham lost: the percentage of ham (class 0) predicted spam (class 1). It is not defined without ham.
//
//	hm% = 100 * ham predicted spam / ham
//
// Source: TREC 2005 Spam Track Overview ("ham misclassification").
func (c Confusion) HM() (percent float64, defined bool) { return percentOf(c[0][1], c.Of(0)) }

// SM returns sm%, spam let through: the percentage of spam predicted ham. It is not defined without spam.
//
//	sm% = 100 * spam predicted ham / spam
//
// Source: TREC 2005 Spam Track Overview ("spam misclassification").
func (c Confusion) SM() (percent float64, defined bool) { return percentOf(c[1][0], c.Of(1)) }

// LAM returns lam%, the logistic average of the two errors. It is not defined without ham or without spam.
//
//	lam% = 100 * invlogit((logit hm + logit sm) / 2)    with logit p = log(p/(1-p))
//
// Source: TREC 2005 Spam Track Overview ("logistic average misclassification"). A rate of 0 or 1 has an infinite logit, so both rates
// are smoothed:
//
//	(errors + 0.5) / (messages + 1)
//
// The live challenge of CEAS 2007 used (errors + 0.5) / (messages + 0.5), which is 1 if everything is wrong.
func (c Confusion) LAM() (percent float64, defined bool) {
	if c.Of(0) == 0 || c.Of(1) == 0 {
		return 0, false
	}
	hm := (float64(c[0][1]) + 0.5) / (float64(c.Of(0)) + 1)
	sm := (float64(c[1][0]) + 0.5) / (float64(c.Of(1)) + 1)
	return 100 * invlogit((logit(hm)+logit(sm))/2), true
}

func logit(p float64) float64 { return math.Log(p) - math.Log1p(-p) }

func invlogit(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

func percentOf(count, n int) (percent float64, defined bool) {
	if n == 0 {
		return 0, false
	}
	return 100 * float64(count) / float64(n), true
}
