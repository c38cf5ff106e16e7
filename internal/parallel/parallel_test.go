package parallel

import (
	"slices"
	"sync/atomic"
	"testing"
)

func TestEachNumberIsDoneOnce(t *testing.T) {
	for _, workers := range []int{0, 1, 2, 7} {
		for _, n := range []int{0, 1, 2, 1000} {
			each, ranges := make([]atomic.Int32, n), make([]atomic.Int32, n)
			Each(workers, n, func(i int) { each[i].Add(1) })
			Ranges(workers, n, 3, func(worker, from, to int) {
				if worker < 0 || worker >= max(workers, 1) {
					t.Errorf("worker %d of %d", worker, workers)
				}
				for i := from; i < to; i++ {
					ranges[i].Add(1)
				}
			})
			for i := range n {
				if each[i].Load() != 1 || ranges[i].Load() != 1 {
					t.Fatalf("%d workers, %d of %d: done %d and %d times", workers, i, n, each[i].Load(), ranges[i].Load())
				}
			}
		}
	}
}

func TestOneWorkerKeepsTheOrder(t *testing.T) {
	var got []int
	Each(1, 5, func(i int) { got = append(got, i) })
	if !slices.Equal(got, []int{0, 1, 2, 3, 4}) {
		t.Errorf("got %v", got)
	}
	if Workers(3) != 3 || Workers(0) < 1 {
		t.Errorf("3 workers are %d, any number is %d", Workers(3), Workers(0))
	}
}
