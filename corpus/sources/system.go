package sources

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"
)

// system is the file system of the operating system. Unlike os.DirFS it takes any path, including file names that are not
// valid UTF-8, as old mail folders have.
type system struct{}

var (
	_ fs.ReadDirFS = system{}
	_ fs.StatFS    = system{}
)

// Open does not wait for the writer of a named pipe: a file may have been replaced by a pipe after it was listed.
func (system) Open(name string) (fs.File, error) {
	return os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
}

func (system) ReadDir(name string) ([]fs.DirEntry, error) { return os.ReadDir(name) }
func (system) Stat(name string) (fs.FileInfo, error)      { return os.Stat(name) }

func orSystem(fsys fs.FS) fs.FS {
	if fsys == nil {
		return system{}
	}
	return fsys
}

// errSpecial is the error for pipes, sockets and devices. Reading them may never end.
var errSpecial = errors.New("is neither a file nor a folder")

// isRegular reports whether the entry e at name is a file or a link to one. It returns an error for anything else that is
// not a folder.
func isRegular(fsys fs.FS, name string, e fs.DirEntry) (bool, error) {
	mode := e.Type()
	if mode&fs.ModeSymlink != 0 {
		info, err := fs.Stat(fsys, name)
		if err != nil {
			if errors.Is(err, fs.ErrNotExist) {
				return false, errors.New("is a link to a file that does not exist")
			}
			return false, fmt.Errorf("is a link that cannot be followed: %w", reason(err))
		}
		mode = info.Mode()
	}
	if !mode.IsRegular() && !mode.IsDir() {
		return false, errSpecial
	}
	return mode.IsRegular(), nil
}

// isFolder reports whether name is a folder or a link to one.
func isFolder(fsys fs.FS, name string) bool {
	info, err := fs.Stat(fsys, name)
	return err == nil && info.IsDir()
}

func isHidden(name string) bool { return strings.HasPrefix(name, ".") }

// explain wraps err with what was being done to which file, in place of the operation and path that package os adds. An error that
// says what the file is or has becomes a sentence about it: "junk is a folder, not an index".
func explain(doing, origin string, err error) error {
	err = reason(err)
	if text := err.Error(); strings.HasPrefix(text, "is ") || strings.HasPrefix(text, "has ") {
		return fmt.Errorf("%s %w", origin, err)
	}
	return fmt.Errorf("%s %s: %w", doing, origin, err)
}

// reason returns err without the operation and the path that package os adds.
func reason(err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return pe.Err
	}
	return err
}
