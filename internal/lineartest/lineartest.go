// Package lineartest tests that the CPU time of work is linear in the size of its input. Strangers write mail, so a parser that is
// slower than that can be stopped by one message.
package lineartest

import (
	"testing"
	"time"

	"chaff/internal/cputime"
)

const (
	limit    = 2.5              // how many times as long work may take on input of twice the size
	perByte  = 4                // how many times as long it may take for each byte of large input, which fits into no cache
	tick     = time.Millisecond // the least time that is measured
	attempts = 100              // to find a moment in which the machine is not busy
)

// Check fails if work takes more than 2.5 times as long on input of twice the size, or more than four times as long for each byte of half a
// megabyte. prepare returns the work on input of a size in bytes.
//
// The least of many times counts, because other programs can slow down work, but not speed it up. Work may exceed the limit at one
// size, at which the input no longer fits into a cache, but not at twice that size.
func Check(t *testing.T, prepare func(size int) func()) {
	t.Helper()
	const minSize, maxSize, largeSize = 4 << 10, 64 << 10, 512 << 10
	size := minSize
	work := prepare(size)
	work() // warm up
	for took(1, work) < tick && size < maxSize {
		size *= 2
		work = prepare(size)
		work()
	}
	once, twice, ok := doubled(work, prepare(2*size))
	if !ok {
		if _, _, ok = doubled(prepare(2*size), prepare(4*size)); !ok {
			t.Errorf("%d bytes took %v, twice as many %v, over %v times as long", size, once, twice, limit)
			return
		}
	}
	allowed := perByte*largeSize/time.Duration(size)*once + tick
	if large, ok := least(1, prepare(largeSize), func(d time.Duration) bool { return d <= allowed }); !ok {
		t.Errorf("%d bytes took %v, %d took %v", size, once, largeSize, large)
	}
}

// doubled returns how long work takes on some input and on input of twice the size, and whether the ratio is within the limit.
func doubled(work, double func()) (once, twice time.Duration, ok bool) {
	work()
	double()
	times := 1
	for took(times, work) < tick {
		times *= 2
	}
	once = min(took(times, work), took(times, work), took(times, work))
	twice, ok = least(times, double, func(d time.Duration) bool {
		if float64(d) <= limit*float64(once) {
			return true
		}
		once = min(once, took(times, work))
		return false
	})
	return once / time.Duration(times), twice / time.Duration(times), ok
}

// least measures work until enough accepts the least time, and returns that time and whether it was accepted.
func least(times int, work func(), enough func(time.Duration) bool) (time.Duration, bool) {
	best := took(times, work)
	for attempt := 0; !enough(best); attempt++ {
		if attempt == attempts {
			return best, false
		}
		time.Sleep(tick)
		best = min(best, took(times, work))
	}
	return best, true
}

// took returns how long it takes to repeat the work.
func took(times int, work func()) time.Duration {
	return cputime.Of(func() {
		for range times {
			work()
		}
	})
}
