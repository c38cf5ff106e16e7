//go:build unix

package sections

import (
	"io"
	"os"
	"runtime"
	"syscall"
)

// Plain returns a reader of a regular file without the locks and the bookkeeping of [os.File], which take as long as reading a short part. It
// must not be used after the file was closed: it would read another file that got the number.
func Plain(file *os.File) io.ReaderAt { return plainFile{file, int(file.Fd())} }

type plainFile struct {
	file *os.File // which closes fd when nothing refers to it
	fd   int
}

// ReadAt is that of [io.ReaderAt].
func (f plainFile) ReadAt(dst []byte, at int64) (n int, err error) {
	n, err = Pread(f.fd, dst, at)
	runtime.KeepAlive(f.file)
	return n, err
}

// Pread reads from a regular file as [io.ReaderAt] does.
func Pread(fd int, dst []byte, at int64) (n int, err error) {
	for n < len(dst) {
		read, err := syscall.Pread(fd, dst[n:], at+int64(n))
		switch {
		case err == syscall.EINTR:
		case err != nil:
			return n, err
		case read == 0:
			return n, io.EOF
		default:
			n += read
		}
	}
	return n, nil
}
