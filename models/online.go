package models

import (
	"cmp"
	"encoding/json"
	"fmt"

	"chaff/features"
)

// Online learns from one document after the other and can score a document at any time: a filter in use, which learns
// from corrections. Its vocabulary grows with the ids that it is given. It belongs to one goroutine. Source: cs446 lecture
// 4, "Why online learning?".
//
// What it knows is a row for each term, of [Online.TermSize] bytes, and its globals, of any size. Learn and Scores of a document
// depend only on the globals and the rows of the document's terms, and Learn changes only these. So a learner that was restored
// with the rows of some terms as those of 0, 1, ... stands for the whole one, for documents of these terms and of new ones, as
// long as the terms keep their order.
type Online interface {
	// Learn learns that a document is of class c.
	Learn(x features.Vector, c int)
	// Scores returns the K scores of a document, in the memory of dst if that suffices: of two classes the first is 0, as
	// for [Linear]. Terms that were not learnt yet are ignored.
	Scores(dst []float64, x features.Vector) []float64
	// Linear returns the model with these scores, up to the rounding of its weights.
	Linear() (*Linear, error)
	// Terms returns the size of the vocabulary: all ids so far are below it.
	Terms() int
	// Grow enlarges the vocabulary to the given number of terms. New terms have learnt nothing.
	Grow(terms int)
	// TermSize returns the size of a row in bytes. It depends on nothing but the model, its settings and the number of classes.
	TermSize() int
	// AppendGlobals appends the globals: what the learner knows apart from terms.
	AppendGlobals(dst []byte) []byte
	// AppendTerm appends the row of term w, which must be below Terms.
	AppendTerm(dst []byte, w int) []byte
	// Restore replaces all that the learner knows by globals and the rows of the terms 0, 1, ..., which it copies. The error wraps
	// [ErrState]; the learner is then good for nothing but another Restore.
	Restore(globals, rows []byte) error
}

// CountingLearner is an [Online] whose whole knowledge is [Counts], so that it can forget documents exactly.
type CountingLearner interface {
	Online
	// Forget forgets a document that was learnt as one of class c.
	Forget(x features.Vector, c int)
	// Fitted returns the model that training on these documents gives, to the last bit.
	Fitted() (*Linear, error)
}

// NewOnline returns the online learner of the named model, which has learnt nothing, and the kind of feature it takes.
// After n documents it scores like the model trained on them: naive Bayes up to the rounding of weights, and trainers in
// epochs like one epoch in the order of the data set, softmax regression with its full penalties from the start.
// Votes differs: training counts all documents before it learns from the first.
//
// Settings that need all documents in advance are errors: balanced class weights, batch methods and a random start.
func (o Options) NewOnline(name string, classes []string) (Online, features.Kind, error) {
	s, kind, err := o.settings(name, 0)
	if err != nil {
		return nil, 0, err
	}
	if len(classes) < 2 {
		return nil, 0, fmt.Errorf("one class only: %w", ErrOneClass)
	}
	online, err := s.online(classes)
	if err != nil {
		return nil, 0, fmt.Errorf("%s learns from one message after the other: %w", name, err)
	}
	return online, kind, nil
}

// OnlineFrom returns the online learner of the named model with the given settings, as JSON of its trainer, and the kind of
// feature it takes. It has learnt nothing: Restore gives it what another one knew.
func OnlineFrom(name string, trainer json.RawMessage, classes []string) (Online, features.Kind, error) {
	o, err := OptionsFrom(name, trainer)
	if err != nil {
		return nil, 0, err
	}
	return o.NewOnline(name, classes)
}

// onlineCounts is a [CountingLearner]. It takes logarithms when it scores a document, so that learning is counting only.
type onlineCounts struct {
	stored
	counts  *Counts
	model   countTrainer
	absent  *absentTerms // for Bernoulli
	weights []float64    // K: of a term
}

func newOnlineCounts(m countTrainer, classes []string, absent *absentTerms) (*onlineCounts, error) {
	kind, err := m.kind()
	l := &onlineCounts{counts: NewCounts(kind, classes, 0), model: m, absent: absent, weights: make([]float64, len(classes))}
	l.state = l
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
	weights := l.model.weights(l.counts, float64(l.counts.Known))
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

// Fitted implements [CountingLearner].
func (l *onlineCounts) Fitted() (*Linear, error) { return linearOf(l.model, l.counts) }

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

func (l *onlineCounts) terms() int { return l.counts.terms() }

func (l *onlineCounts) resize(terms int) { l.counts.resize(terms) }

func (l *onlineCounts) termSize() int { return l.counts.termSize() }

func (l *onlineCounts) globals(c *codec) {
	l.counts.globals(c)
	l.absent.list(c)
}

func (l *onlineCounts) term(c *codec, w int) { l.counts.term(c, w) }

// onlineEpoch runs a learner in one pass without end.
type onlineEpoch struct {
	stored
	learner
	weights []float64 // by class
}

// online makes an online learner of l. err is a complaint about other settings.
func (p Passes) online(classes []string, err error, l learner) (Online, error) {
	if p.ClassWeights == WeightsBalanced {
		return nil, fmt.Errorf("class_weights is %q: the number of messages is not known", p.ClassWeights)
	}
	weights, weightsErr := classWeights(p.ClassWeights, classes, make([]int, len(classes)))
	return &onlineEpoch{stored{state: l}, l, weights}, cmp.Or(err, weightsErr)
}

// Learn implements [Online].
func (l *onlineEpoch) Learn(x features.Vector, c int) {
	if terms := termsOf(x); terms > l.Terms() {
		l.learner.resize(terms)
	}
	l.learn(x, c, l.weights[c])
}

// Scores implements [Online].
func (l *onlineEpoch) Scores(dst []float64, x features.Vector) []float64 {
	K := len(l.weights)
	scores := l.learner.scores(resize(dst, K), withIDsBelow(x, l.Terms()))
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
	return rounded(l.learner, len(l.weights), 1)
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
