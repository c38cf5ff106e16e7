//go:build !linux || (!amd64 && !arm64)

package delivery

import (
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
)

// guard gives crashes an exit code that is no verdict. With pass, it ignores the signals that ask a process to end.
func guard(pass bool, _ int) {
	debug.SetTraceback("crash")
	if pass {
		signal.Ignore(os.Interrupt, syscall.SIGTERM)
	}
}
