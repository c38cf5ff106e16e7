package delivery

import "runtime/debug"

// MemoryLimit is how much memory may be in use, with what is garbage, before garbage is collected at any price. What one
// message of the largest size needs is less. It does not count the model, which is mapped, nor the program itself.
const MemoryLimit = 128 << 20

// LimitMemory makes [MemoryLimit] the limit of the process, unless GOMEMLIMIT has set a lower one. Without it, there may be as
// much garbage as there is memory in use. It takes longer than to classify a small message, which does not need it.
func LimitMemory() {
	if debug.SetMemoryLimit(-1) > MemoryLimit {
		debug.SetMemoryLimit(MemoryLimit)
	}
}
