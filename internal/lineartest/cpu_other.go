//go:build !linux

package lineartest

import "time"

// CPUTime returns how long the work took: this system does not say for how long of it a processor was at it.
func CPUTime(work func()) time.Duration {
	start := time.Now()
	work()
	return time.Since(start)
}
