//go:build !linux || (!amd64 && !arm64)

package delivery

import (
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
)

// Guard prepares a process that classifies a message by these arguments: a crash has an exit code that is no verdict, and with --pass the
// signals that ask a process to end are ignored.
func Guard(args []string) {
	debug.SetTraceback("crash")
	if parse(args).Pass {
		signal.Ignore(os.Interrupt, syscall.SIGPIPE, syscall.SIGTERM)
	}
}
