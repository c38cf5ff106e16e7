//go:build !linux

package filter

import (
	"io/fs"
	"time"
)

// lastChange is known on Linux only.
func lastChange(fs.FileInfo) (latest time.Time, known bool) { return time.Time{}, false }
