package metrics

import "math"

// ZeroOneLoss returns the empirical risk under 0-1 loss: the mean over the messages of
//
//	L(y, f(x)) = 0 if f(x) = y, else 1
//
// It is 1 - accuracy, in 0..1, and 0 when there are no messages. Source: cs446 lecture 4, "0-1 Loss" and "The
// empirical risk of f(x)".
func ZeroOneLoss(labels, predictions []int32) float64 {
	mustMatch(len(labels), len(predictions))
	if len(labels) == 0 {
		return 0
	}
	wrong := 0
	for i, label := range labels {
		if predictions[i] != label {
			wrong++
		}
	}
	return float64(wrong) / float64(len(labels))
}

// SquareLoss returns the empirical risk under square loss, (y - f(x))², of N x K scores row by row. For two classes the
// score f(x) is that of class 1 over class 0, and y is +1 for a message of class 1 and -1 for one of class 0: the mean
// over the messages. For more, each class is told from the others by its own score, with y = +1 for messages of the
// class and -1 for all others: the mean over the messages and classes. It is 0 when there are no messages.
//
// It is the only loss here that depends on the unit of the scores. Source: cs446 lecture 4, "Square Loss".
func SquareLoss(labels []int32, scores []float64, classes int) float64 {
	mustMatch(len(scores), len(labels)*classes)
	if len(labels) == 0 {
		return 0
	}
	sum := 0.
	for i, label := range labels {
		row := scores[i*classes:][:classes]
		if classes == 2 {
			sum += square(sign(label == 1) - (row[1] - row[0]))
			continue
		}
		for c, score := range row {
			sum += square(sign(int(label) == c)-score) / float64(classes)
		}
	}
	return sum / float64(len(labels))
}

// leastProbability is what [LogLoss] takes a smaller probability for.
const leastProbability = 1e-15

// LogLoss returns the mean over the messages of
//
//	L(y, p) = -ln p_y
//
// for N x K probabilities row by row; 0 when there are no messages. A probability below 1e-15 is taken for 1e-15, so that
// the loss of one message is at most 34.5 and never infinite; scikit-learn's log_loss does the like.
// Source: I. J. Good 1952.
func LogLoss(labels []int32, probabilities []float64, classes int) float64 {
	mustMatch(len(probabilities), len(labels)*classes)
	if len(labels) == 0 {
		return 0
	}
	sum := 0.
	for i, label := range labels {
		sum -= math.Log(max(probabilities[i*classes+int(label)], leastProbability))
	}
	return sum / float64(len(labels))
}

// Brier returns Brier's score, 0..1, of N x K probabilities row by row: half of the mean over the messages of
//
//	sum over c of (p_c - y_c)²    with y_c = 1 for the true class, else 0
//
// which for two classes is (p_1 - y_1)². It is 0 when there are no messages. Source: G. W. Brier 1950, who did not halve
// it.
func Brier(labels []int32, probabilities []float64, classes int) float64 {
	mustMatch(len(probabilities), len(labels)*classes)
	if len(labels) == 0 {
		return 0
	}
	sum := 0.
	for i, label := range labels {
		for c, p := range probabilities[i*classes:][:classes] {
			if int(label) == c {
				p = 1 - p
			}
			sum += p * p
		}
	}
	return sum / 2 / float64(len(labels))
}

func square(x float64) float64 { return x * x }

// sign returns +1 or -1.
func sign(positive bool) float64 {
	if positive {
		return 1
	}
	return -1
}
