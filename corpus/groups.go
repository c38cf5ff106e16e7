package corpus

import "slices"

const (
	// commonIn is in how many messages a fingerprint must be to be looked at as a possible footer.
	commonIn = 6
	// sampledPairs is how many pairs of messages that share a common fingerprint are compared, to see whether they
	// share anything else.
	sampledPairs = 16
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
	sketches = withoutFooters(sketches)
	groups := make(unionFind, len(sketches))
	for i := range groups {
		groups[i] = i
	}
	seen := make(map[uint64][]int) // fingerprint -> the last messages that have it
	shared := make(map[int]int)    // earlier message -> fingerprints in common
	for i, sketch := range sketches {
		clear(shared)
		for _, f := range sketch {
			for _, j := range seen[f] {
				shared[j]++
			}
			if len(seen[f]) == remembered {
				copy(seen[f], seen[f][1:])
				seen[f][remembered-1] = i
			} else {
				seen[f] = append(seen[f], i)
			}
		}
		for j, n := range shared {
			smaller := min(len(sketch), len(sketches[j]))
			if float64(n) >= similarity*float64(smaller) && (n >= enough || slices.Equal(sketch, sketches[j])) {
				groups.join(i, j)
			}
		}
	}
	first := make([]int, len(sketches))
	for i := range first {
		first[i] = groups.find(i)
	}
	return first
}

// withoutFooters returns the sketches without the fingerprints that most of the messages which have it share and little
// else.
func withoutFooters(sketches [][]uint64) [][]uint64 {
	in := make(map[uint64]int)
	for _, sketch := range sketches {
		for _, f := range sketch {
			in[f]++
		}
	}
	messages := make(map[uint64][]int)
	for i, sketch := range sketches {
		for _, f := range sketch {
			if in[f] >= commonIn {
				messages[f] = append(messages[f], i)
			}
		}
	}
	footers := make(map[uint64]bool)
	for f, at := range messages {
		footers[f] = isFooter(at, sketches)
	}
	kept := make([][]uint64, len(sketches))
	for i, sketch := range sketches {
		kept[i] = slices.DeleteFunc(slices.Clone(sketch), func(f uint64) bool { return footers[f] })
	}
	return kept
}

// isFooter compares pairs of the messages, which share a fingerprint and lie far from each other in the listing.
func isFooter(messages []int, sketches [][]uint64) bool {
	pairs, unlikePairs := 0, 0
	half := len(messages) / 2
	for i := 0; i < len(messages); i += max(1, len(messages)/sampledPairs) {
		pairs++
		if resemblance(sketches[messages[i]], sketches[messages[(i+half)%len(messages)]]) < unlike {
			unlikePairs++
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
