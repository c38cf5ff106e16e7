//go:build !linux

package filter

import "time"

// cpuTimeOf is the time of the clock, where the system does not tell that of a processor for one thread.
func cpuTimeOf(f func()) time.Duration {
	began := time.Now()
	f()
	return time.Since(began)
}
