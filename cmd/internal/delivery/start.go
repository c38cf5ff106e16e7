package delivery

import "runtime"

// StartFast prepares a process for one message. It gives the stack 64 KB at once: growing it five times would walk all functions on it each time,
// and touch all pages of a pool of stacks of each size. It samples no allocations for a profile.
func StartFast() {
	growStack(false)
	runtime.MemProfileRate = 0
}

//go:noinline
func growStack(never bool) {
	if never { // the frame has room in any case
		var room [40 << 10]byte
		touch(room[:])
	}
}

//go:noinline
func touch(room []byte) { clear(room) }
