// Package metrics computes figures from scores, predictions and true labels.
//
// [Measure] returns the [Figures] of any classifier. [Figures.MeasureSpam] adds those of the TREC spam track, and
// [Figures.MeasureScores] those of the scores and of the probabilities that a [Calibration] makes of them. [Calibrate] fits a
// calibration to development mail. [ChooseThresholds] chooses the scores at which the verdict changes, by limits or by costs.
// [CompareErrors] tests whether two classifiers differ by more than chance. [Margins.ErrorCurve] returns data for a plot.
//
// Parallel slices (labels and predictions, scores and spam) have one entry for each message. K scores or probabilities of each
// message are in one slice, N x K row by row: those of message i are scores[i*K : (i+1)*K]. Functions panic if lengths differ or
// a label is outside 0..K-1. Scores are finite.
//
// No figure is NaN. A figure that is not defined, such as the share of spam let through without any spam, has a second
// result that is false, or is a nil pointer in [Figures].
//
// All functions are safe for concurrent use. They keep none of their arguments and change only the dst of
// [Calibration.Probabilities].
package metrics
