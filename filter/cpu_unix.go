//go:build unix

package filter

import (
	"syscall"
	"time"
)

// cpuTime is how long the processors have worked for the program, in the program and in the system.
func cpuTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
