// Package lineartest tests that the CPU time of work is linear in the size of its input. Strangers write mail, so a parser that is
// slower than that can be stopped by one message.
package lineartest

import (
	"testing"
	"time"

	"chaff/internal/cputime"
)

const (
	limit    = 2.5                    // how many times as long work may take on input of twice the size
	perByte  = 3                      // how many times as long it may take for each byte of large input, which fits into no cache
	tick     = 250 * time.Microsecond // the least time that is measured
	attempts = 100                    // to find a moment in which the machine is not busy
)

// Check fails if work takes more than 2.5 times as long on input of twice the size, or more than three times as long for each byte of 384 KiB.
// prepare returns the work on input of a size in bytes.
//
// The least of many times counts, because other programs can slow down work, but not speed it up. Work may exceed the limit at one
// size, at which the input no longer fits into a cache, but not at twice that size.
func Check(t *testing.T, prepare func(size int) func()) {
	t.Helper()
	const minSize, maxSize, largeSize = 4 << 10, 64 << 10, 384 << 10
	size := minSize
	work := prepare(size)
	work() // warm up
	for took(1, work) < tick && size < maxSize {
		size *= 2
		work = prepare(size)
		work()
	}
	double := prepare(2 * size)
	first := newDoubling(work, double)
	if !first.within() {
		second := newDoubling(double, prepare(4*size))
		if !try(func() bool { return second.within() || first.within() }) {
			t.Errorf("%d bytes took %v, twice as many %v, over %v times as long (%d times)", size, first.once, first.twice, limit, first.times)
			return
		}
	}
	allowed := perByte*largeSize/time.Duration(size)*first.once/time.Duration(first.times) + tick
	work = prepare(largeSize)
	large := took(1, work)
	if large > allowed && !try(func() bool { large = min(large, took(1, work)); return large <= allowed }) {
		t.Errorf("%d bytes may take %v, %d took %v", size, allowed, largeSize, large)
	}
}

// doubling is how long work takes on some input, and on input of twice the size. Both are repeated as often.
type doubling struct {
	work, double func()
	times        int
	once, twice  time.Duration // the least so far
}

func newDoubling(work, double func()) *doubling {
	d := &doubling{work: work, double: double, times: 1, once: took(1, work)}
	for d.once < tick {
		d.times *= 2
		d.once = took(d.times, work)
	}
	d.once = min(d.once, took(d.times, work), took(d.times, work))
	d.twice = took(d.times, double)
	return d
}

// within reports whether the ratio is within the limit, and measures again for the next call if it is not.
func (d *doubling) within() bool {
	if float64(d.twice) <= limit*float64(d.once) {
		return true
	}
	d.once = min(d.once, took(d.times, d.work))
	d.twice = min(d.twice, took(d.times, d.double))
	return false
}

// try waits a moment after each attempt that failed.
func try(attempt func() bool) bool {
	for range attempts {
		if attempt() {
			return true
		}
		time.Sleep(tick)
	}
	return false
}

// took returns how long it takes to repeat the work.
func took(times int, work func()) time.Duration {
	return cputime.Of(func() {
		for range times {
			work()
		}
	})
}
