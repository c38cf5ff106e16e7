package corpus

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"time"
)

// SplitOptions says how messages are divided into training, development and test
// parts. The shares are parts of one, and must add up to it.
type SplitOptions struct {
	// Method is how messages are divided: "grouped", where chance decides, and
	// messages that are nearly the same, such as the letters of one campaign or the
	// answers that quote a letter, come to the same part; "hash", where chance
	// decides for each message alone, as is usual in comparisons of filters; or
	// "time", where the oldest messages are for training and the newest for the
	// test, as in real life. Default "grouped"; an empty text is an error.
	Method string `json:"method"`
	// Similarity is how much of the text of a message must be in another one for
	// the two to be in one group of the method "grouped", as a share of the shorter
	// text. Above 0 to 1, default 0.5; zero is an error.
	Similarity float64 `json:"similarity"`
	// Train is the share of messages that models are trained on.
	// Above 0 to 1, default 0.6; zero is an error.
	Train float64 `json:"train"`
	// Development is the share of messages on which everything that can be
	// chosen is chosen, such as thresholds. 0 to 1, default 0.2; zero leaves the
	// part empty.
	Development float64 `json:"development"`
	// Test is the share of messages that is looked at once, at the end.
	// 0 to 1, default 0.2; zero leaves the part empty.
	Test float64 `json:"test"`
}

// The methods of SplitOptions.
const (
	SplitGrouped = "grouped"
	SplitByHash  = "hash"
	SplitByTime  = "time"
)

// DefaultSplitOptions divides by groups of near-duplicates into 0.6, 0.2 and 0.2.
func DefaultSplitOptions() SplitOptions {
	return SplitOptions{Method: SplitGrouped, Similarity: 0.5, Train: 0.6, Development: 0.2, Test: 0.2}
}

// Validate returns all that is wrong with o, each complaint with the key, the
// value and what is allowed.
func (o SplitOptions) Validate() error {
	var errs []error
	if o.Method != SplitGrouped && o.Method != SplitByHash && o.Method != SplitByTime {
		errs = append(errs, fmt.Errorf("method is %q, must be %q, %q or %q", o.Method, SplitGrouped, SplitByHash, SplitByTime))
	}
	// The comparisons are written so that NaN fails them.
	if !(o.Similarity > 0 && o.Similarity <= 1) {
		errs = append(errs, fmt.Errorf("similarity is %v, must be above 0 and at most 1", o.Similarity))
	}
	if !(o.Train > 0 && o.Train <= 1) {
		errs = append(errs, fmt.Errorf("train is %v, must be above 0 and at most 1", o.Train))
	}
	if !(o.Development >= 0 && o.Development <= 1) {
		errs = append(errs, fmt.Errorf("development is %v, must be from 0 to 1", o.Development))
	}
	if !(o.Test >= 0 && o.Test <= 1) {
		errs = append(errs, fmt.Errorf("test is %v, must be from 0 to 1", o.Test))
	}
	if sum := o.Train + o.Development + o.Test; !(math.Abs(sum-1) <= 1e-9) {
		errs = append(errs, fmt.Errorf("train, development and test add up to %.12g, must be 1", sum))
	}
	return errors.Join(errs...)
}

// Part is one of the three parts of a corpus.
type Part uint8

// The parts.
const (
	Train Part = iota
	Development
	Test
)

// String returns "train", "development" or "test".
func (p Part) String() string {
	switch p {
	case Train:
		return "train"
	case Development:
		return "development"
	}
	return "test"
}

// ByHash returns the part of the message with the given SplitKey; in a grouped
// split, that of the first message of its group, so that the group stays together.
// It depends on nothing but the options, the seed and the key: a message
// stays in its part when others come or go, and copies of it are never in two
// parts. The sizes of the parts are near the shares, as chance has it: for single
// messages within a few times the square root of their number.
func (o SplitOptions) ByHash(seed, key uint64) Part {
	u := chance(seed, key)
	// A part without a share stays empty even if the shares add up to 1 but for a
	// rounding error.
	switch {
	case u < o.Train || o.Development == 0 && o.Test == 0:
		return Train
	case u < o.Train+o.Development || o.Test == 0:
		return Development
	}
	return Test
}

// Fold returns the part of a message in round number round, from 0, of a
// cross-validation with the given number of folds, at least 3: each message is in
// the test part of one round and in the development part of another. The
// key is as for ByHash.
func Fold(seed, key uint64, round, folds int) Part {
	switch fold := int(chance(seed, key) * float64(folds)); fold {
	case round:
		return Test
	case (round + 1) % folds:
		return Development
	}
	return Train
}

// chance returns a number that is uniform in [0, 1) over the keys.
func chance(seed, key uint64) float64 {
	return float64(mix(mix(seed)^key)>>11) / (1 << 53)
}

// mix is the step of the generator splitmix64: a bijection in which each bit of x
// changes about half of the bits of the result (Steele, Lea and Flood, "Fast
// splittable pseudorandom number generators", 2014).
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// ByTime returns the part of each message, given the times of delivery: the oldest
// messages are for training, the next for development, the newest for the test.
// Messages of the same time are ordered by their position. A message without a
// time (zero) counts as older than all others, so that it is never what a model is
// tested on.
func (o SplitOptions) ByTime(times []time.Time) []Part {
	order := make([]int, len(times))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return times[a].Compare(times[b]) })
	n := float64(len(times))
	trained := int(math.Round(n * o.Train))
	developed := int(math.Round(n * (o.Train + o.Development)))
	parts := make([]Part, len(times))
	for rank, i := range order {
		switch {
		case rank < trained:
			parts[i] = Train
		case rank < developed:
			parts[i] = Development
		default:
			parts[i] = Test
		}
	}
	return parts
}
