package main

import (
	"errors"
	"fmt"
	"math"
	"os"
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

// sameOwner reports whether two files belong to one user, as far as it can be known.
func sameOwner(a, b string) bool {
	var of [2]syscall.Stat_t
	return syscall.Stat(a, &of[0]) != nil || syscall.Stat(b, &of[1]) != nil || of[0].Uid == of[1].Uid
}

// memoryLeft returns how many bytes of addresses this process may have, and how much memory programs can still have.
func memoryLeft() (addresses, free int64, known bool) {
	var limit syscall.Rlimit
	text, err := os.ReadFile("/proc/meminfo")
	_, rest, _ := strings.Cut(string(text), "MemAvailable:")
	_, err2 := fmt.Sscan(rest, &free)
	known = errors.Join(err, err2, syscall.Getrlimit(syscall.RLIMIT_AS, &limit)) == nil
	return int64(min(limit.Cur, math.MaxInt64)), free << 10, known
}
