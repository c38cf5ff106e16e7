//go:build unix

package delivery

import (
	"os"

	"golang.org/x/sys/unix"
)

// wasClosed reports whether a standard stream was closed when the process started. The Go runtime then opens /dev/null for
// reading and writing in its place.
func wasClosed(file *os.File) bool {
	var is, null unix.Stat_t
	if unix.Fstat(int(file.Fd()), &is) != nil || is.Mode&unix.S_IFMT != unix.S_IFCHR || unix.Stat("/dev/null", &null) != nil {
		return false
	}
	flags, err := unix.FcntlInt(file.Fd(), unix.F_GETFL, 0)
	return is.Rdev == null.Rdev && err == nil && flags&unix.O_ACCMODE == unix.O_RDWR
}
