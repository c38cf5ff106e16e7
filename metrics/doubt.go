package metrics

import (
	"cmp"
	"math"
	"slices"

	"chaff/internal/screen"
)

// Typical has the typical margins of the messages of K classes, K x K row by row: in row l and column j, the median over the messages
// labelled j of s_j - s_l. A margin that says nothing is 0: on the diagonal, of a class with few messages, and where messages labelled j do
// not score above l. No scores of wrong labels move a median far.
type Typical []float64

// fewTypical is the number of messages of a class below which its median is not used.
const fewTypical = 20

// Doubted is the least doubt of a label that is called doubtful. It was chosen by the wrong labels that it finds (docs/inside/results.md).
const Doubted = 0.5

// TypicalOf returns the typical margins for N labels and N x K scores of messages that the model had not learned.
func TypicalOf(labels []int32, scores []float64, classes int) Typical {
	mustMatch(len(scores), len(labels)*classes)
	t := make(Typical, classes*classes)
	for j := range classes {
		var of []int
		for i, label := range labels {
			if int(label) == j {
				of = append(of, i*classes)
			}
		}
		if len(of) < fewTypical {
			continue
		}
		margins := make([]float64, len(of))
		for l := range classes {
			for n, row := range of {
				margins[n] = scores[row+j] - scores[row+l]
			}
			slices.Sort(margins)
			t[l*classes+j] = max(0, margins[len(margins)/2])
		}
	}
	return t
}

// Doubt returns how much the scores of a message, which the model had not learned, speak against its label l:
//
//	doubt = max over the other classes j of (s_j - s_l) / t_lj
//
// It is 1 for a message that scores as class j as much as the median message of that class, and 0 or less for one that scores as its label.
// Without t, and without another class that has a typical margin, it is 0.
//
// Source: C. Northcutt, L. Jiang, I. Chuang: Confident Learning: Estimating Uncertainty in Dataset Labels (JAIR 70, 2021), section 3.1; here its
// thresholds are medians of margins, which wrong labels do not move as they do means of probabilities (docs/inside/experiments.md).
func (t Typical) Doubt(label int, scores []float64) float64 {
	doubt := 0.
	if len(t) != len(scores)*len(scores) {
		return 0
	}
	for j, typical := range t[label*len(scores):][:len(scores)] {
		if typical > 0 {
			doubt = max(doubt, (scores[j]-scores[label])/typical)
		}
	}
	return doubt
}

// Doubt is a message whose label may be wrong.
type Doubt struct {
	Message int
	Doubt   float64 // see [Typical.Doubt]
}

// Doubtful returns the messages whose labels may be wrong, those with the greatest doubt first.
func (t Typical) Doubtful(labels []int32, scores []float64) (doubtful []Doubt) {
	for i, label := range labels {
		K := len(scores) / len(labels)
		if doubt := t.Doubt(int(label), scores[i*K:][:K]); doubt >= Doubted {
			doubtful = append(doubtful, Doubt{i, doubt})
		}
	}
	slices.SortStableFunc(doubtful, func(a, b Doubt) int { return cmp.Compare(b.Doubt, a.Doubt) })
	return doubtful
}

// Usual is how new messages like those that a model learned are to it, as figures of messages that it had not learned: shares from 0 to 1.
type Usual struct {
	Messages  int     `json:"messages"`
	Mean      float64 `json:"mean"`
	Deviation float64 `json:"deviation"`
	High      float64 `json:"high"` // what one message in a hundred exceeds
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

// Unlike notices that messages are unlike those that a model learned: each deviates from what is usual for the class that it was given, in standard
// deviations, and their mean is above 1, which is far beyond chance for so many messages (docs/inside/results.md has measurements).
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
	return screen.Sprintf("%d messages are unlike the mail that the model learned: %.0f%% of their terms are new to it, where %.0f%% is usual; its guarantee does not hold for them",
		u.Messages(), 100*u.novelty/u.messages, 100*u.usual/u.messages)
}
