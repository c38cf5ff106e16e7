//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package replace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// noFollow opens no link.
const noFollow = syscall.O_NOFOLLOW

// Lock locks a file against other processes and reports whether no other has it. The system releases the lock when the process ends.
func Lock(file *os.File) (bool, error) {
	err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	switch {
	case errors.Is(err, syscall.EWOULDBLOCK):
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

// claim locks a new file and reports whether it still exists. On a file system without locks, no other process can take the
// file for abandoned.
func claim(dir *os.Root, file *os.File) bool {
	if locked, err := Lock(file); !locked && err == nil {
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
	if locked, _ := Lock(file); locked {
		dir.Remove(name)
	}
}

// IsForeign reports whether a file belongs to another user than this one, root, and the owner of the file at path.
func IsForeign(info fs.FileInfo, path string) bool {
	switch by := owner(info); by {
	case 0, uint32(os.Geteuid()):
		return false
	default:
		of, err := os.Stat(path)
		return err != nil || owner(of) != by
	}
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
