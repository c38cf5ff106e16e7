package models

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"chaff/features"
	"chaff/internal/indices"
)

// TestDocumentsAreSortedByTheirContents compares sorting by the first ids with sorting by whole rows.
func TestDocumentsAreSortedByTheirContents(t *testing.T) {
	for name, terms := range map[string]int{"few terms, so that many rows are alike": 3, "rows that differ late": 40, "many terms": 5000} {
		t.Run(name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(uint64(terms), 0))
			d := &features.Dataset{Kind: features.Counts, Classes: []string{"ham", "spam"}, Terms: terms}
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
			d.Confirmed = make([]bool, d.Len())
			last := make([]int, d.Len()) // 1 for the confirmed ones
			for i := range last {
				last[i] = rng.IntN(2)
				d.Confirmed[i] = last[i] == 1
			}
			want := indices.Below[int32](d.Len())
			slices.SortStableFunc(want, func(i, j int32) int {
				x, y := d.Row(int(i)), d.Row(int(j))
				return cmp.Or(slices.Compare(x.IDs, y.IDs), slices.Compare(x.Values, y.Values),
					cmp.Compare(d.Labels[i], d.Labels[j]), cmp.Compare(last[i], last[j]))
			})
			if got := newSorted(d).order; !slices.Equal(got, want) {
				t.Error("another order")
			}
		})
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
