package metrics

import (
	"cmp"
	"math"
	"slices"
)

const (
	// reliabilityBins is the largest number of bins of a reliability table.
	reliabilityBins = 10
	// leastInBin is the least number of messages in a bin, if there are as many: the share of fewer says little.
	leastInBin = 20
)

// ReliabilityBin compares predicted probabilities with outcomes, for the messages whose probability is from Low to High. With perfect
// probabilities, Predicted equals Observed.
type ReliabilityBin struct {
	Low      float64 `json:"low"`
	High     float64 `json:"high"`
	Messages int     `json:"messages"`
	// Predicted is the mean probability, 0..1.
	Predicted float64 `json:"predicted"`
	// Observed is the share of messages for which the prediction came true, 0..1, with the ends of its 95 % interval; see [Wilson].
	Observed     float64 `json:"observed"`
	ObservedLow  float64 `json:"observed_low"`
	ObservedHigh float64 `json:"observed_high"`
}

// Reliability returns the reliability table of N x K probabilities, row by row: at most ten bins in ascending order, with as equal numbers
// of messages as possible, and at least 20 if there are as many. Messages of one probability share a bin. The prediction is class 1 for
// two classes; for more it is the most probable class, and the first of equally probable ones.
//
// Source: A. Niculescu-Mizil, R. Caruana 2005 for two classes; C. Guo and others 2017 for more. Both have bins of equal width, of which
// those in the middle hold single messages of a good filter.
func Reliability(labels []int32, probabilities []float64, classes int) []ReliabilityBin {
	mustMatch(len(probabilities), len(labels)*classes)
	type outcome struct {
		probability float64
		came        bool // true
	}
	all := make([]outcome, len(labels))
	for i, label := range labels {
		row := probabilities[i*classes:][:classes]
		predicted := 1
		if classes != 2 {
			predicted = slices.Index(row, slices.Max(row))
		}
		all[i] = outcome{row[predicted], int(label) == predicted}
	}
	slices.SortFunc(all, func(a, b outcome) int { return cmp.Compare(a.probability, b.probability) })
	bins := max(1, min(reliabilityBins, len(all)/leastInBin))
	var table []ReliabilityBin
	for from, bin := 0, 0; from < len(all); bin++ {
		to := max(from+1, (bin+1)*len(all)/bins)
		for to < len(all) && all[to].probability == all[to-1].probability {
			to++
		}
		sum, came := 0., 0
		for _, o := range all[from:to] {
			sum += o.probability
			if o.came {
				came++
			}
		}
		n := to - from
		low, high := Wilson(came, n)
		table = append(table, ReliabilityBin{
			Low: all[from].probability, High: all[to-1].probability, Messages: n,
			Predicted: sum / float64(n), Observed: float64(came) / float64(n), ObservedLow: low, ObservedHigh: high,
		})
		from = to
	}
	return table
}

// ExpectedCalibrationError returns the mean over the messages of the difference between Predicted and Observed in their bin, 0..1;
// without messages, 0.
//
//	sum over the bins of Messages/N * |Predicted - Observed|
//
// Source: M. P. Naeini, G. F. Cooper, M. Hauskrecht 2015.
func ExpectedCalibrationError(bins []ReliabilityBin) float64 {
	messages, sum := 0, 0.
	for _, bin := range bins {
		messages += bin.Messages
		sum += float64(bin.Messages) * math.Abs(bin.Predicted-bin.Observed)
	}
	if messages == 0 {
		return 0
	}
	return sum / float64(messages)
}
