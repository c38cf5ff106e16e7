// Package parallel divides work that has no order between goroutines.
package parallel

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Workers returns n, or for 0 and less the number of cores that the program may use.
func Workers(n int) int {
	if n <= 0 {
		return runtime.GOMAXPROCS(0)
	}
	return n
}

// Each calls do with 0..n-1, each number once, from up to so many goroutines, and returns when all are done. One worker is
// the caller, who takes the numbers in their order.
func Each(workers, n int, do func(i int)) {
	var next atomic.Int64
	Run(min(workers, n), func(int) {
		for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
			do(i)
		}
	})
}

// Ranges divides 0..n-1 into ranges of about size numbers and calls do with each, from up to so many goroutines, which are
// numbered from 0.
func Ranges(workers, n, size int, do func(worker, from, to int)) {
	pieces := (n + size - 1) / size
	var next atomic.Int64
	Run(min(workers, pieces), func(worker int) {
		for i := int(next.Add(1)) - 1; i < pieces; i = int(next.Add(1)) - 1 {
			do(worker, i*size, min((i+1)*size, n))
		}
	})
}

// Run calls do with 0..workers-1, each in a goroutine, and returns when all are done. A single worker is the caller.
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
