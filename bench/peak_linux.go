package main

import (
	"os"
	"syscall"
)

// peak returns the peak memory of a process or one of its children in bytes.
func peak(state *os.ProcessState) int64 {
	usage, ok := state.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	return int64(usage.Maxrss) * 1024
}
