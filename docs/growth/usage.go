//go:build unix

package main

import (
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// maxGarbage is that of chaff train.
const maxGarbage = 16 << 20

// cpuTime returns the CPU time of this process, user and system.
func cpuTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// watchMemory watches the peak memory of a process until it ends. The function that it returns waits for that and returns the peak in bytes. The
// peak that the system reports at the end is at least that of the process that started it.
func watchMemory(pid int) (peak func() int64) {
	most := make(chan int64)
	go func() {
		var last int64
		for now := peakMemory(strconv.Itoa(pid)); now > 0; now = peakMemory(strconv.Itoa(pid)) {
			last = now
			time.Sleep(5 * time.Millisecond)
		}
		most <- last
	}()
	return func() int64 { return <-most }
}

// peakMemory returns the peak memory of a process in bytes, 0 after its end.
func peakMemory(pid string) int64 {
	status, _ := os.ReadFile("/proc/" + pid + "/status")
	_, after, _ := strings.Cut(string(status), "VmHWM:")
	line, _, _ := strings.Cut(after, "\n")
	kilobytes, _ := strconv.ParseInt(strings.Fields(line + " 0 kB")[0], 10, 64)
	return kilobytes << 10
}
