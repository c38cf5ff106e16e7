// Package mapped maps files into memory on Linux.
package mapped

import (
	"errors"
	"io"
	"os"
	"runtime/debug"
	"syscall"
	"time"
)

// settled is the least age of a file that Settled maps. A program that rewrites a file in place updates its times before it writes the
// bytes, so the bytes of a younger file may still change.
const settled = 2 * time.Second

// File is a file mapped into memory. It shows what other programs write to the file, and reading bytes that they cut off faults. So Catch
// guards each use, and a result counts only if the file has not changed since.
type File struct {
	// Data is the content of the file when it was mapped.
	Data []byte

	fd      int
	first   syscall.Stat_t
	grows   bool // only bytes behind Data change
	faulted bool
}

// Settled maps a file. It returns nil if the file changed a moment before now or cannot be mapped; a copy must then be used.
func Settled(path string, now time.Time) *File {
	return mapIf(path, func(m *File) bool { return m.isSettled(now) })
}

// Growing maps a file that other programs only append to. It returns nil if the file cannot be mapped.
func Growing(path string) *File {
	return mapIf(path, grows)
}

// Held is Growing for an open file.
func Held(file *os.File) *File {
	fd, err := syscall.Dup(int(file.Fd()))
	if err != nil {
		return nil
	}
	return mapFile(fd, grows)
}

func grows(m *File) bool {
	m.grows = true
	return true
}

func mapIf(path string, usable func(*File) bool) *File {
	// O_NONBLOCK keeps it from waiting for a FIFO.
	fd, err := syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil
	}
	return mapFile(fd, usable)
}

// mapFile maps a file, or closes it.
func mapFile(fd int, usable func(*File) bool) *File {
	m := &File{fd: fd}
	if err := syscall.Fstat(fd, &m.first); err == nil && m.first.Mode&syscall.S_IFMT == syscall.S_IFREG && usable(m) {
		if m.Data, err = syscall.Mmap(fd, 0, int(m.first.Size), syscall.PROT_READ, syscall.MAP_SHARED); err == nil {
			return m
		}
	}
	syscall.Close(fd)
	return nil
}

// isSettled checks both times of the file, because programs that copy files set the modification time.
func (m *File) isSettled(now time.Time) bool {
	before := now.Add(-settled)
	return before.After(time.Unix(m.first.Mtim.Unix())) && before.After(time.Unix(m.first.Ctim.Unix()))
}

// Changed reports whether the file changed since it was mapped. It ignores the change time, which also changes when another file replaces
// this one. Of a file that grows, only bytes that are cut off count.
func (m *File) Changed() bool {
	if m.grows {
		return m.faulted
	}
	var now syscall.Stat_t
	err := syscall.Fstat(m.fd, &now)
	return m.faulted || err != nil || now.Mtim != m.first.Mtim || now.Size != m.first.Size
}

// ReadAt implements [io.ReaderAt]. It reads from the file: a fault maps 64 kB, which takes longer than reading some hundred bytes.
func (m *File) ReadAt(dst []byte, at int64) (int, error) {
	n, err := syscall.Pread(m.fd, dst, at)
	if err == nil && n < len(dst) {
		err = io.EOF
	}
	return max(n, 0), err
}

// Close unmaps and closes the file.
func (m *File) Close() error {
	return errors.Join(syscall.Munmap(m.Data), syscall.Close(m.fd))
}

// Catch is deferred while the memory is used, with the result of debug.SetPanicOnFault(true). It recovers from a fault, and from any other
// panic if the bytes have changed; Changed then returns true.
func (m *File) Catch(onFault bool) {
	debug.SetPanicOnFault(onFault)
	r := recover()
	if r == nil {
		return
	}
	_, fault := r.(interface{ Addr() uintptr })
	if !fault && !m.Changed() {
		panic(r)
	}
	m.faulted = true
}
