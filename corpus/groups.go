package corpus

import (
	"errors"
	"slices"

	"chaff/internal/indices"
)

const (
	// minFooterMessages is how many messages must share a number for it to be a possible footer.
	minFooterMessages = 6
	// sampledPairs is how many pairs of these messages are compared.
	sampledPairs = 8
	// minShared is how many numbers two near-duplicates must share, unless they share all.
	minShared = 6
	// maxCompared is how many messages a message is compared with for each of its numbers: the last ones before it. It makes
	// time linear in the number of messages.
	maxCompared = 64
)

// NearDuplicates groups messages whose texts are nearly the same, or of which one contains most of the other: the letters of a campaign, a
// letter and the answer that quotes it. It returns the index of the first message of its group for each of n messages, or [ErrTooMuchText]. text returns what the
// text of a message is known by, such as pairs of neighbouring words: distinct numbers below the given one, in ascending order. It is valid
// until the next call, and is called twice for each message, in order.
//
// Two messages are alike if the share similarity (above 0, at most 1) of the numbers of the smaller one is in the other one. A
// group is what such pairs connect. Footers do not count: numbers that occur mostly in messages which share little else, such as
// signatures and legal notices. Otherwise the footer of a mailing list would connect all of its messages.
func NearDuplicates(n, numbers int, text func(i int) []uint32, similarity float64) ([]int, error) {
	postings, err := newPostings(n, numbers, text)
	if err != nil {
		return nil, err
	}
	groups := indices.Below[int](n) // a forest in which each message points to an earlier one of its group, and the first to itself
	find := func(i int) int {
		for groups[i] != i {
			groups[i] = groups[groups[i]] // halves the path
			i = groups[i]
		}
		return i
	}
	passed := make([]uint32, numbers) // how many of its messages are before i
	shared := make([]int, n)          // numbers that message i shares with each earlier one
	var met []int32                   // the earlier ones with which it shares any
	for i := range n {
		for _, n := range postings.numbers[i] {
			end := passed[n]
			passed[n]++
			for _, j := range postings.messages[postings.first[n]:][max(maxCompared, end)-maxCompared : end] { // the last ones before i
				if shared[j] == 0 {
					met = append(met, j)
				}
				shared[j]++
			}
		}
		for _, j := range met {
			smaller, larger := min(postings.size[i], postings.size[j]), max(postings.size[i], postings.size[j])
			alike := float64(shared[j]) >= similarity*float64(smaller)
			if alike && (shared[j] >= minShared || shared[j] == larger) {
				a, b := find(i), find(int(j))
				groups[max(a, b)] = min(a, b)
			}
			shared[j] = 0
		}
		met = met[:0]
	}
	for i := range groups {
		groups[i] = find(i)
	}
	return groups, nil
}

// ErrTooMuchText is returned for messages that share more words than near-duplicates are found by.
var ErrTooMuchText = errors.New("the messages have too much text to find near-duplicates")

// postingLists list the messages that have a number. Numbers of one message only, which most are, have no list.
type postingLists struct {
	numbers  [][]uint32 // those that each message shares with others, in ascending order
	size     []int      // how many numbers each message has
	messages []int32    // the messages that have number 0, in ascending order, then those that have 1, and so on
	first    []uint32   // by number: the index of its first message; the last entry is the end
}

// newPostings lists the messages. Numbers that are footers are dropped from those of messages, and do not count in their sizes.
func newPostings(n, numbers int, text func(i int) []uint32) (*postingLists, error) {
	x := &postingLists{numbers: make([][]uint32, n), size: make([]int, n)}
	count := make([]uint32, numbers)
	for i := range n {
		for _, number := range text(i) {
			count[number]++
		}
	}
	var err error
	if x.first, err = ends(count); err != nil {
		return nil, err
	}
	x.messages = make([]int32, x.first[numbers])
	clear(count)
	var mine []uint32
	for i := range n {
		all := text(i)
		x.size[i], mine = len(all), mine[:0]
		for _, number := range all {
			if x.first[number+1] > x.first[number] {
				mine = append(mine, number)
				x.messages[x.first[number]+count[number]] = int32(i)
				count[number]++
			}
		}
		x.numbers[i] = slices.Clone(mine)
	}
	footer := make([]bool, numbers)
	for n := range footer {
		messages := x.messages[x.first[n]:x.first[n+1]]
		footer[n] = len(messages) >= minFooterMessages && x.isFooter(messages)
	}
	for i, all := range x.numbers {
		x.numbers[i] = slices.DeleteFunc(all, func(n uint32) bool { return footer[n] })
		x.size[i] -= len(all) - len(x.numbers[i])
	}
	return x, nil
}

// ends returns where the lists of numbers end and begin, one behind the other, given their sizes. That of one message is empty.
func ends(sizes []uint32) ([]uint32, error) {
	all := make([]uint32, len(sizes)+1)
	for number, size := range sizes {
		if size == 1 {
			size = 0
		}
		if all[number+1] = all[number] + size; all[number+1] < size {
			return nil, ErrTooMuchText
		}
	}
	return all, nil
}

// isFooter reports whether most of the messages, which share a number, share little else. It compares pairs that are far from each
// other in the order of the source.
func (x *postingLists) isFooter(messages []int32) bool {
	step := max(1, len(messages)/sampledPairs)
	pairs := (len(messages) + step - 1) / step
	alike, unlike := 0, 0
	half := len(messages)/2 | 1 // odd, so that no rhythm in the order decides
	for i := 0; alike*2 < pairs && unlike*2 <= pairs; i += step {
		j, k := messages[i], messages[(i+half)%len(messages)]
		if areUnlike(x.numbers[j], x.numbers[k], x.size[j]+x.size[k]) {
			unlike++
		} else {
			alike++
		}
	}
	return unlike*2 > pairs
}

// areUnlike reports whether two messages share only a footer: of the numbers of both together (Jaccard), less than a quarter are in
// both, which is a fifth of the sum of their sizes. a and b are those that they share with any message, in ascending order. It
// stops when enough are in both, or too few remain.
func areUnlike(a, b []uint32, sizes int) bool {
	both, enough := 0, (sizes+4)/5
	for i, j := 0, 0; both < enough; { // no other branch, since a processor cannot predict which list goes on
		if both+min(len(a)-i, len(b)-j) < enough {
			return true
		}
		x, y := a[i], b[j]
		if x == y {
			both++
		}
		if x <= y {
			i++
		}
		if y <= x {
			j++
		}
	}
	return false
}
