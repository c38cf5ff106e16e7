// Package lineartest shows that work is linear in the size of its input, by the CPU time that it takes: mail is made by
// strangers, and a parser that takes much longer than the size of a message says can be stopped by one message.
package lineartest

import (
	"testing"
	"time"

	"chaff/internal/cputime"
)

// Check reports work that takes more than 2.2 times as long on input of twice the size, or more than four times as long
// a byte on input of half a megabyte. Prepare returns the work on input of a size in bytes.
//
// The small size is such that the work takes a while, and the best of several times counts, one after a rest: on a busy
// machine others take the caches and the memory, but too much work is slow always. What just does not fit into a cache of the processor is slow at
// one size only, so the size after it is tried too.
func Check(t *testing.T, prepare func(size int) func()) {
	t.Helper()
	const (
		limitByte = 4 // of half a megabyte nothing fits into the caches
		minSize   = 4 << 10
		maxSize   = 64 << 10
		largeSize = 512 << 10
	)
	size := minSize
	work := prepare(size)
	work() // what is done once only, such as taking memory, does not count
	for took(1, work) < while && size < maxSize {
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
	large := prepare(largeSize)
	allowed := limitByte*largeSize/time.Duration(size)*once + while
	least := took(1, large)
	for attempt := 0; least > allowed && attempt < attempts; attempt++ {
		time.Sleep(while)
		least = min(least, took(1, large))
	}
	if least > allowed {
		t.Errorf("%d bytes took %v, %d took %v", size, once, largeSize, least)
	}
}

const (
	limit    = 2.2 // how many times as long work may take on input of twice the size
	attempts = 100 // to find a moment in which the machine is not busy
)

// doubled returns how long work takes, and how long the same on input of twice the size, and whether that is within the
// limit.
func doubled(work, double func()) (once, twice time.Duration, ok bool) {
	const enough = 3
	work()
	double()
	times := 1
	for took(times, work) < while {
		times *= 2
	}
	once, twice = best(times, work), best(times, double)
	for attempt := enough; float64(twice) > limit*float64(once) && attempt < attempts; attempt++ {
		time.Sleep(while)
		once, twice = min(once, took(times, work)), min(twice, took(times, double))
	}
	ok = float64(twice) <= limit*float64(once)
	return once / time.Duration(times), twice / time.Duration(times), ok
}

// while is long enough to be measured.
const while = time.Millisecond

// best returns the shortest of three times.
func best(times int, work func()) time.Duration {
	return min(took(times, work), took(times, work), took(times, work))
}

// took returns how long it takes to do the work so often.
func took(times int, work func()) time.Duration {
	return cputime.Of(func() {
		for range times {
			work()
		}
	})
}
