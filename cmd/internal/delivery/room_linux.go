package delivery

import (
	"fmt"
	"math"
	"os"
	"syscall"
)

// What judging a message takes of the address space: the memory of the runtime and of a few words, then so many bytes for each byte,
// up to what the largest message takes.
const (
	leastRoom   = 48 << 20
	roomPerByte = 48
	mostRoom    = 256 << 20
)

// hasRoom reports whether a message of so many bytes can be judged in the address space that the limits of the process leave. It
// is asked before, since a process that finds out on the way cannot go on.
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
