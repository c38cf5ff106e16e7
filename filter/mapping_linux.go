package filter

import (
	"errors"
	"runtime/debug"
	"syscall"
	"time"
)

// settled is the least age of a model file that is mapped. A program that rewrites a file in place updates its times before it writes the
// bytes, so the bytes of a younger file may still change.
const settled = 2 * time.Second

// mapping is a model file mapped into memory. It shows what other programs write to the file, and reading bytes that they cut off faults.
// So catch guards each use, and a result counts only if the file has not changed since.
type mapping struct {
	fd      int
	data    []byte
	first   syscall.Stat_t
	faulted bool
}

// mapFile maps a model file. It returns nil if the file changed a moment ago or cannot be mapped; a copy must then be used.
func mapFile(path string, now time.Time) *mapping {
	// O_NONBLOCK keeps it from waiting for a FIFO.
	fd, err := syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil
	}
	m := &mapping{fd: fd}
	if err := syscall.Fstat(fd, &m.first); err == nil && m.first.Mode&syscall.S_IFMT == syscall.S_IFREG && m.isSettled(now) {
		if m.data, err = syscall.Mmap(fd, 0, int(m.first.Size), syscall.PROT_READ, syscall.MAP_SHARED); err == nil {
			return m
		}
	}
	syscall.Close(fd)
	return nil
}

// isSettled checks both times of the file, because programs that copy files set the modification time.
func (m *mapping) isSettled(now time.Time) bool {
	before := now.Add(-settled)
	return before.After(time.Unix(m.first.Mtim.Unix())) && before.After(time.Unix(m.first.Ctim.Unix()))
}

// changed reports whether the file changed since it was mapped. It ignores the change time, which also changes when another file replaces
// this one.
func (m *mapping) changed() bool {
	var now syscall.Stat_t
	err := syscall.Fstat(m.fd, &now)
	return m.faulted || err != nil || now.Mtim != m.first.Mtim || now.Size != m.first.Size
}

// close unmaps and closes the file.
func (m *mapping) close() error {
	return errors.Join(syscall.Munmap(m.data), syscall.Close(m.fd))
}

// catch is deferred while the memory is used, with the result of debug.SetPanicOnFault(true). It recovers from a fault, and from any other
// panic if the bytes have changed; changed then returns true.
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
