//go:build !linux

package cputime

import "time"

// Of returns the wall time of work, because this system does not report the CPU time of one thread.
func Of(work func()) time.Duration {
	start := time.Now()
	work()
	return time.Since(start)
}
