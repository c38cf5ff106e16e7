package corpus

import (
	"math/bits"
	"slices"

	"chaff/internal/hashtable"
)

const (
	// commonIn is in how many messages a fingerprint must be to be looked at as a possible footer.
	commonIn = 6
	// sampledPairs is how many pairs of messages that share a common fingerprint are compared, to see whether they
	// share anything else.
	sampledPairs = 8
	// unlike is the share of all their fingerprints that two messages have in common, below which what they share is
	// a footer.
	unlike = 0.25
	// enough is how many fingerprints two messages must share; fewer are enough if the sketches are equal.
	enough = 3
	// remembered is with how many messages a message is compared for each of its fingerprints, those that came last
	// before it, so that time is linear in the number of messages.
	remembered = 64
)

// NearDuplicates puts messages together whose texts are nearly the same, or of which one holds most of the other: the
// letters of one campaign, the issues of a newsletter that change little, a letter and the answers that quote it. It
// takes the sketch of each message (see Sketcher) and returns for each the index of the first message of its group; a
// message that is like no other is a group of its own.
//
// Two messages belong together if at least the share similarity (above 0 to 1) of the fingerprints of the smaller one is
// in the other too, and so do all who are joined by such pairs. Footers of lists and providers, signatures and legal
// notices are not counted: fingerprints that mostly stand in messages which share nothing else. Without that rule the
// footer of a list would join all short messages to it, and these all long ones.
func NearDuplicates(sketches [][]uint64, similarity float64) []int {
	shingles := newPostings(sketches)
	shingles.dropFooters(sketches)
	groups := make(unionFind, len(sketches))
	for i := range groups {
		groups[i] = i
	}
	shared := make([]int, len(sketches)) // fingerprints that message i has in common with each earlier one
	var met []int32                      // the earlier ones with which it has any
	for i := range sketches {
		for _, n := range shingles.numbers[i] {
			for _, j := range shingles.before(n) {
				if shared[j] == 0 {
					met = append(met, j)
				}
				shared[j]++
			}
		}
		for _, j := range met {
			smaller, larger := min(shingles.size[i], shingles.size[j]), max(shingles.size[i], shingles.size[j])
			alike := float64(shared[j]) >= similarity*float64(smaller)
			if alike && (shared[j] >= enough || shared[j] == larger) {
				groups.join(i, int(j))
			}
			shared[j] = 0
		}
		met = met[:0]
	}
	first := make([]int, len(sketches))
	for i := range first {
		first[i] = groups.find(i)
	}
	return first
}

// postings tell which messages have a fingerprint. Fingerprints that one message alone has, most of them, have no number.
type postings struct {
	numbers  [][]uint32 // of the fingerprints of each message that others have too; footers are dropped
	size     []int      // of each message: how many fingerprints it has, footers not counted
	messages []int32    // those that have fingerprint 0, ascending, then those that have 1, and so on
	first    []uint32   // of each number: where in messages its own begin; one entry more is the end
	passed   []uint32   // of each number: how many of its messages have been asked for
}

func newPostings(sketches [][]uint64) *postings {
	shared := newSharing(sketches)
	total := 0
	for _, sketch := range sketches {
		for _, f := range sketch {
			if shared.has(f) {
				total++
			}
		}
	}
	var table hashtable.Table
	x := &postings{numbers: make([][]uint32, len(sketches)), size: make([]int, len(sketches))}
	all := make([]uint32, 0, total)
	var count []uint32
	for i, sketch := range sketches {
		start := len(all)
		for _, f := range sketch {
			if !shared.has(f) {
				continue
			}
			n, added := table.Add(f)
			if added {
				count = append(count, 0)
			}
			count[n]++
			all = append(all, uint32(n))
		}
		x.numbers[i], x.size[i] = all[start:], len(sketch)
	}
	x.first = make([]uint32, len(count)+1)
	for n, c := range count {
		x.first[n+1] = x.first[n] + c
	}
	x.messages = make([]int32, total)
	next := slices.Clone(x.first)
	for i := range x.numbers {
		x.numbers[i] = slices.DeleteFunc(x.numbers[i], func(n uint32) bool { return count[n] == 1 })
		for _, n := range x.numbers[i] {
			x.messages[next[n]] = int32(i)
			next[n]++
		}
	}
	x.passed = count
	clear(x.passed)
	return x
}

// of returns the messages that have a fingerprint, ascending.
func (x *postings) of(number uint32) []int32 { return x.messages[x.first[number]:x.first[number+1]] }

// sharing tells fingerprints that several messages may have from those that one alone has, in two to four bytes for each: it takes
// some of these for the others.
type sharing struct {
	seen, again []uint64 // bits
	mask        uint64
}

func newSharing(sketches [][]uint64) sharing {
	total := 0
	for _, sketch := range sketches {
		total += len(sketch)
	}
	size := uint64(64) << bits.Len(uint(total/8)) // bits: 8 to 16 for each
	s := sharing{seen: make([]uint64, size/64), again: make([]uint64, size/64), mask: size - 1}
	for _, sketch := range sketches {
		for _, f := range sketch {
			at, bit := f&s.mask/64, uint64(1)<<(f%64)
			s.again[at] |= s.seen[at] & bit
			s.seen[at] |= bit
		}
	}
	return s
}

func (s sharing) has(fingerprint uint64) bool {
	return s.again[fingerprint&s.mask/64]>>(fingerprint%64)&1 != 0
}

// dropFooters drops the fingerprints that most of the messages which have it share and little else.
func (x *postings) dropFooters(sketches [][]uint64) {
	footer := make([]bool, len(x.passed))
	for n := range footer {
		messages := x.of(uint32(n))
		footer[n] = len(messages) >= commonIn && isFooter(messages, sketches)
	}
	for i, numbers := range x.numbers {
		x.numbers[i] = slices.DeleteFunc(numbers, func(n uint32) bool { return footer[n] })
		x.size[i] -= len(numbers) - len(x.numbers[i])
	}
}

// before returns the last messages that have a fingerprint before the message that asks. Each message that has it asks
// once, in order.
func (x *postings) before(number uint32) []int32 {
	end := x.passed[number]
	x.passed[number]++
	return x.of(number)[max(remembered, end)-remembered : end]
}

// isFooter compares pairs of the messages, which share a fingerprint and lie far from each other in the listing.
func isFooter(messages []int32, sketches [][]uint64) bool {
	step := max(1, len(messages)/sampledPairs)
	pairs := (len(messages) + step - 1) / step
	alike, unlikePairs := 0, 0
	half := len(messages)/2 | 1 // odd, so that no rhythm of the listing decides
	for i := 0; alike*2 < pairs && unlikePairs*2 <= pairs; i += step {
		if resemblance(sketches[messages[i]], sketches[messages[(i+half)%len(messages)]]) < unlike {
			unlikePairs++
		} else {
			alike++
		}
	}
	return unlikePairs*2 > pairs
}

// resemblance returns the share of the fingerprints of a and b together that are in both; a and b ascend and are not
// both empty.
func resemblance(a, b []uint64) float64 {
	both := 0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] < b[j]:
			i++
		case a[i] > b[j]:
			j++
		default:
			both++
			i++
			j++
		}
	}
	return float64(both) / float64(len(a)+len(b)-both)
}

// unionFind is a forest: each message points to an earlier one of its group, the first to itself.
type unionFind []int

func (u unionFind) find(i int) int {
	for u[i] != i {
		u[i] = u[u[i]] // half the way next time
		i = u[i]
	}
	return i
}

func (u unionFind) join(i, j int) {
	i, j = u.find(i), u.find(j)
	u[max(i, j)] = min(i, j)
}
