package metrics

import "math"

// Figures are what is reported about a classifier on one part of a corpus. Percentages are 0..100.
type Figures struct {
	// Messages is how many were classified.
	Messages int `json:"messages"`
	// Accuracy is the percentage classified correctly; 0 when there are no messages.
	Accuracy float64 `json:"accuracy"`
	// AccuracyLow and AccuracyHigh are the ends of the 95 % interval of [Wilson], as percentages; 0 and 100 when there
	// are no messages.
	AccuracyLow  float64 `json:"accuracy_low"`
	AccuracyHigh float64 `json:"accuracy_high"`
	// ZeroOneLoss is the empirical risk under 0-1 loss, 0..1; see [ZeroOneLoss].
	ZeroOneLoss float64 `json:"zero_one_loss"`
	// Confusion is K x K: rows are true classes, columns predicted classes.
	Confusion Confusion `json:"confusion"`
	// Classes are the figures of each class.
	Classes []ClassFigures `json:"classes,omitempty"`

	// HM is ham lost, SM spam let through and LAM the logistic average of both, as percentages; see [Misses]. Each is
	// nil where it is not defined and for a classifier that is no spam filter.
	HM  *float64 `json:"hm,omitempty"`
	SM  *float64 `json:"sm,omitempty"`
	LAM *float64 `json:"lam,omitempty"`
	// OneMinusROCA is (1-ROCA)%; see [OneMinusROCA]. nil like the three above.
	OneMinusROCA *float64 `json:"one_minus_roca,omitempty"`

	// SquareLoss is that of the scores; see [SquareLoss]. LogLoss, Brier and CalibrationError are those of the
	// probabilities that a [Calibration] makes of the scores; see [LogLoss], [Brier] and [ExpectedCalibrationError].
	// All are nil when there are no messages.
	SquareLoss       *float64 `json:"square_loss,omitempty"`
	LogLoss          *float64 `json:"log_loss,omitempty"`
	Brier            *float64 `json:"brier,omitempty"`
	CalibrationError *float64 `json:"calibration_error,omitempty"`
	// Reliability says for which probabilities how many predictions came true; see [Reliability].
	Reliability []ReliabilityBin `json:"reliability,omitempty"`
}

// Measure returns the figures of a classifier with the given number of classes. [Figures.MeasureScores] adds those of
// its scores, and [Figures.MeasureSpam] those of a spam filter.
func Measure(labels, predictions []int32, classes int) Figures {
	c := NewConfusion(labels, predictions, classes)
	low, high := Wilson(c.Correct(), c.Messages())
	figures := make([]ClassFigures, classes)
	for i := range figures {
		figures[i] = c.Class(i)
	}
	return Figures{
		Messages:     c.Messages(),
		Accuracy:     100 * c.Accuracy(),
		AccuracyLow:  100 * low,
		AccuracyHigh: 100 * high,
		ZeroOneLoss:  ZeroOneLoss(labels, predictions),
		Confusion:    c,
		Classes:      figures,
	}
}

// MeasureSpam adds to the figures of [Measure] those of a spam filter: f has two classes, class 0 is ham and class 1 is
// spam. The errors are taken from the confusion, the order of the messages from their scores: the higher, the more like
// spam. scores and spam are of the messages that f was measured on.
func (f *Figures) MeasureSpam(scores []float64, spam []bool) {
	mustMatch(len(scores), f.Messages)
	if len(f.Confusion) != 2 {
		panic("metrics: a spam filter has two classes")
	}
	m := Misses{
		Ham: f.Confusion.Of(0), HamLost: f.Confusion[0][1],
		Spam: f.Confusion.Of(1), SpamThrough: f.Confusion[1][0],
	}
	f.HM = orNil(m.HM())
	f.SM = orNil(m.SM())
	f.LAM = orNil(m.LAM())
	f.OneMinusROCA = orNil(OneMinusROCA(scores, spam))
}

// MeasureScores adds to the figures of [Measure] those of the N x K scores, row by row, of the messages that f was
// measured on, and of the N x K probabilities that a [Calibration] made of them. The order of the messages changes no bit
// of them.
func (f *Figures) MeasureScores(labels []int32, scores, probabilities []float64, classes int) {
	mustMatch(len(labels), f.Messages)
	mustMatch(len(scores), len(labels)*classes)
	mustMatch(len(probabilities), len(scores))
	labels, tables := sorted(labels, classes, scores, probabilities)
	scores, probabilities = tables[0], tables[1]
	bins := Reliability(labels, probabilities, classes)
	defined := len(labels) > 0
	squareLoss := SquareLoss(labels, scores, classes)
	// The square of a finite score may be too large for a number, and JSON has no infinity.
	f.SquareLoss = orNil(squareLoss, defined && !math.IsInf(squareLoss, 0))
	f.LogLoss = orNil(LogLoss(labels, probabilities, classes), defined)
	f.Brier = orNil(Brier(labels, probabilities, classes), defined)
	f.CalibrationError = orNil(ExpectedCalibrationError(bins), defined)
	f.Reliability = bins
}

func orNil(x float64, defined bool) *float64 {
	if !defined {
		return nil
	}
	return &x
}
