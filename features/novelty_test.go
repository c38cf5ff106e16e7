package features

import (
	"math"
	"testing"

	"chaff/internal/evidence"
)

func TestNoveltyIsAMeanOverKindsOfEvidence(t *testing.T) {
	words, structure := evidence.Words, evidence.Structure
	document := Document{Terms: []uint64{1, 2, 3, 4}, Marks: marksOf(words, words, words, structure)}
	for _, test := range []struct {
		name  string
		known []uint32
		want  float64
	}{
		{"all known", []uint32{0, 1, 2, 3}, 0},
		{"none known", nil, 1},
		// (3/4 0 + 1/2 1) / (3/4 + 1/2)
		{"new structure", []uint32{0, 1, 2}, 0.4},
		{"one new word of three", []uint32{0, 1, 3}, 0.2},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := (&Lookup{indices: test.known}).Novelty(document); math.Abs(got-test.want) > 1e-12 {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
	if got := new(Lookup).Novelty(Document{}); got != 0 {
		t.Errorf("a document without terms has the novelty %v", got)
	}
}
