package main

import (
	"os"
	"syscall"
)

// peak is the most memory that a process or one of its children had, in bytes.
func peak(state *os.ProcessState) int64 {
	usage, ok := state.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	return int64(usage.Maxrss) * 1024
}
