// Package memory returns unused memory to the system.
package memory

import (
	"runtime"
	"runtime/debug"
)

// large is the size of a heap, in bytes, from which on there is enough to give back.
const large = 64 << 20

// Release collects garbage and returns free memory to the system, unless the heap is small. Call it between two steps that each need much
// memory: the collector would run later, when the memory of both is in use.
func Release() {
	var heap runtime.MemStats
	if runtime.ReadMemStats(&heap); heap.HeapAlloc >= large {
		debug.FreeOSMemory()
	}
}
