//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package filelock

import (
	"errors"
	"os"
)

// Try reports that there are no locks here: two writers could lose what they learn.
func Try(*os.File) (bool, error) { return false, errors.ErrUnsupported }

// Release closes a file.
func Release(file *os.File) error { return file.Close() }
