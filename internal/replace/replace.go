// Package replace writes files atomically: a reader sees the old file or the whole new one.
//
// The new content goes to a temporary file beside the target, which its writer locks. The system releases the lock when the
// process ends, even if it is killed. An unlocked temporary file is therefore abandoned, and the next write into the folder
// removes it.
package replace

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
)

// The name of a temporary file is .chaff-NUMBER.tmp, with a random number.
const (
	prefix = ".chaff-"
	suffix = ".tmp"
)

// ErrOwner is returned for a file that another user may have put there.
var ErrOwner = errors.New("it does not belong to the owner of the model, in a folder where anyone can create files")

// What File does not replace.
var (
	ErrFolder  = errors.New("it is a folder")
	ErrSpecial = errors.New("it is not a regular file") // but a device, a pipe or a socket
)

// Target returns the file that File would replace for path, which need not exist, or the reason why it would not. That is
// path itself or the target of a link at path: renaming a file over /dev/stdout would destroy it for all programs.
func Target(path string) (string, error) {
	if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		// Opening checks whether the system lets us follow the link: not one of another user in a shared folder.
		file, err := os.OpenFile(path, os.O_WRONLY|syscall.O_NONBLOCK, 0)
		if err != nil {
			return "", fmt.Errorf("follow the link: %w", reason(err))
		}
		file.Close()
		if path, err = filepath.EvalSymlinks(path); err != nil {
			return "", fmt.Errorf("follow the link: %w", reason(err))
		}
	}
	info, err := os.Stat(path)
	switch {
	case err != nil: // usually because it does not exist
	case info.IsDir():
		return "", ErrFolder
	case !info.Mode().IsRegular():
		return "", ErrSpecial
	}
	return path, nil
}

// File writes data to path, or to the target of a link at path. An existing file keeps its permissions; a new one gets mode
// without the bits of the umask. If writing fails, the old file stays unchanged. The error does not name the path.
func File(path string, data []byte, mode fs.FileMode) error {
	file, err := Locked(path, data, mode)
	if err != nil {
		return err
	}
	return file.Close()
}

// Locked is File, and returns the new file open. It is locked (flock) from before it has its name until it is closed, where the
// system has such locks.
func Locked(path string, data []byte, mode fs.FileMode) (*os.File, error) {
	path, err := Target(path)
	if err != nil {
		return nil, err
	}
	if old, err := os.Stat(path); err == nil {
		return write(path, data, 0o600, old.Mode().Perm()) // the old permissions from Chmod on
	}
	return write(path, data, mode, 0)
}

// Like is File for a file that will take the place of another one: it gets the permissions of the file at like, or mode if there is none.
func Like(path, like string, data []byte, mode fs.FileMode) error {
	var changed fs.FileMode
	if old, err := os.Stat(like); err == nil {
		mode, changed = 0o600, old.Mode().Perm()
	}
	file, err := write(path, data, mode, changed)
	if err != nil {
		return err
	}
	return file.Close()
}

// write writes a new file in the place of path and leaves it open. Its mode is created, then changed unless that is 0.
func write(path string, data []byte, created, changed fs.FileMode) (*os.File, error) {
	dir := filepath.Dir(path)
	sweep(dir)
	file, err := create(dir, created)
	if err != nil {
		return nil, reason(err)
	}
	temporary := file.Name()
	if changed != 0 {
		err = file.Chmod(changed)
	}
	if err == nil {
		_, err = file.Write(data)
	}
	if err == nil {
		err = file.Sync()
	}
	if err == nil && runtime.GOOS == "windows" { // which cannot rename open files
		file.Close()
	}
	if err == nil {
		err = os.Rename(temporary, path)
	}
	if err != nil {
		file.Close()
		os.Remove(temporary)
		return nil, reason(err)
	}
	if runtime.GOOS == "windows" {
		file, err = os.OpenFile(path, os.O_RDWR, 0)
	}
	return file, reason(err)
}

// Probe returns the reason why no file can be written in the folder dir, or nil. It leaves nothing behind.
func Probe(dir string) error {
	file, err := create(dir, 0o600)
	if err != nil {
		return reason(err)
	}
	file.Close()
	return reason(os.Remove(file.Name()))
}

// create makes a locked temporary file in the folder dir.
func create(dir string, mode fs.FileMode) (*os.File, error) {
	for range 100 {
		name := filepath.Join(dir, prefix+strconv.FormatUint(rand.Uint64(), 36)+suffix)
		file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, mode)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if claim(file) {
			return file, nil
		}
		file.Close() // another process removed it before it was locked
		os.Remove(name)
	}
	return nil, fs.ErrExist
}

// sweep removes the temporary files of killed processes from the folder dir. It ignores errors.
func sweep(dir string) {
	folder, err := os.Open(dir)
	if err != nil {
		return
	}
	defer folder.Close()
	names, _ := folder.Readdirnames(-1)
	for _, name := range names {
		if strings.HasPrefix(name, prefix) && strings.HasSuffix(name, suffix) {
			removeAbandoned(filepath.Join(dir, name))
		}
	}
}

// reason returns an error without the paths that package os adds, which the user does not know.
func reason(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	if e, ok := errors.AsType[*os.LinkError](err); ok {
		return e.Err
	}
	return err
}
