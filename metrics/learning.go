package metrics

import "slices"

// LearningPoint is a point of a learning curve.
type LearningPoint struct {
	// Messages is how many messages of the replay are before the point.
	Messages int `json:"messages"`
	SpamFigures
}

// LearningCurve measures a spam filter that learns while it is used: it scored and judged each message before it learned the true class.
// A prediction of 1 is spam. After every so many messages, at least 1, and at the end, the curve has the figures of all messages so far,
// and blocks has those of the messages since the point before. All points of the curve together take O(n log n). Source: TREC 2005 Spam
// Track Overview.
func LearningCurve(scores []float64, predictions []int32, spam []bool, every int) (curve, blocks []LearningPoint) {
	mustMatch(len(scores), len(spam))
	mustMatch(len(scores), len(predictions))
	labels := classesOf(spam)
	all, order := NewConfusion(nil, nil, 2), newOrder(scores)
	for start := 0; start < len(labels); start += every {
		end := start + min(every, len(labels)-start)
		block := NewConfusion(labels[start:end], predictions[start:end], 2)
		for i := start; i < end; i++ {
			all[labels[i]][predictions[i]]++
			order.add(i, spam[i])
		}
		curve = append(curve, LearningPoint{end, spamFigures(all, order.pairs)})
		blocks = append(blocks, LearningPoint{end, spamFigures(block, countPairs(scores[start:end], spam[start:end]))})
	}
	return curve, blocks
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
