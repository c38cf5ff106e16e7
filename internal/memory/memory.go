// Package memory returns unused memory of the process to the system.
package memory

import (
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
