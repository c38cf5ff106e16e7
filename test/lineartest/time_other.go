//go:build !linux

package lineartest

import "time"

// Time returns the wall time of work, because this system does not report the CPU time of one thread.
func Time(work func()) time.Duration {
	start := time.Now()
	work()
	return time.Since(start)
}
