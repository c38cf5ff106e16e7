package corpus

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"chaff/internal/fieldtags"
	"chaff/internal/indices"
)

// SplitOptions say how messages are divided into training, development and test parts. The shares must add up to 1.
type SplitOptions struct {
	// Method is how messages are divided: "grouped", by chance, with near-duplicates in one part; "hash", by the hash
	// of each message; or "time", with the oldest for training and the newest for the test. Default "grouped".
	Method string `json:"method" default:"grouped"`
	// Similarity is the share of the shorter text that two messages have in common if they are near-duplicates. Above
	// 0 to 1. Default 0.5.
	Similarity float64 `json:"similarity" range:"above 0 and at most 1" default:"0.5"`
	// Train is the share of messages to train on. Above 0 to 1. Default 0.6.
	Train float64 `json:"train" range:"above 0 and at most 1" default:"0.6"`
	// Development is the share of messages to choose thresholds and settings on. 0 to 1. Default 0.2.
	Development float64 `json:"development" range:"from 0 to 1" default:"0.2"`
	// Test is the share of messages to test on, once, at the end. 0 to 1. Default 0.2.
	Test float64 `json:"test" range:"from 0 to 1" default:"0.2"`
}

// The methods of SplitOptions.
const (
	SplitGrouped = "grouped"
	SplitByHash  = "hash"
	SplitByTime  = "time"
)

// DefaultSplitOptions returns the default options.
func DefaultSplitOptions() SplitOptions { return fieldtags.Default[SplitOptions]() }

// Validate returns everything that is wrong with o.
func (o SplitOptions) Validate() error {
	errs := []error{fieldtags.Check(o)}
	if o.Method != SplitGrouped && o.Method != SplitByHash && o.Method != SplitByTime {
		errs = append(errs, fmt.Errorf("method is %q: must be %s, %s or %s", o.Method, SplitGrouped, SplitByHash, SplitByTime))
	}
	if sum := o.Train + o.Development + o.Test; !(math.Abs(sum-1) <= 1e-9) {
		errs = append(errs, fmt.Errorf("train, development and test add up to %.12g: must be 1", sum))
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
	return [...]string{"train", "development", "test"}[min(p, Test)]
}

// ByHash returns the part of the message with the given split key, see [Hashes]. In a grouped split, the key is that of the first message of the
// group. The part depends on the options, the seed and the key alone, so a message stays in its part when others come or go. The
// sizes of the parts are random around their shares.
func (o SplitOptions) ByHash(seed, key uint64) Part {
	u := chance(seed, key)
	// A part without a share stays empty, even if the sum of the shares has a rounding error.
	switch {
	case u < o.Train || o.Development == 0 && o.Test == 0:
		return Train
	case u < o.Train+o.Development || o.Test == 0:
		return Development
	}
	return Test
}

// Fold returns the part of the message with the given split key in a round, from 0, of a cross-validation with at least 3 folds. Each
// message is in the test part of one round and in the development part of another.
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

// mix is the step of the generator splitmix64, in which each bit of x changes about half of the bits of the result. Source:
// Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// ByTime returns the part of each message, given the times of delivery: the oldest messages are for training, the next for
// development, the newest for the test. Messages with the same time keep their order. A message without a time (zero) counts as
// the oldest, so that it is not what a model is tested on.
func (o SplitOptions) ByTime(times []time.Time) []Part {
	order := indices.Below[int](len(times))
	slices.SortStableFunc(order, func(a, b int) int { return times[a].Compare(times[b]) })
	n := float64(len(times))
	trained := int(math.Round(n * o.Train))
	developed := int(math.Round(n * (o.Train + o.Development)))
	parts := make([]Part, len(times))
	for rank, i := range order[trained:] {
		if parts[i] = Development; trained+rank >= developed {
			parts[i] = Test
		}
	}
	return parts
}
