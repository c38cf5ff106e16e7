package metrics

import "fmt"

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

// Messages returns the number of messages.
func (c Confusion) Messages() int {
	n := 0
	for class := range c {
		n += c.Of(class)
	}
	return n
}

// Of returns how many messages are of the given class.
func (c Confusion) Of(class int) int {
	n := 0
	for _, count := range c[class] {
		n += count
	}
	return n
}

// TakenFor returns how many messages were predicted to be of the given class.
func (c Confusion) TakenFor(class int) int {
	n := 0
	for _, row := range c {
		n += row[class]
	}
	return n
}

// Correct returns how many messages were predicted correctly: the sum of the diagonal.
func (c Confusion) Correct() int {
	n := 0
	for class, row := range c {
		n += row[class]
	}
	return n
}

// Accuracy returns the share of messages predicted correctly, 0..1; without messages, 0.
func (c Confusion) Accuracy() float64 {
	n := c.Messages()
	if n == 0 {
		return 0
	}
	return float64(c.Correct()) / float64(n)
}

// ClassFigures are the figures of one class. Percentages are 0..100, and nil if they are not defined.
type ClassFigures struct {
	// Messages is how many messages are of the class.
	Messages int `json:"messages"`
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
// F1 equals 2 * precision * recall / (precision + recall), and 0 where one of the two is not defined. Source: C. J. van
// Rijsbergen 1979.
func (c Confusion) Class(i int) ClassFigures {
	correct, of, takenFor := c[i][i], c.Of(i), c.TakenFor(i)
	return ClassFigures{
		Messages:  of,
		Precision: orNil(percentOf(correct, takenFor)),
		Recall:    orNil(percentOf(correct, of)),
		F1:        orNil(percentOf(2*correct, of+takenFor)),
	}
}

// mustMatch panics if two parallel slices have different lengths.
func mustMatch(a, b int) {
	if a != b {
		panic(fmt.Sprintf("metrics: slices of %d and %d messages", a, b))
	}
}
