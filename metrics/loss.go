package metrics

import "math"

// meanOf returns the mean over the messages of what add adds to the sum for message i; without messages, 0.
func meanOf(labels []int32, add func(sum float64, i int, label int32) float64) float64 {
	if len(labels) == 0 {
		return 0
	}
	sum := 0.
	for i, label := range labels {
		sum = add(sum, i, label)
	}
	return sum / float64(len(labels))
}

// ZeroOneLoss returns the empirical risk under 0-1 loss, the mean over the messages of
//
//	L(y, f(x)) = 0 if f(x) = y, else 1
//
// It is 1 - accuracy; without messages, 0. Source: cs446 lecture 4, "0-1 Loss" and "The empirical risk of f(x)".
func ZeroOneLoss(labels, predictions []int32) float64 {
	mustMatch(len(labels), len(predictions))
	return meanOf(labels, func(sum float64, i int, label int32) float64 {
		if predictions[i] != label {
			sum++
		}
		return sum
	})
}

// SquareLoss returns the empirical risk under square loss, (y - f(x))², of N x K scores row by row; without messages, 0. For two
// classes, f(x) is the score of class 1 over class 0, y is +1 for a message of class 1 and -1 for one of class 0, and the mean is
// over the messages. With more classes, each class has its own score, y is +1 for messages of the class and -1 for all others, and
// the mean is over messages and classes.
//
// It depends on the unit of the scores, unlike the other losses. Source: cs446 lecture 4, "Square Loss".
func SquareLoss(labels []int32, scores []float64, classes int) float64 {
	mustMatch(len(scores), len(labels)*classes)
	return meanOf(labels, func(sum float64, i int, label int32) float64 {
		row := scores[i*classes:][:classes]
		if classes == 2 {
			return sum + square(sign(label == 1)-(row[1]-row[0]))
		}
		for c, score := range row {
			sum += square(sign(int(label) == c)-score) / float64(classes)
		}
		return sum
	})
}

// minProbability is the least probability that [LogLoss] counts with.
const minProbability = 1e-15

// LogLoss returns the mean over the messages of
//
//	L(y, p) = -ln p_y
//
// for N x K probabilities row by row; without messages, 0. Probabilities below 1e-15 count as 1e-15, so that the loss of one
// message is at most 34.5, much as in scikit-learn's log_loss. Source: I. J. Good 1952.
func LogLoss(labels []int32, probabilities []float64, classes int) float64 {
	mustMatch(len(probabilities), len(labels)*classes)
	return meanOf(labels, func(sum float64, i int, label int32) float64 {
		return sum - math.Log(max(probabilities[i*classes+int(label)], minProbability))
	})
}

// Brier returns Brier's score, 0..1, of N x K probabilities row by row: half of the mean over the messages of
//
//	sum over c of (p_c - y_c)²    with y_c = 1 for the true class, else 0
//
// For two classes it is (p_1 - y_1)². Without messages, it is 0. Source: G. W. Brier 1950, who did not halve it.
func Brier(labels []int32, probabilities []float64, classes int) float64 {
	mustMatch(len(probabilities), len(labels)*classes)
	return meanOf(labels, func(sum float64, i int, label int32) float64 {
		for c, p := range probabilities[i*classes:][:classes] {
			if int(label) == c {
				p = 1 - p
			}
			sum += p * p
		}
		return sum
	}) / 2
}

func square(x float64) float64 { return x * x }

// sign returns +1 or -1.
func sign(positive bool) float64 {
	if positive {
		return 1
	}
	return -1
}
