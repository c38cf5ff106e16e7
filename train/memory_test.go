package train

import (
	"runtime"
	"runtime/debug"
	"testing"
)

// collections returns how many collections ReleaseMemory causes.
func collections() uint32 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	ReleaseMemory()
	runtime.ReadMemStats(&after)
	return after.NumGC - before.NumGC
}

func TestOnlyTheGarbageOfALargeHeapIsCollected(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // no other collections
	if n := collections(); n != 0 {
		t.Errorf("%d collections of a small heap", n)
	}
	garbage := make([]byte, 2*largeHeap)
	garbage[0] = 1
	if n := collections(); n == 0 {
		t.Error("no collection of a large heap")
	}
	runtime.KeepAlive(garbage)
}
