package features

import "chaff/internal/evidence"

// Vector is one sparse row: the ids of the terms of a document in ascending order, and their values. All other terms have the
// value 0.
type Vector struct {
	IDs    []uint32
	Values []float32
	Groups []evidence.Group // of the terms, for the kind [Evidence]; otherwise nil
}

// Reset returns an empty vector in the same memory.
func (x Vector) Reset() Vector {
	return Vector{IDs: x.IDs[:0], Values: x.Values[:0], Groups: x.Groups[:0]}
}

// Dot returns the sum over the listed terms of Values[i] * w[IDs[i]], in float64 and in ascending order of ids, so that it is the
// same to the last bit for the same document. w has one weight for each term of the vocabulary; Dot panics if an id is beyond w.
func (x Vector) Dot(w []float32) float64 {
	var sum float64
	values := x.Values[:len(x.IDs)]
	for i, id := range x.IDs {
		sum += float64(values[i]) * float64(w[id])
	}
	return sum
}
