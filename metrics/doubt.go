package metrics

import (
	"cmp"
	"slices"
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
// Confident learning compares calibrated probabilities with their mean in a class, which wrong labels lower (docs/inside/experiments.md). Source: C.
// Northcutt, L. Jiang, I. Chuang: Confident Learning: Estimating Uncertainty in Dataset Labels (JAIR 70, 2021), section 3.1; here its thresholds
// are medians of margins.
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

// Doubtful returns the messages whose labels may be wrong, those with the greatest doubt first, and their doubts: see [Typical.Doubt].
func (t Typical) Doubtful(labels []int32, scores []float64) (messages []int, doubts []float64) {
	all := make([]float64, len(labels))
	for i, label := range labels {
		K := len(scores) / len(labels)
		if all[i] = t.Doubt(int(label), scores[i*K:][:K]); all[i] >= Doubted {
			messages = append(messages, i)
		}
	}
	slices.SortStableFunc(messages, func(i, j int) int { return cmp.Compare(all[j], all[i]) })
	for _, i := range messages {
		doubts = append(doubts, all[i])
	}
	return messages, doubts
}
