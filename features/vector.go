package features

// Vector is one sparse row: the ids of the terms of a document in ascending order, and their values. Terms that are
// not listed have the value 0.
type Vector struct {
	IDs    []uint32
	Values []float32
	// Groups are the groups of evidence of the terms, for vectors of the kind [Evidence]; else nil.
	Groups []Group
}

// Reset returns the vector without terms, in the same memory.
func (x Vector) Reset() Vector {
	return Vector{IDs: x.IDs[:0], Values: x.Values[:0], Groups: x.Groups[:0]}
}

// Dot returns the sum over the listed terms of Values[i] * w[IDs[i]], in ascending order of ids and in float64, so
// that the same document always has the same sum to the last bit. w holds one weight per term of the vocabulary; an id
// beyond it is a programmer's mistake and panics.
func (x Vector) Dot(w []float32) float64 {
	var sum float64
	values := x.Values[:len(x.IDs)]
	for i, id := range x.IDs {
		sum += float64(values[i]) * float64(w[id])
	}
	return sum
}
