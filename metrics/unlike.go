package metrics

import (
	"fmt"
	"math"
	"slices"
)

// Usual is how new messages like those that a model learned are to it, as figures of messages that it had not learned: shares from 0 to 1.
type Usual struct {
	Messages  int     `json:"messages"`
	Mean      float64 `json:"mean"`
	Deviation float64 `json:"deviation"`
	// High is what one message in a hundred exceeds.
	High float64 `json:"high"`
}

// leastUsual is the number of messages from which on something is usual.
const leastUsual = 20

// NewUsual returns the figures of messages, all zero for too few of them. It sorts the values.
func NewUsual(novelty []float64) Usual {
	if len(novelty) < leastUsual {
		return Usual{}
	}
	slices.Sort(novelty)
	var sum, squares float64
	for _, v := range novelty {
		sum += v
		squares += v * v
	}
	n := float64(len(novelty))
	return Usual{len(novelty), sum / n, math.Sqrt(max(0, squares/n-sum/n*sum/n)), novelty[int(math.Ceil(0.99*n))-1]}
}

// leastDeviation is that of mail so much alike that a small difference would be many deviations.
const leastDeviation = 0.02

// IsUnlike reports whether a message that is so new is unlike those that the model learned: newer than 99 of 100.
func (u Usual) IsUnlike(novelty float64) bool {
	return u.Messages > 0 && novelty > u.High+leastDeviation
}

// Unlike notices that messages are unlike those that a model learned: each deviates from what is usual for the class that it was given, in
// standard deviations, and their mean is above 1. That is far beyond chance for so many independent messages, and allows for the likeness of those that
// come together (docs/evaluation.md has measurements).
type Unlike struct {
	messages, novelty, usual, deviations float64
}

// Add adds a message.
func (u *Unlike) Add(novelty float64, usual Usual) {
	if usual.Messages == 0 {
		return
	}
	u.messages++
	u.novelty += novelty
	u.usual += usual.Mean
	u.deviations += (novelty - usual.Mean) / max(usual.Deviation, leastDeviation)
}

// Fade makes the messages so far count half.
func (u *Unlike) Fade() {
	u.messages, u.novelty, u.usual, u.deviations = u.messages/2, u.novelty/2, u.usual/2, u.deviations/2
}

// Messages returns how many messages count.
func (u *Unlike) Messages() int { return int(u.messages) }

// String returns a warning in words, or "" if nothing shows that the messages are unlike the others.
func (u *Unlike) String() string {
	if u.messages < leastUsual || u.deviations <= u.messages {
		return ""
	}
	return fmt.Sprintf("%d messages are unlike the mail that the model learned: %.0f%% of their terms are new to it, and %.0f%% are usual; what it promises does not hold for them",
		u.Messages(), 100*u.novelty/u.messages, 100*u.usual/u.messages)
}
