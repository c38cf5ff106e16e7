package models

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"chaff/features"
	"chaff/internal/evidence"
)

// TestDocumentsAreSortedByTheirContents compares sorting by the first ids with sorting by whole rows.
func TestDocumentsAreSortedByTheirContents(t *testing.T) {
	for name, terms := range map[string]int{"few terms, so that many rows are alike": 3, "rows that differ late": 40, "many terms": 5000} {
		t.Run(name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(uint64(terms), 0))
			d := features.NewDataset(features.Counts, []string{"ham", "spam"}, terms)
			for range 500 {
				var x features.Vector
				for w := range terms {
					if rng.IntN(terms) < 30 && (terms != 40 || w < 35 || rng.IntN(2) == 0) {
						x.IDs, x.Values = append(x.IDs, uint32(w)), append(x.Values, float32(rng.IntN(2)))
					}
				}
				d.Append(x, int32(rng.IntN(2)))
			}
			for i := range 100 { // the same again, and the beginnings of others
				x := d.Row(i)
				n := len(x.IDs) - len(x.IDs)*(i%2)/2
				d.Append(features.Vector{IDs: x.IDs[:n], Values: x.Values[:n]}, d.Labels[i])
			}
			want := listOrder[int32](d.Len())
			slices.SortStableFunc(want, func(i, j int32) int {
				x, y := d.Row(int(i)), d.Row(int(j))
				return cmp.Or(slices.Compare(x.IDs, y.IDs), slices.Compare(x.Values, y.Values), cmp.Compare(d.Labels[i], d.Labels[j]))
			})
			if got := contentOrder(d); !slices.Equal(got, want) {
				t.Error("another order")
			}
		})
	}
}

func TestRowsInGroupsAreComparedAsIfTheirIDsAscended(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 0))
	row := func() (x features.Vector, sorted []uint32) {
		for g := range evidence.Groups { // the ids of group g are those with the remainder g
			for id := g; id < 3*evidence.Groups; id += evidence.Groups {
				if rng.IntN(12) == 0 {
					x.IDs, x.Groups = append(x.IDs, uint32(id)), append(x.Groups, evidence.Group(g))
				}
			}
		}
		return x, slices.Sorted(slices.Values(x.IDs))
	}
	seen := map[int]bool{}
	for range 20_000 {
		x, sortedX := row()
		y, sortedY := row()
		want := slices.Compare(sortedX, sortedY)
		if got := compareIDs(x, y); got != want {
			t.Fatalf("%v and %v: got %d, want %d", sortedX, sortedY, got, want)
		}
		seen[want] = true
	}
	if len(seen) != 3 {
		t.Errorf("the results are %v only", seen)
	}
}

func TestMeasuringIsTheSameWithAnyNumberOfWorkers(t *testing.T) {
	d := randomMatrix(7, 1000, 50, 3)
	v := newParams(3, 50)
	for i := range v.weights {
		v.weights[i] = float64(i%7) / 3
	}
	measureWith := func(workers int) EpochFigures {
		d.Workers = workers
		return measure(v, newSorted(d), logLoss)
	}
	want := measureWith(0)
	for _, workers := range []int{1, 2, 5, 64} {
		if got := measureWith(workers); got != want {
			t.Errorf("%d workers: got %+v, want %+v", workers, got, want)
		}
	}
}
