// Package replace writes files in one step: whoever opens one sees the old file or all of the new one.
//
// The new file grows beside its target, under a name of its own, and is locked by its writer. The system takes the lock away
// when a process ends, however it ends: so what a killed process has left is known by its name and by being unlocked, and the
// next file that is written into the folder sweeps it out.
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

// Names of files that are being written are .chaff-, a random number, .tmp.
const (
	prefix = ".chaff-"
	suffix = ".tmp"
)

// What is at a path and is not replaced.
var (
	ErrFolder  = errors.New("it is a folder")
	ErrSpecial = errors.New("it is no regular file") // but a device, a pipe, a socket
)

// Target returns the file that File replaces for path, which there need not be, or the reason why it does not. It is path, or
// where a link at path leads to: renaming over /dev/stdout would do away with it for all programs.
func Target(path string) (string, error) {
	if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		// The system knows which links may be followed: not those that others leave in a folder for all.
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
	case err != nil: // most often it is not there
	case info.IsDir():
		return "", ErrFolder
	case !info.Mode().IsRegular():
		return "", ErrSpecial
	}
	return path, nil
}

// File writes data to path, or to the file that a link there leads to. A file that is there is replaced, and keeps its
// permissions; a new one has those of mode that the umask leaves. If writing fails, the old file stays as it was. The error is a
// reason without a path.
func File(path string, data []byte, mode fs.FileMode) error {
	path, err := Target(path)
	if err != nil {
		return err
	}
	old, _ := os.Stat(path)
	if old != nil {
		mode = 0o600 // until it has that of the old file
	}
	dir := filepath.Dir(path)
	sweep(dir)
	file, err := create(dir, mode)
	if err != nil {
		return reason(err)
	}
	defer os.Remove(file.Name()) // it has another name if all went well
	defer file.Close()
	if old != nil {
		if err := file.Chmod(old.Mode().Perm()); err != nil {
			return reason(err)
		}
	}
	if _, err := file.Write(data); err != nil {
		return reason(err)
	}
	if err := file.Sync(); err != nil {
		return reason(err)
	}
	if runtime.GOOS == "windows" { // which renames no open file
		file.Close()
	}
	return reason(os.Rename(file.Name(), path))
}

// Probe returns the reason why no file can be written in a folder. It leaves nothing behind.
func Probe(dir string) error {
	file, err := create(dir, 0o600)
	if err != nil {
		return reason(err)
	}
	file.Close()
	return reason(os.Remove(file.Name()))
}

// create makes a new file, which is locked, in a folder.
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
		file.Close() // somebody swept it out before it was locked
		os.Remove(name)
	}
	return nil, fs.ErrExist
}

// sweep removes what processes that were killed have left in a folder. What cannot be removed does no harm.
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

// reason returns an error without the paths that package os adds: the user knows the name that was asked for, and no other.
func reason(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	if e, ok := errors.AsType[*os.LinkError](err); ok {
		return e.Err
	}
	return err
}
