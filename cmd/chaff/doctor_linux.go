package main

import (
	"math"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// freeOnDisk returns how many bytes this user may still write in a folder.
func freeOnDisk(folder string) (free int64, known bool) {
	var disk syscall.Statfs_t
	if syscall.Statfs(folder, &disk) != nil {
		return 0, false
	}
	return int64(disk.Bavail) * int64(disk.Bsize), true
}

// addressSpace returns the limit of addresses of this process in bytes, if it has one.
func addressSpace() (most int64, known bool) {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_AS, &limit) != nil || limit.Cur > math.MaxInt64 {
		return 0, false
	}
	return int64(limit.Cur), true
}

// freeMemory returns how many bytes of memory programs can still have.
func freeMemory() (free int64, known bool) {
	text, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0, false
	}
	_, rest, _ := strings.Cut(string(text), "MemAvailable:")
	if fields := strings.Fields(rest); len(fields) > 0 {
		free, err = strconv.ParseInt(fields[0], 10, 64)
		return free << 10, err == nil
	}
	return 0, false
}

// sameOwner reports whether two files belong to one user, as far as it can be known.
func sameOwner(a, b string) bool {
	var of [2]syscall.Stat_t
	return syscall.Stat(a, &of[0]) != nil || syscall.Stat(b, &of[1]) != nil || of[0].Uid == of[1].Uid
}
