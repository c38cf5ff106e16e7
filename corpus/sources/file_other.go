//go:build !unix

package sources

import (
	"io/fs"
	"os"
)

// file is an open file of the operating system.
type file struct{ *os.File }

// openFile opens a file.
func openFile(name string) (file, error) {
	f, err := os.Open(name)
	return file{f}, err
}

// stat returns the type bits of the mode, and the size.
func (f file) stat() (fs.FileMode, int64, error) {
	info, err := f.File.Stat()
	if err != nil {
		return 0, 0, err
	}
	return info.Mode().Type(), info.Size(), nil
}

func (f file) close() { f.File.Close() }
