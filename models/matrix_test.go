package models

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"chaff/features"
)

// matrix returns a data set of counts with one document for each row; the classes are named "0", "1" and so on.
func matrix(classes int, labels []int32, documents [][]float32) *features.Dataset {
	d := &features.Dataset{Kind: features.Counts, Terms: len(documents[0])}
	for c := range classes {
		d.Classes = append(d.Classes, fmt.Sprint(c))
	}
	for i, document := range documents {
		d.Append(vectorOf(document), labels[i])
	}
	return d
}

func vectorOf(values []float32) features.Vector {
	var x features.Vector
	for w, value := range values {
		if value != 0 {
			x.IDs, x.Values = append(x.IDs, uint32(w)), append(x.Values, value)
		}
	}
	return x
}

// randomMatrix returns a data set that no hyperplane separates well: labels lean to the first terms, and a fifth is wrong.
func randomMatrix(seed uint64, documents, terms, classes int) *features.Dataset {
	random := rand.New(rand.NewPCG(seed, 0))
	values := make([][]float32, documents)
	labels := make([]int32, documents)
	for i := range values {
		c := i % classes
		values[i] = make([]float32, terms)
		for w := range values[i] {
			if random.IntN(3) == 0 || w%classes == c && random.IntN(4) == 0 {
				values[i][w] = float32(1 + random.IntN(3))
			}
		}
		labels[i] = int32(c)
		if random.IntN(5) == 0 {
			labels[i] = int32(random.IntN(classes))
		}
	}
	return matrix(classes, labels, values)
}

// row returns row r of v, without the bias.
func (v *params) row(r int) []float64 {
	var row []float64
	for i := r; i < len(v.weights); i += v.n {
		row = append(row, v.weights[i])
	}
	return row
}

func wantNear(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func wantAllNear(t *testing.T, what string, got, want []float64, tolerance float64) {
	t.Helper()
	if !slices.EqualFunc(got, want, func(a, b float64) bool { return math.Abs(a-b) <= tolerance }) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}
