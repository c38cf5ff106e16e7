package metrics

import (
	"math"
	"slices"
)

// reliabilityBins is the number of bins of a reliability table.
const reliabilityBins = 10

// ReliabilityBin compares predicted probabilities with outcomes, for the messages whose probability is from Low up to but not including
// High. The last bin includes 1. With perfect probabilities, Predicted equals Observed.
type ReliabilityBin struct {
	Low      float64 `json:"low"`
	High     float64 `json:"high"`
	Messages int     `json:"messages"`
	// Predicted is the mean probability, 0..1.
	Predicted float64 `json:"predicted"`
	// Observed is the share of messages for which the prediction came true, 0..1.
	Observed float64 `json:"observed"`
}

// Reliability returns the reliability table of N x K probabilities, row by row: ten bins of equal width, without empty ones. The
// prediction is class 1 for two classes; for more it is the most probable class, and the first of equally probable ones.
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
