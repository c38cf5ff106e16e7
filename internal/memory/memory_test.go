package memory

import (
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

// collections returns how many collections Release causes.
func collections() uint32 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	Release()
	runtime.ReadMemStats(&after)
	return after.NumGC - before.NumGC
}

func TestOnlyTheGarbageOfALargeHeapIsCollected(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // no other collections
	if n := collections(); n != 0 {
		t.Errorf("%d collections of a small heap", n)
	}
	garbage := make([]byte, 2*large)
	garbage[0] = 1
	if n := collections(); n == 0 {
		t.Error("no collection of a large heap")
	}
	runtime.KeepAlive(garbage)
}

func TestTheGarbageIsLimitedInAHeapOfAnySize(t *testing.T) {
	const limit, piece = 8 << 20, 64 << 10
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	LimitGarbage(limit)
	for _, size := range []int{1 << 20, 128 << 20} {
		live := make([]byte, size)
		live[0] = 1
		for range 2 { // the first may have begun before
			runtime.GC()
			time.Sleep(20 * time.Millisecond) // finalizers run behind a collection
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for i := range 16 * limit / piece {
			garbage = make([]byte, piece)
			if i%16 == 0 {
				time.Sleep(100 * time.Microsecond) // for collections and finalizers
			}
		}
		runtime.ReadMemStats(&after)
		if n := after.NumGC - before.NumGC; n < 8 || n > 40 {
			t.Errorf("%d collections of 16 times the limit beside %d bytes", n, size)
		}
		runtime.KeepAlive(live)
	}
}

func TestAPercentageOfSomebodyElseEndsTheLimit(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	LimitGarbage(8 << 20)
	debug.SetGCPercent(123)
	for range 3 {
		runtime.GC()
		time.Sleep(20 * time.Millisecond)
	}
	if got := debug.SetGCPercent(123); got != 123 {
		t.Errorf("the percentage is %d", got)
	}
}

var garbage []byte // so that it is made
