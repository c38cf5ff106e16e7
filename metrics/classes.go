package metrics

// ClassFigures are what is reported about one class. Percentages are 0..100, and nil where they are not defined.
type ClassFigures struct {
	// Messages is how many are of the class.
	Messages int `json:"messages"`
	// Precision is the percentage of the messages taken for the class that are of it: not defined if none was.
	Precision *float64 `json:"precision,omitempty"`
	// Recall is the percentage of the messages of the class that were taken for it: not defined if there are none.
	Recall *float64 `json:"recall,omitempty"`
	// F1 is the harmonic mean of both. It is not defined if no message is of the class or was taken for it.
	F1 *float64 `json:"f1,omitempty"`
}

// Class returns the figures of one class.
//
//	precision = correct / taken for the class
//	recall    = correct / of the class
//	F1        = 2 * correct / (of the class + taken for it)
//
// The last is 2 * precision * recall / (precision + recall), and is 0 where one of the two is not defined and the other
// is 0. Source: C. J. van Rijsbergen 1979.
func (c Confusion) Class(i int) ClassFigures {
	correct, of, takenFor := c[i][i], c.Of(i), c.TakenFor(i)
	return ClassFigures{
		Messages:  of,
		Precision: orNil(percentOf(correct, takenFor)),
		Recall:    orNil(percentOf(correct, of)),
		F1:        orNil(percentOf(2*correct, of+takenFor)),
	}
}
