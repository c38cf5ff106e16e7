//go:build unix

package filter

import (
	"os"
	"syscall"
)

// mapFile maps a file into memory for reading. It is never unmapped: a model is opened once in the life of a process, and
// pages that are no longer read cost address space only.
func mapFile(f *os.File, size int) ([]byte, error) {
	return syscall.Mmap(int(f.Fd()), 0, size, syscall.PROT_READ, syscall.MAP_SHARED)
}
