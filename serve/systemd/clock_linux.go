package systemd

import (
	"time"

	"golang.org/x/sys/unix"
)

// monotonic returns the time of the clock that the service manager compares with.
func monotonic() time.Duration {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &now); err != nil {
		panic(err) // every Linux has this clock
	}
	return time.Duration(now.Nano())
}
