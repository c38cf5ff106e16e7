package lineartest

import (
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// CPUTime returns how long a processor worked for the goroutine that does the work: on a machine that is busy with other things
// it is nearly the same as on one that is not. What other goroutines do does not count.
func CPUTime(work func()) time.Duration {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	start := threadTime()
	work()
	return threadTime() - start
}

// threadTime is the CPU time of this thread. That of getrusage goes on in steps of milliseconds.
func threadTime() time.Duration {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &now); err != nil {
		panic("lineartest: read the clock of the thread: " + err.Error()) // no system is without it
	}
	return time.Duration(now.Nano())
}
