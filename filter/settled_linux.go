package filter

import (
	"syscall"
	"time"

	"chaff/internal/sections"
)

// settled is the least age of a model file of which parts are read. A program that rewrites a file in place updates its times before it writes the
// bytes, so the bytes of a younger file may still change.
const settled = 2 * time.Second

// settledFile is a model file that nobody was changing when it was opened. A result counts only if it has not changed since.
type settledFile struct {
	fd    int
	first syscall.Stat_t
}

// openSettled opens a model file. It returns nil if the file changed a moment ago or is no regular file; all of it must then be read.
func openSettled(path string, now time.Time) (partFile, int64) {
	// O_NONBLOCK keeps it from waiting for a FIFO.
	fd, err := syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, 0
	}
	f := &settledFile{fd: fd}
	if err := syscall.Fstat(fd, &f.first); err == nil && f.first.Mode&syscall.S_IFMT == syscall.S_IFREG && f.isSettled(now) {
		return f, f.first.Size
	}
	syscall.Close(fd)
	return nil, 0
}

// isSettled checks both times of the file, because programs that copy files set the modification time.
func (f *settledFile) isSettled(now time.Time) bool {
	before := now.Add(-settled)
	return before.After(time.Unix(f.first.Mtim.Unix())) && before.After(time.Unix(f.first.Ctim.Unix()))
}

// ReadAt is that of [io.ReaderAt].
func (f *settledFile) ReadAt(dst []byte, at int64) (n int, err error) {
	return sections.Pread(f.fd, dst, at)
}

// changed reports whether the file changed since it was opened. It ignores the change time, which also changes when another file replaces
// this one.
func (f *settledFile) changed() bool {
	var now syscall.Stat_t
	err := syscall.Fstat(f.fd, &now)
	return err != nil || now.Mtim != f.first.Mtim || now.Size != f.first.Size
}

func (f *settledFile) close() error { return syscall.Close(f.fd) }
