//go:build unix

package filter

import (
	"os"
	"syscall"
)

// mapFile maps a file into memory for reading. The memory stays mapped as long as the process lives: a model is opened
// once, and a vector of it may be in use anywhere.
func mapFile(f *os.File, size int) ([]byte, error) {
	return syscall.Mmap(int(f.Fd()), 0, size, syscall.PROT_READ, syscall.MAP_SHARED)
}
