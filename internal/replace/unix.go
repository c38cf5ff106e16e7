//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package replace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"syscall"
)

const (
	noFollow       = syscall.O_NOFOLLOW // opens no link
	removedOnClose = 0                  // here a file that is open can be removed
)

// Lock locks a file against other processes and reports whether no other has it. The system releases the lock when the process ends.
func Lock(file *os.File) (bool, error) {
	err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	switch {
	case errors.Is(err, syscall.EWOULDBLOCK), errors.Is(err, syscall.EINTR): // which file systems of the network and of programs return
		return false, nil
	case errors.Is(err, syscall.ENOLCK), errors.Is(err, errors.ErrUnsupported):
		err = fmt.Errorf("%w: %w", errNoLocks, err)
	}
	return err == nil, err
}

// Unlock closes a file that was locked. The lock ends at once, also if another thread is just starting a process, which has the file until it
// runs its program.
func Unlock(file *os.File) error {
	err := syscall.Flock(int(file.Fd()), syscall.LOCK_UN)
	return errors.Join(err, file.Close())
}

// open opens a file. On macOS, package os does not wait for what comes through a FIFO, so the system must.
func open(path string, flag int) (*os.File, error) {
	file, err := os.OpenFile(path, flag, 0)
	if err == nil && runtime.GOOS == "darwin" {
		err = syscall.SetNonblock(int(file.Fd()), false)
	}
	return file, err
}

func owner(info fs.FileInfo) uint32 { return info.Sys().(*syscall.Stat_t).Uid }

// give gives a file to the owner and the group of another one, if that is known and the process is the superuser's. Where that is not allowed, for instance in
// some containers, the file stays as it is.
func give(file *os.File, like fs.FileInfo) {
	if os.Geteuid() == 0 && like != nil {
		stat := like.Sys().(*syscall.Stat_t)
		_ = file.Chown(int(stat.Uid), int(stat.Gid))
	}
}
