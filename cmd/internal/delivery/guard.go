package delivery

import (
	"sync/atomic"
	"time"
)

// The Go runtime ends a process that it cannot go on with (no memory, no thread, a stack that is full) past every recover, with
// exit code 2, which with --exit-code=bogofilter means unsure. So that a crash costs no message and is no verdict, the program
// tells the runtime to raise SIGABRT instead, and has a signal handler of its own for it and for the signals that ask a
// process to end. The handler needs no memory, no lock and no Go: it writes the message that is held to stdout and exits. It is
// a page of assembly (guard_linux_*.s); a second process that holds the message would add a third to the CPU time of a delivery.
//
// Held is read by the handler, which knows its layout.
var held struct {
	message atomic.Pointer[byte]
	// size is that of the message that is to come out, 0 for none, and busy while a handler is at work.
	size atomic.Int64
	// code is the exit code.
	code atomic.Int64
}

const busy = -1

// hold leaves the message to the handler, until release.
func hold(message []byte) {
	if len(message) == 0 {
		return
	}
	held.message.Store(&message[0])
	held.size.Store(int64(len(message)))
}

// release takes the message back to write it. If a handler is writing it, release does not return: the handler ends the process.
func release() {
	for {
		size := held.size.Load()
		if size == busy {
			time.Sleep(time.Hour)
			continue
		}
		if held.size.CompareAndSwap(size, 0) {
			return
		}
	}
}
