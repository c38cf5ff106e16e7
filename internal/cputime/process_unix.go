//go:build unix

package cputime

import (
	"syscall"
	"time"
)

// Process returns the CPU time of the process in user and system mode.
func Process() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
