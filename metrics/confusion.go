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

// mustMatch panics if two parallel slices have different lengths.
func mustMatch(a, b int) {
	if a != b {
		panic(fmt.Sprintf("metrics: slices of %d and %d messages", a, b))
	}
}
