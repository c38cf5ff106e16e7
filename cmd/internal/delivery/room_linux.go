package delivery

import (
	"fmt"
	"math"
	"os"
	"syscall"
)

// The memory that a classification needs beside the message and the model: a fixed part, and so many bytes for each byte of the message. Measured
// with mail that takes the most. Go takes address space in pieces.
const (
	leastRoom   = 48 << 20
	roomPerByte = 4
	spacePiece  = 64 << 20
)

// hasRoom reports whether the limits of the process leave enough memory to classify a message of the given size. A
// process that runs out of memory cannot recover.
func hasRoom(size int) bool {
	var space, data syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_AS, &space) != nil || syscall.Getrlimit(syscall.RLIMIT_DATA, &data) != nil ||
		space.Cur == math.MaxUint64 && data.Cur == math.MaxUint64 {
		return true
	}
	statm, _ := os.ReadFile("/proc/self/statm") // scanning nothing fails
	var usedSpace, usedData, skip uint64        // in pages
	if _, err := fmt.Sscan(string(statm), &usedSpace, &skip, &skip, &skip, &skip, &usedData); err != nil {
		return true
	}
	page := uint64(os.Getpagesize())
	need := leastRoom + roomPerByte*uint64(size)
	return usedSpace*page+need+spacePiece <= space.Cur && usedData*page+need <= data.Cur
}
