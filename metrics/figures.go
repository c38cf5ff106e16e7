package metrics

import (
	"cmp"
	"math"
	"slices"

	"chaff/internal/indices"
)

// Figures are the figures of a classifier on some messages. Percentages are 0..100.
type Figures struct {
	Messages     int     `json:"messages"`
	Accuracy     float64 `json:"accuracy"`     // the percentage of correct predictions; without messages, 0
	AccuracyLow  float64 `json:"accuracy_low"` // with AccuracyHigh the 95 % interval; see [Wilson]
	AccuracyHigh float64 `json:"accuracy_high"`
	// ZeroOneLoss is the empirical risk under 0-1 loss, 0..1: the mean over the messages of L(y, f(x)) = 0 if f(x) = y, else 1. Without messages, it
	// is 0. Source: cs446 lecture 4, "0-1 Loss" and "The empirical risk of f(x)".
	ZeroOneLoss float64        `json:"zero_one_loss"`
	Confusion   Confusion      `json:"confusion"`         // K x K: rows are true classes, columns predicted classes
	Classes     []ClassFigures `json:"classes,omitempty"` // the figures of each class

	// Percentages of a spam filter; nil for another classifier, and if they are not defined.
	HM           *float64 `json:"hm,omitempty"`             // ham lost
	SM           *float64 `json:"sm,omitempty"`             // spam let through
	LAM          *float64 `json:"lam,omitempty"`            // the logistic average of both; see [Figures.MeasureSpam]
	OneMinusROCA *float64 `json:"one_minus_roca,omitempty"` // (1-ROCA)%, the pairs of a ham and a spam in which the ham has the higher score

	// SquareLoss is that of the scores; see [SquareLoss]. LogLoss, Brier and CalibrationError are those of the probabilities that
	// a [Calibration] makes of the scores; see [LogLoss], [Brier] and [ExpectedCalibrationError]. Without messages, all are nil.
	SquareLoss       *float64         `json:"square_loss,omitempty"`
	LogLoss          *float64         `json:"log_loss,omitempty"`
	Brier            *float64         `json:"brier,omitempty"`
	CalibrationError *float64         `json:"calibration_error,omitempty"`
	Reliability      []ReliabilityBin `json:"reliability,omitempty"` // the reliability table of the probabilities; see [Reliability]
}

// FewToTell is below how many messages a share of errors says nothing.
const FewToTell = 20

// Errors returns the number of wrong predictions.
func (f *Figures) Errors() int { return f.Messages - f.Confusion.Correct() }

// Measure returns the figures of a classifier. [Figures.MeasureScores] and [Figures.MeasureSpam] add those of its scores.
func Measure(labels, predictions []int32, classes int) Figures {
	c, n := NewConfusion(labels, predictions, classes), len(labels)
	low, high := Wilson(c.Correct(), n)
	f := Figures{Messages: n, AccuracyLow: 100 * low, AccuracyHigh: 100 * high, Confusion: c}
	if n > 0 {
		f.Accuracy = 100 * (float64(c.Correct()) / float64(n))
		f.ZeroOneLoss = float64(f.Errors()) / float64(n)
	}
	for i := range classes {
		f.Classes = append(f.Classes, c.Class(i))
	}
	return f
}

// MeasureSpam adds the figures of a spam filter, for the messages that f was measured on. Class 0 is ham, class 1 spam.
//
//	hm%  = 100 * ham predicted spam / ham      ham lost; nil without ham
//	sm%  = 100 * spam predicted ham / spam     spam let through; nil without spam
//	lam% = 100 * invlogit((logit hm + logit sm) / 2)    with logit p = log(p/(1-p)); nil without both
//
// Source: G. V. Cormack, T. R. Lynam: TREC 2005 Spam Track Overview (NIST SP 500-266: "ham misclassification", "spam misclassification", "logistic
// average misclassification"). A rate of 0 or 1 has an infinite logit, so both rates of lam% are smoothed: (errors + 0.5) / (messages + 1). CEAS 2007
// used (errors + 0.5) / (messages + 0.5), which is 1 if everything is wrong.
func (f *Figures) MeasureSpam(m Margins) {
	mustMatch(len(m.Ham)+len(m.Spam), f.Messages)
	if len(f.Confusion) != 2 {
		panic("metrics: a spam filter has two classes")
	}
	lost, ham, missed, spam := f.Confusion[0][1], f.Confusion.Of(0), f.Confusion[1][0], f.Confusion.Of(1)
	logit := func(errors, messages int) float64 {
		p := (float64(errors) + 0.5) / (float64(messages) + 1)
		return math.Log(p) - math.Log1p(-p)
	}
	mean := (logit(lost, ham) + logit(missed, spam)) / 2
	f.HM, f.SM, f.OneMinusROCA = percentOf(lost, ham), percentOf(missed, spam), m.oneMinusROCA()
	f.LAM = orNil(100*(1/(1+math.Exp(-mean))), ham > 0 && spam > 0)
}

// MeasureScores adds the figures of the N x K scores of the messages that f was measured on, row by row, and of the N x K probabilities
// that a [Calibration] made of them. The order of the messages changes no bit of them.
func (f *Figures) MeasureScores(labels []int32, scores, probabilities []float64, classes int) {
	mustMatch(len(labels), f.Messages)
	mustMatch(len(scores), len(labels)*classes)
	mustMatch(len(probabilities), len(scores))
	labels, tables := sorted(labels, classes, scores, probabilities)
	scores, probabilities = tables[0], tables[1]
	defined := len(labels) > 0
	squareLoss := SquareLoss(labels, scores, classes)
	// The square of a finite score can overflow, and JSON has no infinity.
	f.SquareLoss = orNil(squareLoss, defined && !math.IsInf(squareLoss, 0))
	f.LogLoss = orNil(LogLoss(labels, probabilities, classes), defined)
	f.Brier = orNil(Brier(labels, probabilities, classes), defined)
	f.Reliability = Reliability(labels, probabilities, classes)
	f.CalibrationError = orNil(ExpectedCalibrationError(f.Reliability), defined)
}

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
			y := float64(2*label - 1)
			return sum + (y-(row[1]-row[0]))*(y-(row[1]-row[0]))
		}
		for c, score := range row {
			y := -1.
			if int(label) == c {
				y = 1
			}
			sum += (y - score) * (y - score) / float64(classes)
		}
		return sum
	})
}

// LogLoss returns the mean over the messages of
//
//	L(y, p) = -ln p_y
//
// for N x K probabilities row by row; without messages, 0. Probabilities below 1e-15 count as 1e-15, so that the loss of one
// message is at most 34.5, much as in scikit-learn's log_loss. Source: I. J. Good: Rational Decisions (J. R. Stat. Soc. B 14, 1952).
func LogLoss(labels []int32, probabilities []float64, classes int) float64 {
	const minProbability = 1e-15 // the least that counts
	mustMatch(len(probabilities), len(labels)*classes)
	return meanOf(labels, func(sum float64, i int, label int32) float64 {
		return sum - math.Log(max(probabilities[i*classes+int(label)], minProbability))
	})
}

// Brier returns Brier's score, 0..1, of N x K probabilities row by row: half of the mean over the messages of
//
//	sum over c of (p_c - y_c)²    with y_c = 1 for the true class, else 0
//
// For two classes it is (p_1 - y_1)². Without messages, it is 0. Source: G. W. Brier: Verification of Forecasts Expressed in Terms of Probability (Monthly
// Weather Review 78, 1950), who did not halve it.
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

// sorted returns copies of N labels and of tables of N x K numbers, sorted by label and then by the rows of the tables. The last bits of
// a floating-point sum depend on the order, and sorting makes them independent of the order of the messages.
func sorted(labels []int32, classes int, tables ...[]float64) (sortedLabels []int32, sortedTables [][]float64) {
	order := indices.Below[int](len(labels))
	slices.SortFunc(order, func(i, j int) int {
		by := cmp.Compare(labels[i], labels[j])
		for _, t := range tables {
			if by == 0 {
				by = slices.Compare(t[i*classes:][:classes], t[j*classes:][:classes])
			}
		}
		return by
	})
	sortedTables = make([][]float64, len(tables))
	for _, i := range order {
		sortedLabels = append(sortedLabels, labels[i])
		for n, t := range tables {
			sortedTables[n] = append(sortedTables[n], t[i*classes:][:classes]...)
		}
	}
	return sortedLabels, sortedTables
}

// The objectives by which settings are compared.
const (
	ByAccuracy     = "accuracy"       // higher is better
	ByOneMinusROCA = "one_minus_roca" // lower is better, as for the following
	ByLAM          = "lam"
	ByLogLoss      = "log_loss"
)

// Objectives returns the names of all objectives.
func Objectives() []string { return []string{ByAccuracy, ByOneMinusROCA, ByLAM, ByLogLoss} }

// Cost returns the number that a search by the given objective minimises. It is infinite for a figure that is not defined, and without figures.
func (f *Figures) Cost(objective string) float64 {
	if f == nil {
		return math.Inf(1)
	}
	if objective == ByAccuracy {
		return -f.Accuracy
	}
	figure := map[string]*float64{ByOneMinusROCA: f.OneMinusROCA, ByLAM: f.LAM, ByLogLoss: f.LogLoss}[objective]
	if figure == nil {
		return math.Inf(1)
	}
	return *figure
}

// Confusion is a confusion matrix, K x K: the row is the true class, the column the predicted class.
type Confusion [][]int

// NewConfusion counts messages by their labels and predictions.
func NewConfusion(labels, predictions []int32, classes int) Confusion {
	mustMatch(len(labels), len(predictions))
	c := make(Confusion, classes)
	for i := range c {
		c[i] = make([]int, classes)
	}
	for i, label := range labels {
		c[label][predictions[i]]++
	}
	return c
}

// Of returns how many messages are of the given class.
func (c Confusion) Of(class int) (n int) {
	for _, count := range c[class] {
		n += count
	}
	return n
}

// Correct returns how many messages were predicted correctly: the sum of the diagonal.
func (c Confusion) Correct() (n int) {
	for class, row := range c {
		n += row[class]
	}
	return n
}

// ClassFigures are the figures of one class. Percentages are 0..100, and nil if they are not defined.
type ClassFigures struct {
	Messages int `json:"messages"` // how many messages are of the class
	// Precision is the percentage of the messages predicted to be of the class that are. It needs such a prediction.
	Precision *float64 `json:"precision,omitempty"`
	// Recall is the percentage of the messages of the class that are predicted to be. It needs a message of the class.
	Recall *float64 `json:"recall,omitempty"`
	// F1 is the harmonic mean of both. It needs a message or a prediction of the class.
	F1 *float64 `json:"f1,omitempty"`
}

// Class returns the figures of one class.
//
//	precision = correct / predicted to be of the class
//	recall    = correct / of the class
//	F1        = 2 * correct / (of the class + predicted to be of it)
//
// F1 equals 2 * precision * recall / (precision + recall), and 0 where one of the two is not defined. Source: C. J. van Rijsbergen: Information Retrieval (1979).
func (c Confusion) Class(i int) ClassFigures {
	correct, of, takenFor := c[i][i], c.Of(i), 0
	for _, row := range c {
		takenFor += row[i]
	}
	return ClassFigures{of, percentOf(correct, takenFor), percentOf(correct, of), percentOf(2*correct, of+takenFor)}
}

// percentOf returns 100 * count / n, nil for n = 0.
func percentOf(count, n int) *float64 { return orNil(100*float64(count)/float64(n), n > 0) }

func orNil(x float64, defined bool) *float64 {
	if !defined {
		return nil
	}
	return &x
}
