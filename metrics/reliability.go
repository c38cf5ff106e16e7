package metrics

import (
	"math"
	"slices"
)

// reliabilityBins is how many bins of equal width the probabilities from 0 to 1 are put into.
const reliabilityBins = 10

// ReliabilityBin compares what was predicted with what came true, for the messages whose probability is from Low up to
// but not including High; the last bin includes 1. Were the probabilities perfect, Predicted and Observed would be equal.
type ReliabilityBin struct {
	Low      float64 `json:"low"`
	High     float64 `json:"high"`
	Messages int     `json:"messages"`
	// Predicted is the mean probability, 0..1.
	Predicted float64 `json:"predicted"`
	// Observed is the share of the messages that the prediction came true for, 0..1.
	Observed float64 `json:"observed"`
}

// Reliability returns the reliability table of N x K probabilities, row by row: ten bins of equal width, the empty ones
// left out. For two classes the probability is that of class 1, which comes true for messages of class 1. For more it is
// that of the most probable class, of equal ones the first, which comes true for messages of that class.
//
// Source: A. Niculescu-Mizil, R. Caruana 2005 for two classes; C. Guo and others 2017 for more.
func Reliability(labels []int32, probabilities []float64, classes int) []ReliabilityBin {
	mustMatch(len(probabilities), len(labels)*classes)
	var bins [reliabilityBins]ReliabilityBin
	for i, label := range labels {
		row := probabilities[i*classes:][:classes]
		predicted := 1
		if classes != 2 {
			predicted = slices.Index(row, slices.Max(row))
		}
		bin := &bins[min(int(row[predicted]*reliabilityBins), reliabilityBins-1)]
		bin.Messages++
		bin.Predicted += row[predicted]
		if int(label) == predicted {
			bin.Observed++
		}
	}
	var table []ReliabilityBin
	for i, bin := range bins {
		if bin.Messages == 0 {
			continue
		}
		n := float64(bin.Messages)
		table = append(table, ReliabilityBin{
			Low: float64(i) / reliabilityBins, High: float64(i+1) / reliabilityBins, Messages: bin.Messages,
			Predicted: bin.Predicted / n, Observed: bin.Observed / n,
		})
	}
	return table
}

// ExpectedCalibrationError returns the mean over the messages of the difference between what was predicted and what was
// observed in their bin, 0..1; 0 when there are no messages.
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
