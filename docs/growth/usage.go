//go:build unix

package main

import (
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// gcPercent is the GOGC of chaff train.
const gcPercent = 20

// cpuTime returns the CPU time of this process, user and system.
func cpuTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// peakMemory returns the peak memory of this process in bytes.
func peakMemory() int64 {
	status, _ := os.ReadFile("/proc/self/status")
	_, after, _ := strings.Cut(string(status), "VmHWM:")
	line, _, _ := strings.Cut(after, "\n")
	kilobytes, _ := strconv.ParseInt(strings.Fields(line + " 0 kB")[0], 10, 64)
	return kilobytes << 10
}
