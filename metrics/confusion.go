package metrics

import (
	"fmt"
	"math"
)

// Confusion is a confusion matrix, K x K: the row is the true class, the column the predicted class.
type Confusion [][]int

// NewConfusion counts messages by their labels and predictions.
func NewConfusion(labels, predictions []int32, classes int) Confusion {
	mustMatch(len(labels), len(predictions))
	c := make(Confusion, classes)
	for i := range c {
		c[i] = make([]int, classes)
	}
	for i, label := range labels {
		c[label][predictions[i]]++
	}
	return c
}

// Messages returns the number of messages.
func (c Confusion) Messages() int {
	n := 0
	for class := range c {
		n += c.Of(class)
	}
	return n
}

// Of returns how many messages are of the given class.
func (c Confusion) Of(class int) int {
	n := 0
	for _, count := range c[class] {
		n += count
	}
	return n
}

// TakenFor returns how many messages were predicted to be of the given class.
func (c Confusion) TakenFor(class int) int {
	n := 0
	for _, row := range c {
		n += row[class]
	}
	return n
}

// Correct returns how many messages were predicted correctly: the sum of the diagonal.
func (c Confusion) Correct() int {
	n := 0
	for class, row := range c {
		n += row[class]
	}
	return n
}

// Accuracy returns the share of messages predicted correctly, 0..1; without messages, 0.
func (c Confusion) Accuracy() float64 {
	n := c.Messages()
	if n == 0 {
		return 0
	}
	return float64(c.Correct()) / float64(n)
}

// ClassFigures are the figures of one class. Percentages are 0..100, and nil if they are not defined.
type ClassFigures struct {
	// Messages is how many messages are of the class.
	Messages int `json:"messages"`
	// Precision is the percentage of the messages predicted to be of the class that are. It needs such a prediction.
	Precision *float64 `json:"precision,omitempty"`
	// Recall is the percentage of the messages of the class that are predicted to be. It needs a message of the class.
	Recall *float64 `json:"recall,omitempty"`
	// F1 is the harmonic mean of both. It needs a message or a prediction of the class.
	F1 *float64 `json:"f1,omitempty"`
}

// Class returns the figures of one class.
//
//	precision = correct / predicted to be of the class
//	recall    = correct / of the class
//	F1        = 2 * correct / (of the class + predicted to be of it)
//
// F1 equals 2 * precision * recall / (precision + recall), and 0 where one of the two is not defined. Source: C. J. van
// Rijsbergen 1979.
func (c Confusion) Class(i int) ClassFigures {
	correct, of, takenFor := c[i][i], c.Of(i), c.TakenFor(i)
	return ClassFigures{
		Messages:  of,
		Precision: orNil(percentOf(correct, takenFor)),
		Recall:    orNil(percentOf(correct, of)),
		F1:        orNil(percentOf(2*correct, of+takenFor)),
	}
}

func mustMatch(a, b int) {
	if a != b {
		panic(fmt.Sprintf("metrics: slices of %d and %d messages", a, b))
	}
}

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
