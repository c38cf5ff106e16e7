package filter

import (
	"errors"
	"io"
	"os"
	"runtime/debug"
	"syscall"
	"time"
)

// settled is the least age of the last change to a model file that is mapped. A program that rewrites a file in place changes its times
// first and its bytes later: the bytes of a file that changed a moment ago may still change.
const settled = 2 * time.Second

// mapping is a model file in memory as it is on disk: what other programs write to the file shows, and reading what they cut off
// faults. So catch guards each use, and a result counts only if the file did not change until then.
type mapping struct {
	fd      int
	data    []byte
	first   syscall.Stat_t
	faulted bool
}

// mapFile maps a model file. If the file changed lately or cannot be mapped, mapFile returns a copy and nil: a copy does not change
// between the check of a sum and its use.
func mapFile(path string, now time.Time) ([]byte, *mapping, error) {
	// A FIFO would be waited for.
	fd, err := syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC|syscall.O_NONBLOCK, 0)
	for err == syscall.EINTR {
		fd, err = syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC|syscall.O_NONBLOCK, 0)
	}
	if err != nil {
		return nil, nil, err
	}
	m := &mapping{fd: fd}
	if err := syscall.Fstat(fd, &m.first); err != nil {
		syscall.Close(fd)
		return nil, nil, err
	}
	if m.first.Mode&syscall.S_IFMT != syscall.S_IFREG || m.first.Size < int64(len(magic)) {
		syscall.Close(fd)
		return nil, nil, ErrNotModel
	}
	size := int(m.first.Size)
	if m.isSettled(now) {
		data, err := syscall.Mmap(fd, 0, size, syscall.PROT_READ, syscall.MAP_SHARED)
		if err == nil {
			m.data = data
			return data, m, nil
		}
	}
	file := os.NewFile(uintptr(fd), path)
	defer file.Close()
	data := make([]byte, size)
	if _, err := io.ReadFull(file, data); err != nil && err != io.ErrUnexpectedEOF && err != io.EOF {
		return nil, nil, err
	}
	return data, nil, nil
}

// isSettled looks at both times of the file: programs that copy files set the modification time as they like.
func (m *mapping) isSettled(now time.Time) bool {
	before := now.Add(-settled)
	return before.After(time.Unix(m.first.Mtim.Unix())) && before.After(time.Unix(m.first.Ctim.Unix()))
}

// changed reports whether the file changed since it was mapped. A file that another one has replaced did not change; only its change
// time did.
func (m *mapping) changed() bool {
	var now syscall.Stat_t
	err := syscall.Fstat(m.fd, &now)
	return m.faulted || err != nil || now.Mtim != m.first.Mtim || now.Size != m.first.Size
}

// close unmaps and closes the file.
func (m *mapping) close() error {
	return errors.Join(syscall.Munmap(m.data), syscall.Close(m.fd))
}

// catch is deferred while the memory is used, with the result of debug.SetPanicOnFault(true). A fault, or any other panic over bytes
// that are changing, becomes an error that changed reports.
func (m *mapping) catch(onFault bool) {
	debug.SetPanicOnFault(onFault)
	r := recover()
	if r == nil {
		return
	}
	_, fault := r.(interface{ Addr() uintptr })
	if !fault && !m.changed() {
		panic(r)
	}
	m.faulted = true
}
