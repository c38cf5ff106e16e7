package delivery

import (
	"sync/atomic"
	"time"
)

// The Go runtime ends a process that runs out of memory, threads or stack with exit code 2, which no recover can stop. With
// --exit-code=bogofilter, that code means unsure. The program therefore makes the runtime raise SIGABRT, and handles it and
// the signals that end a process. The handler is a page of assembly (guard_linux_*.s) that needs no memory, no lock and no Go:
// it writes the held message to stdout and exits. A second process that holds the message would add a third to the CPU time of
// a delivery.
//
// The handler depends on the layout of held.
var held struct {
	message atomic.Pointer[byte]
	// size is the length of the held message, 0 for none, or busy while a handler runs.
	size atomic.Int64
	// code is the exit code.
	code atomic.Int64
}

const busy = -1

// hold hands the message to the handler, until release.
func hold(message []byte) {
	if len(message) > 0 {
		held.message.Store(&message[0])
		held.size.Store(int64(len(message)))
	}
}

// release takes the message back. It does not return if a handler writes the message: the handler ends the process.
func release() {
	for size := held.size.Load(); size == busy || !held.size.CompareAndSwap(size, 0); size = held.size.Load() {
		if size == busy {
			time.Sleep(time.Hour)
		}
	}
}
