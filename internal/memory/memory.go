// Package memory gives memory of the process back that is out of use.
package memory

import (
	"runtime/debug"
	"runtime/metrics"
)

// large is the size of a heap, in bytes, from which on there is enough to give back.
const large = 64 << 20

// Release collects garbage and gives free memory back to the system, unless the heap is small. It is for moments when large parts have just
// gone out of use and others are about to be allocated. The collector would run later, when both are there.
func Release() {
	heap := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(heap)
	if heap[0].Value.Uint64() >= large {
		debug.FreeOSMemory()
	}
}
