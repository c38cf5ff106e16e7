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

// Ranges divides 0..n-1 into ranges of the given size and calls do with each, from up to so many goroutines, numbered from 0.
func Ranges(workers, n, size int, do func(worker, from, to int)) {
	pieces := (n + size - 1) / size
	var next atomic.Int64
	Run(min(workers, pieces), func(worker int) {
		for i := int(next.Add(1)) - 1; i < pieces; i = int(next.Add(1)) - 1 {
			do(worker, i*size, min((i+1)*size, n))
		}
	})
}

// Run calls do with each of 0..workers-1 in its own goroutine and waits for all of them. A single worker is the caller.
func Run(workers int, do func(worker int)) {
	if workers <= 1 {
		do(0)
		return
	}
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() { do(w) })
	}
	wg.Wait()
}
