//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package replace

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
)

// claim locks a new file and reports whether it still exists. On a file system without locks, no other process can take the
// file for abandoned.
func claim(dir *os.Root, file *os.File) bool {
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); errors.Is(err, syscall.EWOULDBLOCK) {
		return false // by a process that is about to remove it
	}
	mine, err1 := file.Stat()
	there, err2 := dir.Lstat(filepath.Base(file.Name()))
	return err1 == nil && err2 == nil && os.SameFile(mine, there)
}

// removeAbandoned removes a file that is not locked.
func removeAbandoned(dir *os.Root, name string) {
	if info, err := dir.Lstat(name); err != nil || !info.Mode().IsRegular() {
		return
	}
	file, err := dir.OpenFile(name, os.O_RDWR|syscall.O_NONBLOCK|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return
	}
	defer file.Close()
	if syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil {
		dir.Remove(name)
	}
}
