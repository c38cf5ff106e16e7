// Package parallel divides work between goroutines.
package parallel

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Workers returns n, or the number of usable cores if n is below 1.
func Workers(n int) int {
	if n <= 0 {
		return runtime.GOMAXPROCS(0)
	}
	return n
}

// Each calls do once with each of 0..n-1, from up to so many goroutines, and waits for all of them. A single worker is the caller, in
// ascending order.
func Each(workers, n int, do func(i int)) {
	Ranges(workers, n, 1, func(_, i, _ int) { do(i) })
}

// Ranges divides 0..n-1 into ranges of the given size, calls do with each, from up to so many goroutines, numbered from 0, and waits for all of
// them. A single worker is the caller.
func Ranges(workers, n, size int, do func(worker, from, to int)) {
	pieces := (n + size - 1) / size
	var next atomic.Int64
	work := func(worker int) {
		for i := int(next.Add(1)) - 1; i < pieces; i = int(next.Add(1)) - 1 {
			do(worker, i*size, min((i+1)*size, n))
		}
	}
	if workers = min(workers, pieces); workers <= 1 {
		work(0)
		return
	}
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() { work(w) })
	}
	wg.Wait()
}
