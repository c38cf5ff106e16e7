package metrics

import (
	"math"
	"slices"
)

// LearningPoint is a point of a learning curve.
type LearningPoint struct {
	// Messages is how many messages of the replay are before the point.
	Messages int `json:"messages"`
	SpamFigures
}

// Replay measures a spam filter that learns while it is used: the filter scores and judges each message before it learns the true
// class. Source: TREC 2005 Spam Track Overview.
//
// It takes 10 bytes for each message and belongs to one goroutine. [NewReplay] makes one.
type Replay struct {
	every  int
	scores []float64
	judged []bool // whether the filter called the message spam
	spam   []bool // whether it is
}

// NewReplay returns an empty replay whose learning curve has a point after each `every` messages and at the end. If every is below 1,
// the only point is the one at the end.
func NewReplay(every int) *Replay {
	if every < 1 {
		every = math.MaxInt
	}
	return &Replay{every: every}
}

// Add adds the next message: its finite score, whether the filter called it spam, and whether it is.
func (r *Replay) Add(score float64, judgedSpam, spam bool) {
	r.scores = append(r.scores, score)
	r.judged = append(r.judged, judgedSpam)
	r.spam = append(r.spam, spam)
}

// Messages returns how many messages were added.
func (r *Replay) Messages() int { return len(r.scores) }

// Figures returns the figures of [Measure] and [Figures.MeasureSpam] for all messages so far.
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

// Points returns the learning curve: at each point, the figures of all messages before it. The last point is at the end, and there
// is none without messages. All points together take O(n log n).
func (r *Replay) Points() []LearningPoint {
	var points []LearningPoint
	var misses Misses
	order := newOrder(r.scores)
	for i := range r.scores {
		misses.add(r.judged[i], r.spam[i])
		order.add(i, r.spam[i])
		if n := i + 1; n%r.every == 0 || n == len(r.scores) {
			percent, defined := order.pairs.percent()
			points = append(points, LearningPoint{n, spamFigures(misses, percent, defined)})
		}
	}
	return points
}

// Blocks returns the points of [Replay.Points] with the figures of the messages since the point before.
func (r *Replay) Blocks() []LearningPoint {
	var points []LearningPoint
	for start, end := 0, 0; start < len(r.scores); start = end {
		end = start + min(r.every, len(r.scores)-start)
		var misses Misses
		for i := start; i < end; i++ {
			misses.add(r.judged[i], r.spam[i])
		}
		percent, defined := OneMinusROCA(r.scores[start:end], r.spam[start:end])
		points = append(points, LearningPoint{end, spamFigures(misses, percent, defined)})
	}
	return points
}

func (m *Misses) add(judgedSpam, spam bool) {
	if spam {
		m.Spam++
		if !judgedSpam {
			m.SpamThrough++
		}
		return
	}
	m.Ham++
	if judgedSpam {
		m.HamLost++
	}
}

// order updates [pairs] message by message, each in O(log n).
type order struct {
	pairs     pairs
	ranks     []int // of the score of each message among the distinct scores, from 0
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
		// Ham with a higher score is a wrong pair, ham with the same score half of one.
		o.pairs.halves += 2*o.pairs.ham - o.ham.below(rank) - o.ham.below(rank+1)
		o.pairs.spam++
		o.spam.add(rank)
		return
	}
	o.pairs.halves += o.spam.below(rank) + o.spam.below(rank+1)
	o.pairs.ham++
	o.ham.add(rank)
}

// ranked counts messages by rank, as a Fenwick tree: entry i-1 has the sum of as many ranks, up to the i-th, as the lowest set bit of i
// says. Source: P. M. Fenwick 1994.
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
