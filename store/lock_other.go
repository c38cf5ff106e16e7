//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package store

import (
	"errors"
	"os"
)

// tryLock reports that there are no locks here: two writers could lose what they learn.
func tryLock(*os.File) (bool, error) { return false, errors.ErrUnsupported }
