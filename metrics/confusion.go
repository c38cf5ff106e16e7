package metrics

import "fmt"

// Confusion counts messages by what they are and what they were taken for: K x K, the row is the true class and the
// column the predicted class.
type Confusion [][]int

// NewConfusion counts labels against predictions, both indices of one of the given number of classes.
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

// Messages returns the number of messages counted.
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

// Correct returns how many messages were predicted to be what they are: the diagonal.
func (c Confusion) Correct() int {
	n := 0
	for class, row := range c {
		n += row[class]
	}
	return n
}

// Accuracy returns the share of messages predicted correctly, 0..1; 0 when there are none.
func (c Confusion) Accuracy() float64 {
	n := c.Messages()
	if n == 0 {
		return 0
	}
	return float64(c.Correct()) / float64(n)
}

// mustMatch panics when two slices that go together have different lengths.
func mustMatch(a, b int) {
	if a != b {
		panic(fmt.Sprintf("metrics: slices of %d and %d messages", a, b))
	}
}
