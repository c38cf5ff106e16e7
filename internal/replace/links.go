package replace

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
)

// Reasons for not using what is there.
var (
	ErrLink  = errors.New("a link of a user leads to what belongs to another user")
	ErrOwner = errors.New("it does not belong to the owner of the model, in a folder where anyone can create files") // as another user may have put it there
)

// Follow returns what is at a path, as [os.Stat] does, and for the superuser the path without links. The link of a user, anywhere in the path, leads the
// superuser to what belongs to that user only. Otherwise the error is [ErrLink].
func Follow(path string) (string, fs.FileInfo, error) {
	const maxLinks = 40 // of a path are followed, so that they end
	var user uint32     // who made the links, unless it was root
	for range maxLinks {
		if os.Geteuid() != 0 || user == 0 && isOfProcess(path) {
			info, err := os.Stat(path)
			return path, info, err
		}
		end, info, target, err := firstLink(path)
		if err != nil {
			return "", nil, err
		}
		by := owner(info)
		switch {
		case user != 0 && by != user && (target == "" || by != 0):
			return "", nil, ErrLink
		case target == "":
			return path, info, nil
		}
		start := strings.LastIndexByte(path[:end], '/') + 1
		if filepath.IsAbs(target) {
			start = 0
		}
		path, user = path[:start]+target+path[end:], max(user, by)
	}
	return "", nil, &fs.PathError{Op: "stat", Path: path, Err: syscall.ELOOP}
}

// firstLink returns what the first link of a path is, where its name ends, and where it leads; without links, what is at the path.
func firstLink(path string) (end int, info fs.FileInfo, target string, err error) {
	if atOnce() {
		if info, target, err = peek(path); !errors.Is(err, syscall.ELOOP) {
			return len(path), info, target, err
		}
	}
	for end = min(1, len(path)); ; end++ {
		if end < len(path) && path[end] != '/' {
			continue
		}
		if info, target, err = peek(path[:end]); err != nil || target != "" || end == len(path) {
			return end, info, target, err
		}
	}
}

// IsOfUser reports whether the superuser finds what is a user's at a path.
func IsOfUser(info fs.FileInfo, path string) bool {
	return os.Geteuid() == 0 && !isOfProcess(path) && owner(info) != 0
}

// IsForeign reports whether a file belongs to another user than this one, root, and the owner of the file at path.
func IsForeign(info fs.FileInfo, path string) bool {
	by := owner(info)
	of, err := os.Stat(path)
	return by != 0 && by != uint32(os.Geteuid()) && (err != nil || by != owner(of))
}

// Others returns the permissions of other users than the owner. Windows has none in the mode.
func Others(info fs.FileInfo) fs.FileMode {
	if runtime.GOOS == "windows" {
		return 0
	}
	return info.Mode() & 0o077
}

// isOfProcess reports whether a path leads to what a process has open. The links there, such as /proc/self/fd/0, need not name a path, so only the system can
// follow them.
func isOfProcess(path string) bool {
	return strings.HasPrefix(path, "/proc/") || strings.HasPrefix(path, "/dev/fd/") || strings.HasPrefix(path, "/dev/std")
}

// Real is [filepath.EvalSymlinks] for what [OpenExisting] opens.
func Real(path string) (string, error) {
	path, _, err := Follow(path)
	if err == nil && (os.Geteuid() != 0 || isOfProcess(path)) {
		return filepath.EvalSymlinks(path)
	}
	return filepath.Clean(path), err // it was looked at, and must not be followed anew
}

// OpenExisting opens a file or a folder that is there, without waiting for a FIFO. It follows links as [Follow] does; on Linux from 5.6 on whatever is exchanged
// meanwhile.
func OpenExisting(path string, flag int) (*os.File, error) {
	flag |= syscall.O_NONBLOCK | syscall.O_NOCTTY // a terminal of a user must not become that of root
	if os.Geteuid() != 0 {
		return open(path, flag)
	}
	if atOnce() {
		if file, err := straight(path, flag); err == nil {
			return file, nil
		}
	}
	for range 10 { // a writer may replace it between the two steps
		real, seen, err := Follow(path) // first, since opening some devices does something
		if err != nil {
			return nil, err
		}
		if isOfProcess(real) {
			return open(real, flag)
		}
		file, err := straight(real, flag)
		if err != nil {
			return nil, err
		}
		if info, err := file.Stat(); err == nil && os.SameFile(info, seen) {
			return file, nil
		}
		file.Close()
	}
	return nil, ErrLink
}

// inFolder does something with a file, by its name in a handle of its folder.
func inFolder(path string, do func(dir *os.Root, name string) error) error {
	folder, seen, err := Follow(filepath.Dir(path))
	if err != nil {
		return err
	}
	dir, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer dir.Close()
	if info, err := dir.Stat("."); os.Geteuid() == 0 && (err != nil || !os.SameFile(info, seen)) {
		return cmp.Or(err, ErrLink)
	}
	return do(dir, filepath.Base(path))
}

// OpenRegular is [OpenExisting] for a regular file, and returns what is known of it. The error does not name it. If model is not empty, the file belongs to the
// model at that path, beside it, and the error is [ErrOwner] if another user may have put it there: in a folder with the sticky bit, as /tmp, anyone can create
// files, and only the owner of a file can replace it.
func OpenRegular(path, model string, flag int) (file *os.File, info fs.FileInfo, err error) {
	if model != "" {
		folder, err1 := os.Stat(filepath.Dir(model))
		of, err2 := os.Stat(model)
		if err1 == nil && err2 == nil && folder.Mode()&fs.ModeSticky != 0 {
			there, err := os.Lstat(path) // a link can lead to any file
			if err == nil && owner(there) != owner(of) {
				err = ErrOwner
			}
			if err != nil {
				return nil, nil, Reason(err)
			}
		}
	}
	file, err = OpenExisting(path, flag)
	if err == nil {
		if info, err = file.Stat(); err == nil && info.Mode().IsRegular() {
			return file, info, nil
		}
		file.Close()
		err = cmp.Or(err, ErrSpecial)
	}
	if errors.Is(err, syscall.EISDIR) || errors.Is(err, syscall.ENXIO) { // a folder, or a socket
		err = ErrSpecial
	}
	return nil, nil, Reason(err)
}
