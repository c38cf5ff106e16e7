// Package lineartest tests that the CPU time of work is linear in the size of its input. Strangers write mail, so a parser that is
// slower than that can be stopped by one message.
package lineartest

import (
	"testing"
	"time"

	"chaff/test/testmain"
)

const (
	limit     = 3                      // how many times as long work may take for each byte of large input
	minSize   = 4 << 10                // the least size of small input
	maxSize   = 64 << 10               // the largest size of small input
	longSize  = 256 << 10              // the least size of large input in a long run
	shortSize = 64 << 10               // the same in a short run
	factor    = 8                      // how many times the size of small input it has at least
	tick      = 100 * time.Microsecond // the least time that is measured
	attempts  = 400                    // to find a moment in which the machine is not busy
)

// Check fails if work takes more than three times as long for each byte of large input as for each byte of small input: large input fits in
// fewer caches, which alone can double its time. Work whose time is a*size + b*size² therefore fails if the second term exceeds about three
// times the first one in large input. prepare returns the work on input of a size in bytes.
//
// Both are measured one after the other until a pair passes, because other programs can slow down work for a while, but not speed it up.
func Check(t *testing.T, prepare func(size int) func()) {
	t.Helper()
	size, times := minSize, 1
	work := prepare(size)
	work() // warm up
	least := func() time.Duration { return min(took(times, work), took(times, work), took(times, work)) }
	for least() < tick {
		if size < maxSize {
			size *= 2
			work = prepare(size)
		} else {
			times *= 2
		}
	}

	largeSize := shortSize
	if testmain.IsLong() {
		largeSize = longSize
	}
	larger := max(largeSize, factor*size)
	largeWork := prepare(larger)
	var small, large, allowed time.Duration
	for range attempts {
		small, large = least(), took(1, largeWork)
		allowed = limit*small*time.Duration(larger)/time.Duration(size*times) + tick
		if large <= allowed {
			return
		}
		time.Sleep(tick)
	}
	t.Errorf("%d bytes took %v, so %d may take %v; they took %v", size, small/time.Duration(times), larger, allowed, large)
}

// took returns how long it takes to repeat the work.
func took(times int, work func()) time.Duration {
	return Time(func() {
		for range times {
			work()
		}
	})
}
