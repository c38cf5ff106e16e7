// Package lineartest tests that the CPU time of work is linear in the size of its input. Strangers write mail, so a parser that is
// slower than that can be stopped by one message.
package lineartest

import (
	"testing"
	"time"

	"chaff/internal/cputime"
)

const (
	limit     = 2                      // how many times as long work may take for each byte of large input
	minSize   = 4 << 10                // the least size of small input
	maxSize   = 64 << 10               // the largest size of small input
	largeSize = 256 << 10              // the least size of large input
	factor    = 8                      // how many times the size of small input it has at least
	tick      = 100 * time.Microsecond // the least time that is measured
	attempts  = 100                    // to find a moment in which the machine is not busy
)

// Check fails if work takes more than twice as long for each byte of large input as for each byte of small input. Work whose time is
// a*size + b*size² therefore fails if the second term exceeds the first one at 256 KiB. prepare returns the work on input of a size in
// bytes.
//
// The least of many times counts, because other programs can slow down work, but not speed it up.
func Check(t *testing.T, prepare func(size int) func()) {
	t.Helper()
	size, times := minSize, 1
	work := prepare(size)
	work() // warm up
	least := func() time.Duration { return min(took(times, work), took(times, work), took(times, work)) }
	small := least()
	for small < tick {
		if size < maxSize {
			size *= 2
			work = prepare(size)
		} else {
			times *= 2
		}
		small = least()
	}

	larger := max(largeSize, factor*size)
	allowed := limit*small*time.Duration(larger)/time.Duration(size*times) + tick
	work = prepare(larger)
	large := took(1, work)
	if large > allowed && !try(func() bool { large = min(large, took(1, work)); return large <= allowed }) {
		t.Errorf("%d bytes took %v, so %d may take %v; they took %v", size, small/time.Duration(times), larger, allowed, large)
	}
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
