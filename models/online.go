package models

import (
	"cmp"
	"fmt"

	"chaff/features"
)

// Online learns from one document after the other and can score a document at any time: a filter in use, which learns
// from corrections. Its vocabulary grows with the ids that it is given. It belongs to one goroutine. Source: cs446 lecture
// 4, "Why online learning?".
//
// MarshalBinary returns all that it knows; [LoadOnline] continues from there.
type Online interface {
	// Learn learns that a document is of class c.
	Learn(x features.Vector, c int)
	// Scores returns the K scores of a document, in the memory of dst if that suffices: of two classes the first is 0, as
	// for [Linear]. Terms that were not learnt yet are ignored.
	Scores(dst []float64, x features.Vector) []float64
	// Linear returns the model with these scores, up to the rounding of its weights.
	Linear() (*Linear, error)
	MarshalBinary() ([]byte, error)
}

// CountingLearner is an [Online] whose whole knowledge is [Counts], so that it can forget documents and merge with what
// others learnt. Both are exact if [Counts.Exact] reports so.
type CountingLearner interface {
	Online
	// Counts returns what was learnt. It must not be changed.
	Counts() *Counts
	// Forget forgets a document that was learnt as one of class c.
	Forget(x features.Vector, c int)
	// Merge learns the documents of n, whose term w is term idOf[w] here; see [Counts.Merge].
	Merge(n *Counts, idOf []uint32) error
}

// NewOnline returns the online learner of the named model, which has learnt nothing, and the kind of feature it takes.
// After n documents it scores like the model trained on them: naive Bayes up to the rounding of weights, and trainers in
// epochs like one epoch in the order of the data set, softmax regression with its full penalties from the start.
// The hybrid and votes differ: training counts all documents before it learns from the first.
//
// Settings that need all documents in advance are errors: balanced class weights, batch methods, a random start, and
// normalised complement naive Bayes.
func (o Options) NewOnline(name string, classes []string) (Online, features.Kind, error) {
	trainer, kind, err := o.New(name, 0)
	if err != nil {
		return nil, 0, err
	}
	if len(classes) < 2 {
		return nil, 0, fmt.Errorf("one class only: %w", ErrOneClass)
	}
	online, err := trainer.(settings).online(classes)
	if err == nil {
		err = online.(savable).identify(name, trainer, classes)
	}
	if err != nil {
		return nil, 0, fmt.Errorf("%s learns from one message after the other: %w", name, err)
	}
	return online, kind, nil
}

// onlineCounts is a [CountingLearner]. It takes logarithms when it scores a document, so that learning is counting only.
type onlineCounts struct {
	identity
	counts  *Counts
	model   countTrainer
	absent  *absentTerms // for Bernoulli
	weights []float64    // K: of a term
}

func newOnlineCounts(m countTrainer, classes []string, absent *absentTerms) (*onlineCounts, error) {
	kind, err := m.kind()
	l := &onlineCounts{counts: NewCounts(kind, classes, 0), model: m, absent: absent, weights: make([]float64, len(classes))}
	_, priorErr := l.biases()
	return l, cmp.Or(err, priorErr)
}

func (l *onlineCounts) biases() ([]float64, error) {
	if l.absent != nil {
		return l.absent.biases(l.counts)
	}
	return l.model.biases(l.counts)
}

// termWeights returns the function that makes the weights of a term of its sums, 0 for an unknown term. The size of the
// vocabulary is the number of known terms.
func (l *onlineCounts) termWeights() func(dst, ncw []float64) {
	weights := l.model.weights(l.counts, totals{l.counts.Totals[0], float64(l.counts.Known[0])})
	return func(dst, ncw []float64) {
		if !hasSum(ncw) {
			clear(dst)
			return
		}
		weights(dst, ncw)
	}
}

// Learn implements [Online].
func (l *onlineCounts) Learn(x features.Vector, c int) {
	l.absent.add(l.counts, x.IDs, -1)
	l.counts.Add(x, c)
	l.absent.add(l.counts, x.IDs, 1)
}

// Forget implements [CountingLearner].
func (l *onlineCounts) Forget(x features.Vector, c int) {
	l.absent.add(l.counts, x.IDs, -1)
	l.counts.Remove(x, c)
	l.absent.add(l.counts, x.IDs, 1)
}

// Counts implements [CountingLearner].
func (l *onlineCounts) Counts() *Counts { return l.counts }

// Merge implements [CountingLearner].
func (l *onlineCounts) Merge(n *Counts, idOf []uint32) error {
	l.absent.add(l.counts, listOrder[uint32](l.counts.Len()), -1)
	err := l.counts.Merge(n, idOf)
	l.absent.add(l.counts, listOrder[uint32](l.counts.Len()), 1)
	return err
}

// Scores implements [Online].
func (l *onlineCounts) Scores(dst []float64, x features.Vector) []float64 {
	dst = resize(dst, len(l.weights))
	beta, _ := l.biases() // newOnlineCounts checked the prior
	copy(dst, beta)
	weights := l.termWeights()
	for i, w := range x.IDs {
		weights(l.weights, l.counts.of(int(w)))
		for c, weight := range l.weights {
			dst[c] += float64(x.Values[i]) * weight
		}
	}
	if len(dst) == 2 {
		dst[0], dst[1] = 0, dst[1]-dst[0]
	}
	return dst
}

// Linear implements [Online].
func (l *onlineCounts) Linear() (*Linear, error) {
	beta, err := l.biases()
	if err != nil {
		return nil, err
	}
	return l.counts.linear(beta, l.termWeights())
}

// MarshalBinary implements [Online].
func (l *onlineCounts) MarshalBinary() ([]byte, error) { return save(l, l.counts.Len()) }

func (l *onlineCounts) state(c *codec, terms int) {
	l.counts.Grow(terms)
	l.counts.state(c)
	if c.reading {
		l.absent.add(l.counts, listOrder[uint32](terms), 1)
	}
}

// growing is a learner whose vocabulary grows.
type growing interface {
	learner
	// grow enlarges the vocabulary to the given number of terms.
	grow(terms int)
	// scoresNow writes the scores of the rows to dst, with the weights that model would write.
	scoresNow(dst []float64, x features.Vector) []float64
	// sameShape returns zero weights with the same rows and form.
	sameShape(terms int) *params
	// state lists all numbers that the learner knows for a codec, after grow.
	state(c *codec)
}

// onlineEpoch runs a learner of epochs in one endless epoch.
type onlineEpoch struct {
	identity
	growing
	weights []float64 // by class
	terms   int       // V so far
}

// online makes an online learner of l. err is a complaint about other settings.
func (p Passes) online(classes []string, err error, l growing) (Online, error) {
	if p.ClassWeights == WeightsBalanced {
		return nil, fmt.Errorf("class_weights is %q: the number of messages is not known", p.ClassWeights)
	}
	weights, weightsErr := classWeights(p.ClassWeights, classes, make([]int, len(classes)))
	return &onlineEpoch{growing: l, weights: weights}, cmp.Or(err, weightsErr)
}

// Learn implements [Online].
func (l *onlineEpoch) Learn(x features.Vector, c int) {
	l.terms = max(l.terms, termsOf(x))
	l.grow(l.terms)
	l.learn(x, c, l.weights[c])
}

// Scores implements [Online].
func (l *onlineEpoch) Scores(dst []float64, x features.Vector) []float64 {
	K := len(l.weights)
	scores := l.scoresNow(resize(dst, K), withIDsBelow(x, l.terms))
	if K > 2 {
		return scores
	}
	z := scores[len(scores)-1]
	if len(scores) == 2 {
		z -= scores[0]
	}
	return append(scores[:0], 0, z)
}

// Linear implements [Online].
func (l *onlineEpoch) Linear() (*Linear, error) {
	now := l.sameShape(l.terms)
	l.model(now)
	return now.linear(len(l.weights))
}

// MarshalBinary implements [Online].
func (l *onlineEpoch) MarshalBinary() ([]byte, error) { return save(l, l.terms) }

func (l *onlineEpoch) state(c *codec, terms int) {
	l.terms = terms
	l.grow(terms)
	l.growing.state(c)
}

// withIDsBelow returns x without the terms whose id is n or more.
func withIDsBelow(x features.Vector, n int) features.Vector {
	if termsOf(x) <= n {
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
