package main

import (
	"math"
	"os"
	"runtime"
	"runtime/debug"

	"chaff/cmd/internal/delivery"
)

// While mail is read, garbage may take as much memory as what is in use, up to mostGarbage, and from there on no more than
// that, or a tenth.
// What grows with the mail, documents and matrices, is in large pieces without pointers: to collect garbage among them costs
// next to nothing, and their size in garbage would be the largest part of the memory of training.
const (
	mostGarbage    = 24 << 20
	leastGCPercent = 10
	fullGCPercent  = 100 // the default of Go
)

// holdingGarbage returns step, the progress of reading mail, which now also says how much garbage there may be. Who has set
// GOGC or GOMEMLIMIT has said so already.
//
// A message of the largest size makes more garbage than that between two steps, so there is a limit of all memory as well, as
// for a single message: it gives way to what grows with the mail.
func holdingGarbage(step func(read, all int)) func(read, all int) {
	if os.Getenv("GOGC")+os.Getenv("GOMEMLIMIT") != "" {
		return step
	}
	delivery.LimitMemory()
	return func(read, all int) {
		switch {
		case read == all: // what comes makes little garbage, in few and large pieces
			debug.SetGCPercent(leastGCPercent)
			debug.SetMemoryLimit(math.MaxInt64)
		case read%256 == 0:
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			debug.SetGCPercent(gcPercent(m.HeapAlloc))
			debug.SetMemoryLimit(max(delivery.MemoryLimit, 2*int64(m.HeapAlloc)))
		}
		if step != nil {
			step(read, all)
		}
	}
}

// gcPercent is the percentage of a heap of so many bytes that garbage may take.
func gcPercent(heap uint64) int {
	return max(leastGCPercent, min(fullGCPercent, int(100*mostGarbage/max(heap, 1))))
}
