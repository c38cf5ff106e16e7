package models

import (
	"errors"
	"math"

	"chaff/features"
)

// onlineBayes is naive Bayes that counts one document after the other. Nothing is worked out beforehand: the logarithms are
// taken when a document is scored, so that learning costs no more than counting.
type onlineBayes struct {
	documents []int     // K: N_c
	terms     []float64 // V x K: n_cw, all classes of a term side by side
	totals    []float64 // K: n_c
	prior     func(documents []int) []float64
	score     func(n *onlineBayes, dst []float64, x features.Vector)
}

// newOnlineBayes returns a learner with the given prior, and the way to score.
func newOnlineBayes(classes []string, prior string, score func(n *onlineBayes, dst []float64, x features.Vector)) (*onlineBayes, error) {
	n := &onlineBayes{documents: make([]int, len(classes)), totals: make([]float64, len(classes)), score: score, prior: priorSoFar}
	if prior == "" || prior == PriorLearned {
		return n, nil
	}
	given, err := logPrior(prior, classes, n.documents)
	n.prior = func([]int) []float64 { return given }
	return n, err
}

// priorSoFar is log pi_c after the documents so far. A class without a document has half a one, so that none is impossible
// before its first message.
func priorSoFar(documents []int) []float64 {
	log := make([]float64, len(documents))
	var N float64
	for c, Nc := range documents {
		log[c] = max(float64(Nc), 0.5)
		N += log[c]
	}
	for c := range log {
		log[c] = math.Log(log[c] / N)
	}
	return log
}

// Learn implements [Online].
func (n *onlineBayes) Learn(x features.Vector, c int) {
	K := len(n.documents)
	n.documents[c]++
	for i, w := range x.IDs {
		for len(n.terms) < (int(w)+1)*K {
			n.terms = append(n.terms, 0)
		}
		f := float64(x.Values[i])
		n.terms[int(w)*K+c] += f
		n.totals[c] += f
	}
}

// Scores implements [Online].
func (n *onlineBayes) Scores(dst []float64, x features.Vector) []float64 {
	K := len(n.documents)
	dst = room(dst, K)
	copy(dst, n.prior(n.documents))
	n.score(n, dst, upTo(x, len(n.terms)/K))
	if K == 2 {
		dst[0], dst[1] = 0, dst[1]-dst[0]
	}
	return dst
}

// online makes multinomial naive Bayes an online learner:
//
//	score_c = log pi_c + sum over w of f_w log((a + n_cw) / (aV + n_c))
func (m Multinomial) online(classes []string) (Online, error) {
	a := m.Smoothing
	return newOnlineBayes(classes, m.Prior, func(n *onlineBayes, dst []float64, x features.Vector) {
		K := len(dst)
		V := float64(len(n.terms) / K)
		for i, w := range x.IDs {
			f := float64(x.Values[i])
			for c, ncw := range n.terms[int(w)*K:][:K] {
				dst[c] += f * logShare(ncw, n.totals[c], V, a)
			}
		}
	})
}

// online makes complement naive Bayes an online learner: the same with the counts of all other classes, and minus.
func (m Complement) online(classes []string) (Online, error) {
	if m.Normalise {
		return nil, errors.New("normalise is true: the sum of all weights would be needed for each message")
	}
	a := m.Smoothing
	return newOnlineBayes(classes, m.Prior, func(n *onlineBayes, dst []float64, x features.Vector) {
		K := len(dst)
		V := float64(len(n.terms) / K)
		all := sum(n.totals)
		for i, w := range x.IDs {
			f, counts := float64(x.Values[i]), n.terms[int(w)*K:][:K]
			nw := sum(counts)
			for c, ncw := range counts {
				dst[c] -= f * logShare(nw-ncw, all-n.totals[c], V, a)
			}
		}
	})
}

func sum(numbers []float64) float64 {
	var s float64
	for _, x := range numbers {
		s += x
	}
	return s
}

// online makes Bernoulli naive Bayes an online learner. Absent terms count, so the sum over all of them would have to be
// worked out for each message; but it is the same for all terms with the same n_cw, and these are few numbers:
//
//	score_c = log pi_c + sum over w in the document of log((a + n_cw) / (a + N_c - n_cw))
//	          + sum over n of m_cn log((a + N_c - n) / (2a + N_c))        m_cn: terms with n_cw = n
//
// Terms that no document had so far do not count, though others with higher ids did.
func (m Bernoulli) online(classes []string) (Online, error) {
	a := m.Smoothing
	bayes, err := newOnlineBayes(classes, m.Prior, nil)
	if err != nil {
		return nil, err
	}
	l := &onlineBernoulli{onlineBayes: bayes, alike: make([][]int, len(classes))}
	for c := range l.alike {
		l.alike[c] = []int{0}
	}
	bayes.score = func(n *onlineBayes, dst []float64, x features.Vector) {
		K := len(dst)
		for c, Nc := range n.documents {
			dst[c] += l.absent(c, float64(Nc), a)
		}
		for _, w := range x.IDs {
			counts := n.terms[int(w)*K:][:K]
			if sum(counts) == 0 {
				continue
			}
			for c, ncw := range counts {
				Nc := float64(n.documents[c])
				dst[c] += logHeld((a+ncw)/(2*a+Nc), a) - logHeld((a+(Nc-ncw))/(2*a+Nc), a)
			}
		}
	}
	return l, nil
}

// onlineBernoulli counts how many terms have the same n_cw, too.
type onlineBernoulli struct {
	*onlineBayes
	alike [][]int // K x (1 + the largest n_cw): m_cn
}

// Learn implements [Online].
func (l *onlineBernoulli) Learn(x features.Vector, c int) {
	K := len(l.documents)
	for _, w := range x.IDs {
		if int(w) < len(l.terms)/K && sum(l.terms[int(w)*K:][:K]) > 0 {
			continue
		}
		for k := range l.alike {
			l.alike[k][0]++ // a new term
		}
	}
	l.onlineBayes.Learn(x, c)
	for _, w := range x.IDs {
		n := int(l.terms[int(w)*K+c]) // bits, so a number of documents
		if n == len(l.alike[c]) {
			l.alike[c] = append(l.alike[c], 0)
		}
		l.alike[c][n-1]--
		l.alike[c][n]++
	}
}

// absent is the log probability, in class c, that all terms are absent.
func (l *onlineBernoulli) absent(c int, Nc, a float64) float64 {
	var sum float64
	for n, terms := range l.alike[c] {
		if terms > 0 {
			sum += float64(terms) * logHeld((a+(Nc-float64(n)))/(2*a+Nc), a)
		}
	}
	return sum
}

// onlineMajority counts the documents of each class.
type onlineMajority struct{ documents []int }

func (Majority) online(classes []string) (Online, error) {
	return &onlineMajority{make([]int, len(classes))}, nil
}

// Learn implements [Online].
func (l *onlineMajority) Learn(_ features.Vector, c int) { l.documents[c]++ }

// Scores implements [Online].
func (l *onlineMajority) Scores(dst []float64, _ features.Vector) []float64 {
	dst = room(dst, len(l.documents))
	copy(dst, priorSoFar(l.documents))
	if len(dst) == 2 {
		dst[0], dst[1] = 0, dst[1]-dst[0]
	}
	return dst
}

// onlineMemoriser counts the labels of each document, which is its only term.
type onlineMemoriser struct{ *onlineBayes }

func (Memoriser) online(classes []string) (Online, error) {
	bayes, err := newOnlineBayes(classes, PriorLearned, nil)
	return onlineMemoriser{bayes}, err
}

// Scores implements [Online].
func (l onlineMemoriser) Scores(dst []float64, x features.Vector) []float64 {
	K := len(l.documents)
	dst = room(dst, K)
	clear(dst)
	dst[0] = 1
	for _, w := range upTo(x, len(l.terms)/K).IDs {
		if c := Argmax(l.terms[int(w)*K:][:K]); c != 0 {
			dst[c] += 2
		}
	}
	if K == 2 {
		dst[0], dst[1] = 0, dst[1]-dst[0]
	}
	return dst
}
