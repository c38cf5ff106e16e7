//go:build !unix

package filter

import (
	"io"
	"os"
)

// mapFile reads the file: where mapping is not at hand, a copy does as well.
func mapFile(f *os.File, size int) ([]byte, error) {
	data := make([]byte, size)
	_, err := io.ReadFull(f, data)
	return data, err
}
