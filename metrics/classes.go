package metrics

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
