package replace

import (
	"io/fs"
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// atOnce reports whether straight and peek follow no link anywhere in a path, so that no exchange of a folder for one can come between. Before Linux 5.6, and
// in a container that does not know openat2, that is so of the last name only.
var atOnce = sync.OnceValue(func() bool {
	fd, err := unix.Openat2(unix.AT_FDCWD, "/", &unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_SYMLINKS})
	if err == nil {
		unix.Close(fd)
	}
	return err == nil
})

// straight opens what a path leads to without links.
func straight(path string, flag int) (*os.File, error) {
	if !atOnce() {
		return os.OpenFile(path, flag|noFollow, 0)
	}
	how := unix.OpenHow{Flags: uint64(flag) | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_SYMLINKS}
	if flag&unix.O_PATH == 0 {
		how.Flags |= unix.O_LARGEFILE
	}
	fd, err := unix.Openat2(unix.AT_FDCWD, path, &how)
	for err == unix.EINTR {
		fd, err = unix.Openat2(unix.AT_FDCWD, path, &how)
	}
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	return os.NewFile(uintptr(fd), path), nil
}

// peek returns what is at a path without links but its last name, and where that leads if it is one.
func peek(path string) (info fs.FileInfo, target string, err error) {
	file, err := straight(path, unix.O_PATH|unix.O_NOFOLLOW)
	if err != nil {
		return nil, "", err
	}
	defer file.Close()
	if info, err = file.Stat(); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		return info, "", err
	}
	text := make([]byte, unix.PathMax)
	n, err := unix.Readlinkat(int(file.Fd()), "", text) // of the link whose owner is known
	return info, string(text[:max(n, 0)]), err
}

// isMount reports whether a file is mounted by itself, as a container can have it.
func isMount(file *os.File) bool {
	var of unix.Statx_t
	err := unix.Statx(int(file.Fd()), "", unix.AT_EMPTY_PATH, 0, &of)
	return err == nil && of.Attributes&unix.STATX_ATTR_MOUNT_ROOT != 0
}
