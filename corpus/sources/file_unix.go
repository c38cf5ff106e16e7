//go:build unix

package sources

import (
	"io"
	"io/fs"
	"syscall"
)

// file is an open file of the operating system. An os.File is also offered to the poller of the runtime, which refuses files, and watched by
// the garbage collector. For a message of two kilobytes that takes as long as reading it.
type file int

// openFile opens a file as [system.Open] does.
func openFile(name string) (file, error) {
	fd, err := retried(func() (int, error) {
		return syscall.Open(name, syscall.O_RDONLY|syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
	})
	if err == syscall.ENXIO { // a socket
		err = errSpecial
	}
	return file(fd), err
}

// retried calls what a signal may interrupt until none does.
func retried(call func() (int, error)) (n int, err error) {
	for {
		if n, err = call(); err != syscall.EINTR {
			return n, err
		}
	}
}

// stat returns the type bits of the mode, and the size.
func (f file) stat() (fs.FileMode, int64, error) {
	var info syscall.Stat_t
	if _, err := retried(func() (int, error) { return 0, syscall.Fstat(int(f), &info) }); err != nil {
		return 0, 0, err
	}
	switch info.Mode & syscall.S_IFMT {
	case syscall.S_IFREG:
		return 0, info.Size, nil
	case syscall.S_IFDIR:
		return fs.ModeDir, 0, nil
	case syscall.S_IFIFO:
		return fs.ModeNamedPipe, 0, nil
	}
	return fs.ModeIrregular, 0, nil
}

// Read is that of [io.Reader].
func (f file) Read(dst []byte) (int, error) {
	n, err := retried(func() (int, error) { return syscall.Read(int(f), dst) })
	switch {
	case err != nil:
		return 0, err
	case n == 0 && len(dst) > 0:
		return 0, io.EOF
	}
	return n, nil
}

func (f file) close() { syscall.Close(int(f)) }
