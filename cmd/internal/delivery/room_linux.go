package delivery

import (
	"fmt"
	"math"
	"os"
	"syscall"
)

// The address space that a classification needs: a fixed part, and so many bytes for each byte of the message up to a maximum.
const (
	leastRoom   = 48 << 20
	roomPerByte = 48
	mostRoom    = 256 << 20
)

// hasRoom reports whether the limits of the process leave enough address space to classify a message of the given size. A
// process that runs out of address space cannot recover.
func hasRoom(size int) bool {
	var space, data syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_AS, &space) != nil || syscall.Getrlimit(syscall.RLIMIT_DATA, &data) != nil {
		return true
	}
	if space.Cur == math.MaxUint64 && data.Cur == math.MaxUint64 {
		return true
	}
	statm, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return true
	}
	var usedSpace, usedData, skip uint64 // in pages
	if _, err := fmt.Sscan(string(statm), &usedSpace, &skip, &skip, &skip, &skip, &usedData); err != nil {
		return true
	}
	page := uint64(os.Getpagesize())
	need := leastRoom + min(roomPerByte*uint64(size), mostRoom)
	return usedSpace*page+need <= space.Cur && usedData*page+need <= data.Cur
}
