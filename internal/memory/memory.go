// Package memory bounds the garbage of the process, and returns unused memory to the system.
package memory

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// large is the size of a heap, in bytes, from which on there is enough to give back.
const large = 64 << 20

// Release collects garbage and returns free memory to the system, unless the heap is small. Call it between two steps that each need much
// memory: the collector would run later, when the memory of both is in use.
func Release() {
	heap := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(heap)
	if heap[0].Value.Uint64() >= large {
		debug.FreeOSMemory()
	}
}

const (
	// smallest is the least size of a heap, in bytes, that the percentage below is of.
	smallest = 4 << 20
	// leastPercent keeps the time of collections in proportion to that of what makes the garbage.
	leastPercent = 10
)

// LimitGarbage has garbage collected when there are about so many bytes of it, or a tenth of a heap that is more than ten times as large: after
// each collection it sets the percentage of the heap at which the next one begins. One percentage for all would collect a small heap too
// often and leave much garbage in a large one. It ends when something else sets the percentage.
func LimitGarbage(bytes uint64) {
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
