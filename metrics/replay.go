package metrics

import (
	"math"
	"slices"
)

// LearningPoint is how well a spam filter did up to some message of a [Replay], or within a block of it. Percentages are
// 0..100, and nil where they are not defined.
type LearningPoint struct {
	// Messages is how many messages of the replay lie before the point.
	Messages int `json:"messages"`
	// HM, SM and LAM are hm%, sm% and lam%; see [Misses]. OneMinusROCA is (1-ROCA)%; see [OneMinusROCA].
	HM           *float64 `json:"hm,omitempty"`
	SM           *float64 `json:"sm,omitempty"`
	LAM          *float64 `json:"lam,omitempty"`
	OneMinusROCA *float64 `json:"one_minus_roca,omitempty"`
}

// Replay measures a spam filter that learns while it is used: each message is scored and judged before the filter is told
// what it is. Source: TREC 2005 Spam Track Overview.
//
// It keeps 10 bytes for each message. A Replay is made by [NewReplay] and is for one goroutine.
type Replay struct {
	every  int
	scores []float64
	judged []bool // spam by the filter
	spam   []bool // spam in truth
}

// NewReplay returns a replay without messages, with a point of its learning curve after every so many of them. If every is
// below 1, the only point is the one at the end.
func NewReplay(every int) *Replay {
	if every < 1 {
		every = math.MaxInt
	}
	return &Replay{every: every}
}

// Add adds the next message: its score, which is finite, whether the filter judged it to be spam, and whether it is.
func (r *Replay) Add(score float64, judgedSpam, spam bool) {
	r.scores = append(r.scores, score)
	r.judged = append(r.judged, judgedSpam)
	r.spam = append(r.spam, spam)
}

// Messages returns how many messages were added.
func (r *Replay) Messages() int { return len(r.scores) }

// Figures returns the figures of all messages so far, which are those of [Measure] and [Figures.MeasureSpam]: class 0 is
// ham, class 1 is spam.
func (r *Replay) Figures() Figures {
	f := Measure(classesOf(r.spam), classesOf(r.judged), 2)
	f.MeasureSpam(r.scores, r.spam)
	return f
}

func classesOf(spam []bool) []int32 {
	classes := make([]int32, len(spam))
	for i, is := range spam {
		if is {
			classes[i] = 1
		}
	}
	return classes
}

// Points returns the learning curve: at each point, the errors of all messages before it, the first ones included. The
// last point is at the end, however few messages it has more than the one before; without messages there is no point.
//
// It takes O(n log n) for all points together, so it is cheap to ask for many; yet each call begins anew.
func (r *Replay) Points() []LearningPoint {
	var points []LearningPoint
	var misses Misses
	order := newOrder(r.scores)
	for i := range r.scores {
		misses.add(r.judged[i], r.spam[i])
		order.add(i, r.spam[i])
		if n := i + 1; n%r.every == 0 || n == len(r.scores) {
			points = append(points, pointOf(n, misses, orNil(order.pairs.percent())))
		}
	}
	return points
}

// Blocks returns, for each point of [Replay.Points], the errors of the messages since the point before it alone.
func (r *Replay) Blocks() []LearningPoint {
	var points []LearningPoint
	for at := 0; at < len(r.scores); {
		end := len(r.scores)
		if r.every < end-at {
			end = at + r.every
		}
		var misses Misses
		for i := at; i < end; i++ {
			misses.add(r.judged[i], r.spam[i])
		}
		points = append(points, pointOf(end, misses, orNil(OneMinusROCA(r.scores[at:end], r.spam[at:end]))))
		at = end
	}
	return points
}

func pointOf(messages int, m Misses, oneMinusROCA *float64) LearningPoint {
	return LearningPoint{
		Messages: messages, HM: orNil(m.HM()), SM: orNil(m.SM()), LAM: orNil(m.LAM()), OneMinusROCA: oneMinusROCA,
	}
}

func (m *Misses) add(judgedSpam, spam bool) {
	switch {
	case spam:
		m.Spam++
		if !judgedSpam {
			m.SpamThrough++
		}
	default:
		m.Ham++
		if judgedSpam {
			m.HamLost++
		}
	}
}

// order counts the pairs in the wrong order while messages are added one by one, each in O(log n).
type order struct {
	pairs     pairs
	ranks     []int // of message i, the place of its score among those that occur, from 0
	ham, spam ranked
}

func newOrder(scores []float64) *order {
	distinct := slices.Clone(scores)
	slices.Sort(distinct)
	distinct = slices.Compact(distinct)
	ranks := make([]int, len(scores))
	for i, score := range scores {
		ranks[i], _ = slices.BinarySearch(distinct, score)
	}
	return &order{ranks: ranks, ham: make(ranked, len(distinct)), spam: make(ranked, len(distinct))}
}

// add adds message i.
func (o *order) add(i int, spam bool) {
	rank := o.ranks[i]
	if spam {
		// Ham above it is wrong, and ham beside it half wrong.
		o.pairs.halves += 2*o.pairs.ham - o.ham.below(rank) - o.ham.below(rank+1)
		o.pairs.spam++
		o.spam.add(rank)
		return
	}
	o.pairs.halves += o.spam.below(rank) + o.spam.below(rank+1)
	o.pairs.ham++
	o.ham.add(rank)
}

// ranked counts messages by rank. Entry i-1 has the sum of the i-th rank and those below it, as many ranks in all as the
// lowest set bit of i says, so that a sum takes at most as many steps as a rank has bits. Source: P. M. Fenwick 1994.
type ranked []int64

// add counts one message.
func (r ranked) add(rank int) {
	for i := rank + 1; i <= len(r); i += i & -i {
		r[i-1]++
	}
}

// below returns how many messages have a lower rank.
func (r ranked) below(rank int) int64 {
	sum := int64(0)
	for i := rank; i > 0; i -= i & -i {
		sum += r[i-1]
	}
	return sum
}
