// Package garbage bounds the garbage of the process. It is apart from other packages because runtime/metrics takes a tenth of a millisecond of every
// process that it is linked into.
package garbage

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

const (
	// smallest is the least size of a heap, in bytes, that the percentage below is of.
	smallest = 4 << 20
	// leastPercent keeps the time of collections in proportion to that of what makes the garbage.
	leastPercent = 10
)

// Limit makes the collector run at about so many bytes of garbage, or at a tenth of the heap if that is more. After each collection it
// sets the percentage for the next: one percentage for all heaps would collect small ones too often and leave much garbage in large ones. It
// ends when other code sets the percentage.
func Limit(bytes uint64) {
	const usual = 100
	debug.SetGCPercent(usual)
	limitNext(bytes, usual)
}

// limitNext sets the percentage for the next collection, unless it is not what it was set to for the last one.
func limitNext(bytes uint64, last int) {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	percent := max(leastPercent, int(100*bytes/max(live[0].Value.Uint64(), smallest)))
	if now := debug.SetGCPercent(percent); now != last {
		debug.SetGCPercent(now)
		return
	}
	runtime.SetFinalizer(new(collected), func(*collected) { limitNext(bytes, percent) })
}

// collected is garbage at once, so that its finalizer runs after the next collection. Without a pointer it would share a block of memory with
// others, and live as long as they do.
type collected struct{ _ *byte }
