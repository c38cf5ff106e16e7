//go:build !linux || (!amd64 && !arm64)

package delivery

import (
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
)

// guard keeps a crash from looking like a verdict, and with pass the signals that ask a process to end from losing the message.
func guard(pass bool, _ int) {
	debug.SetTraceback("crash")
	if pass {
		signal.Ignore(os.Interrupt, syscall.SIGTERM)
	}
}
