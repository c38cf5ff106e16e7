//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

// Package filelock locks files against other processes.
package filelock

import (
	"errors"
	"os"
	"syscall"
)

// Try locks a file for writing and reports whether no other process has it. The system releases the lock when the process ends.
func Try(file *os.File) (bool, error) {
	err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, err
}

// Release closes a file that was locked. The lock ends at once, also if another thread is just starting a process, which has the file until it
// runs its program.
func Release(file *os.File) error {
	err := syscall.Flock(int(file.Fd()), syscall.LOCK_UN)
	return errors.Join(err, file.Close())
}
