package delivery

import (
	"os"
	"runtime/debug"
)

// memoryLimit is the memory in use, including garbage, above which Go collects garbage at any price. The largest message needs
// less. Neither the model, which is mapped, nor the program counts.
const memoryLimit = 128 << 20

// LimitMemory sets the memory limit of the process to 128 MiB, unless GOMEMLIMIT is set. A small message does not need the limit,
// and setting it takes longer than its classification.
func LimitMemory() {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memoryLimit)
	}
}
