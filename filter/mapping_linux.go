package filter

import (
	"io"
	"os"
	"runtime/debug"
	"syscall"
	"time"
)

// settled is how long nobody must have changed a model file for it to be mapped. Whoever rewrites a file in place sets its times
// before its bytes, and not again until much later: the bytes of a file that changed a moment ago may still be changing.
const settled = 2 * time.Second

// mapping is a model file in memory, as it is on disk: what others write to it shows, and what they cut off faults. So each use of
// it is guarded by catch, and what comes of it counts if the file was not changed until then. It is never unmapped: such a
// model is opened once in the life of a process.
type mapping struct {
	fd      int
	first   syscall.Stat_t
	faulted bool
}

// mapFile maps a model file, if nobody changed it lately. Of one that was, and of one that cannot be mapped, it returns a copy and nil,
// since a copy does not change between the check of a sum and its use.
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

// isSettled goes by both times of the file: programs that copy files set the one as they like.
func (m *mapping) isSettled(now time.Time) bool {
	before := now.Add(-settled)
	return before.After(time.Unix(m.first.Mtim.Unix())) && before.After(time.Unix(m.first.Ctim.Unix()))
}

// changed reports whether the file was changed since it was mapped. Its place may be taken by another: that changes but the
// second of its times.
func (m *mapping) changed() bool {
	var now syscall.Stat_t
	err := syscall.Fstat(m.fd, &now)
	return m.faulted || err != nil || now.Mtim != m.first.Mtim || now.Size != m.first.Size
}

// catch is deferred while the memory is used, with what debug.SetPanicOnFault(true) returned: a fault, or any other panic over bytes
// that are changing, becomes an error, which changed reports.
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
