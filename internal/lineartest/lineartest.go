// Package lineartest shows that work is linear in the size of its input, by the time that it takes: mail is made by
// strangers, and a parser that takes much longer than the size of a message says can be stopped by one message.
package lineartest

import (
	"testing"
	"time"
)

// Check reports work that takes more than 2.2 times as long on input of twice the size, or more than four times as long
// a byte on input of half a megabyte. Prepare returns the work on input of a size in bytes.
//
// The small size is such that the work takes a while, and the best of several times counts, one after a rest: on a busy
// machine some are slow, but too much work is slow always.
func Check(t *testing.T, prepare func(size int) func()) {
	t.Helper()
	const (
		limit     = 2.2
		limitByte = 4 // what does not fit into the caches of a processor takes longer for that alone
		minSize   = 4 << 10
		maxSize   = 64 << 10
		largeSize = 512 << 10
		enough    = 3
		attempts  = 100
	)
	size := minSize
	work := prepare(size)
	work() // what is done once only, such as taking memory, does not count
	for took(1, work) < while && size < maxSize {
		size *= 2
		work = prepare(size)
	}
	double := prepare(2 * size)
	double()
	times := 1
	for took(times, work) < while {
		times *= 2
	}
	once, twice := best(times, work), best(times, double)
	for attempt := enough; float64(twice) > limit*float64(once); attempt++ {
		if attempt == attempts {
			t.Errorf("%d bytes took %v, twice as many %v, over %v times as long", size, once, twice, limit)
			return
		}
		time.Sleep(while)
		once, twice = min(once, took(times, work)), min(twice, took(times, double))
	}

	large := prepare(largeSize)
	most := limitByte * largeSize / time.Duration(size) * once / time.Duration(times)
	if allowed := most + while; took(1, large) > allowed && best(1, large) > allowed {
		t.Errorf("%d bytes took %v, %d took %v", size, once/time.Duration(times), largeSize, best(1, large))
	}
}

// while is long enough to be measured.
const while = time.Millisecond

// best returns the shortest of three times.
func best(times int, work func()) time.Duration {
	return min(took(times, work), took(times, work), took(times, work))
}

// took returns how long it takes to do the work so often.
func took(times int, work func()) time.Duration {
	start := time.Now()
	for range times {
		work()
	}
	return time.Since(start)
}
