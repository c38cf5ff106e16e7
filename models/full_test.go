package models

import (
	"errors"
	"math"
	"testing"

	"chaff/features"
	"chaff/internal/evidence"
)

// A count of votes that has no room for one document more ends training with an error, and is not less than it should be.
func TestAFullCountIsAnError(t *testing.T) {
	const room = math.MaxUint32 / unit // documents with a term that is the only one of its group
	d := &features.Dataset{Kind: features.Evidence, Classes: []string{"ham", "spam"}, Terms: 2}
	word := func(w uint32) features.Vector {
		return features.Vector{IDs: []uint32{w}, Values: []float32{1}, Groups: []evidence.Group{evidence.Words}}
	}
	d.Append(word(0), 0)
	for range room + 1 {
		d.Append(word(1), 1)
	}
	m := DefaultOptions().Votes
	if _, _, err := m.Train(t.Context(), d, EpochOptions{Unwatched: true}); !errors.Is(err, ErrFull) {
		t.Errorf("%d messages of one word: got %v, want %v", room+1, err, ErrFull)
	}
	l := m.newLearner(d).(*votes)
	for range room {
		l.count(0, word(1), 1, 1)
	}
	if l.slots[1].sums[1] == math.MaxUint32 {
		t.Errorf("%d messages of one word are said to be too many", room)
	}
}
