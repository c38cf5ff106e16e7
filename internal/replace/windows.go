//go:build windows

package replace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

// This system has no owners that could be compared, no folders with a sticky bit and no superuser.

const (
	noFollow       = 0
	removedOnClose = windows.FILE_FLAG_DELETE_ON_CLOSE
)

// Lock locks a byte behind the end of any file, since nobody else can read the bytes that are locked.
func Lock(file *os.File) (bool, error) {
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	err := windows.LockFileEx(windows.Handle(file.Fd()), flags, 0, 1, 0, &windows.Overlapped{OffsetHigh: 1 << 30})
	switch {
	case errors.Is(err, windows.ERROR_LOCK_VIOLATION):
		return false, nil
	case err != nil:
		err = fmt.Errorf("%w: %w", errNoLocks, err)
	}
	return err == nil, err
}

func Unlock(file *os.File) error { return file.Close() }

// open opens a file that others can replace and remove meanwhile, as on other systems; [os.OpenFile] does not allow that.
func open(path string, flag int) (*os.File, error) {
	name, err := windows.UTF16PtrFromString(path)
	var handle windows.Handle
	if err == nil {
		access := map[int]uint32{os.O_RDONLY: windows.GENERIC_READ, os.O_WRONLY: windows.GENERIC_WRITE, os.O_RDWR: windows.GENERIC_READ | windows.GENERIC_WRITE}
		const share = windows.FILE_SHARE_READ | windows.FILE_SHARE_WRITE | windows.FILE_SHARE_DELETE
		handle, err = windows.CreateFile(name, access[flag&(os.O_WRONLY|os.O_RDWR)], share, nil, windows.OPEN_EXISTING, windows.FILE_FLAG_BACKUP_SEMANTICS, 0)
	}
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	return os.NewFile(uintptr(handle), path), nil
}

func owner(fs.FileInfo) (_ uint32) { return }

func give(*os.File, fs.FileInfo) {}
