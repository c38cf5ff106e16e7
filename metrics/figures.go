package metrics

import "math"

// Figures are the figures of a classifier on some messages. Percentages are 0..100.
type Figures struct {
	// Messages is the number of messages.
	Messages int `json:"messages"`
	// Accuracy is the percentage of correct predictions; without messages, 0.
	Accuracy float64 `json:"accuracy"`
	// AccuracyLow and AccuracyHigh are the ends of the 95 % interval of the accuracy; see [Wilson].
	AccuracyLow  float64 `json:"accuracy_low"`
	AccuracyHigh float64 `json:"accuracy_high"`
	// ZeroOneLoss is the empirical risk under 0-1 loss, 0..1; see [ZeroOneLoss].
	ZeroOneLoss float64 `json:"zero_one_loss"`
	// Confusion is K x K: rows are true classes, columns predicted classes.
	Confusion Confusion `json:"confusion"`
	// Classes are the figures of each class.
	Classes []ClassFigures `json:"classes,omitempty"`

	// SpamFigures are nil for a classifier that is not a spam filter.
	SpamFigures

	// SquareLoss is that of the scores; see [SquareLoss]. LogLoss, Brier and CalibrationError are those of the probabilities that
	// a [Calibration] makes of the scores; see [LogLoss], [Brier] and [ExpectedCalibrationError]. Without messages, all are nil.
	SquareLoss       *float64 `json:"square_loss,omitempty"`
	LogLoss          *float64 `json:"log_loss,omitempty"`
	Brier            *float64 `json:"brier,omitempty"`
	CalibrationError *float64 `json:"calibration_error,omitempty"`
	// Reliability is the reliability table of the probabilities; see [Reliability].
	Reliability []ReliabilityBin `json:"reliability,omitempty"`
}

// SpamFigures are the figures of a spam filter as percentages, nil if they are not defined.
type SpamFigures struct {
	// HM is ham lost, SM spam let through, LAM the logistic average of both; see [Confusion.LAM].
	HM  *float64 `json:"hm,omitempty"`
	SM  *float64 `json:"sm,omitempty"`
	LAM *float64 `json:"lam,omitempty"`
	// OneMinusROCA is (1-ROCA)%; see [OneMinusROCA].
	OneMinusROCA *float64 `json:"one_minus_roca,omitempty"`
}

func spamFigures(c Confusion, p pairs) SpamFigures {
	return SpamFigures{HM: orNil(c.HM()), SM: orNil(c.SM()), LAM: orNil(c.LAM()), OneMinusROCA: orNil(p.percent())}
}

// Measure returns the figures of a classifier with the given number of classes. [Figures.MeasureScores] and [Figures.MeasureSpam] add
// those of its scores.
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

// MeasureSpam adds the figures of a spam filter, for the messages that f was measured on. f has two classes: 0 is ham, 1 is spam. The
// higher the score, the more likely spam.
func (f *Figures) MeasureSpam(scores []float64, spam []bool) {
	mustMatch(len(scores), f.Messages)
	if len(f.Confusion) != 2 {
		panic("metrics: a spam filter has two classes")
	}
	f.SpamFigures = spamFigures(f.Confusion, countPairs(scores, spam))
}

// MeasureScores adds the figures of the N x K scores of the messages that f was measured on, row by row, and of the N x K probabilities
// that a [Calibration] made of them. The order of the messages changes no bit of them.
func (f *Figures) MeasureScores(labels []int32, scores, probabilities []float64, classes int) {
	mustMatch(len(labels), f.Messages)
	mustMatch(len(scores), len(labels)*classes)
	mustMatch(len(probabilities), len(scores))
	labels, tables := sorted(labels, classes, scores, probabilities)
	scores, probabilities = tables[0], tables[1]
	bins := Reliability(labels, probabilities, classes)
	defined := len(labels) > 0
	squareLoss := SquareLoss(labels, scores, classes)
	// The square of a finite score can overflow, and JSON has no infinity.
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
