package metrics

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
