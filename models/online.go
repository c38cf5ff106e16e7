package models

import (
	"fmt"

	"chaff/features"
)

// Online learns from one document after the other, in the order they come, and can be asked between any two: a filter in
// use, which learns from corrections. Its vocabulary grows: an id that was not seen before is that of a new term. Source:
// cs446 lecture 4, "Why online learning?". It belongs to one goroutine.
type Online interface {
	// Learn learns that a document is of class c.
	Learn(x features.Vector, c int)
	// Scores returns the K scores of a document, in the memory of dst if that suffices: of two classes the first is 0, as
	// for [Linear]. Terms that were not learnt yet do not count.
	Scores(dst []float64, x features.Vector) []float64
}

// NewOnline returns the online learner of the model of the given name, which has learnt nothing, and the kind of feature it
// takes. When it has learnt n documents it scores as the model does that was trained on them: naive Bayes but for the
// rounding of weights, and what is trained in epochs as after one epoch in a fixed order, softmax regression with all of its
// penalties from the start. The hybrid does so only without its share of naive Bayes, and votes does not: trained, they have
// counted all documents before they learn from the first, and here only those that came before. What knows all documents beforehand is an error: class weights that are "balanced", methods that
// are "batch", weights that start at random, and complement naive Bayes that is normalised.
func (o Options) NewOnline(name string, classes []string) (Online, features.Kind, error) {
	trainer, kind, err := o.New(name, 0)
	if err != nil {
		return nil, 0, err
	}
	if len(classes) < 2 {
		return nil, 0, fmt.Errorf("one class only: %w", ErrOneClass)
	}
	maker, ok := trainer.(interface {
		online(classes []string) (Online, error)
	})
	if !ok {
		return nil, 0, fmt.Errorf("%s cannot learn from one message after the other", name)
	}
	online, err := maker.online(classes)
	if err != nil {
		return nil, 0, fmt.Errorf("%s learns from one message after the other: %w", name, err)
	}
	return online, kind, nil
}

// growing is a learner whose vocabulary grows.
type growing interface {
	learner
	// grow makes room for terms up to the given number.
	grow(terms int)
	// scoresNow writes the scores of the rows to dst, with the weights that model would write.
	scoresNow(dst []float64, x features.Vector) []float64
}

// onlineLearner is a learner of epochs that makes a single one, without end.
type onlineLearner struct {
	growing
	weights []float64 // by class
	terms   int       // V so far
}

// online makes a learner an online one, after checks of the settings that it does not take.
func (p Passes) online(classes []string, rest error, l growing) (Online, error) {
	if p.ClassWeights == WeightsBalanced {
		return nil, fmt.Errorf("class_weights is %q: the number of messages is not known", p.ClassWeights)
	}
	weights, err := classWeights(p.ClassWeights, classes, make([]int, len(classes)))
	if err != nil || rest != nil {
		return nil, firstOf(rest, err)
	}
	return &onlineLearner{growing: l, weights: weights}, nil
}

func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// Learn implements [Online].
func (l *onlineLearner) Learn(x features.Vector, c int) {
	for _, w := range x.IDs {
		l.terms = max(l.terms, int(w)+1)
	}
	l.grow(l.terms)
	l.learn(x, c, l.weights[c])
}

// Scores implements [Online].
func (l *onlineLearner) Scores(dst []float64, x features.Vector) []float64 {
	K := len(l.weights)
	dst = room(dst, K)
	x = upTo(x, l.terms)
	scores := l.scoresNow(dst, x)
	if K == 2 {
		z := scores[len(scores)-1]
		if len(scores) == 2 {
			z -= scores[0]
		}
		dst[0], dst[1] = 0, z
	}
	return dst
}

// upTo returns x without the terms that are beyond the first n.
func upTo(x features.Vector, n int) features.Vector {
	known := 0
	for _, w := range x.IDs {
		if int(w) < n {
			known++
		}
	}
	if known == len(x.IDs) {
		return x
	}
	var y features.Vector
	for i, w := range x.IDs {
		if int(w) >= n {
			continue
		}
		y.IDs, y.Values = append(y.IDs, w), append(y.Values, x.Values[i])
		if x.Groups != nil {
			y.Groups = append(y.Groups, x.Groups[i])
		}
	}
	return y
}
