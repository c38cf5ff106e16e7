package filter

import (
	"io/fs"
	"syscall"
	"time"
)

// lastChange returns when a file changed: the later of two times, because programs that copy files set the modification time.
func lastChange(info fs.FileInfo) (latest time.Time, known bool) {
	latest = info.ModTime()
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		if changed := time.Unix(s.Ctim.Unix()); changed.After(latest) {
			latest = changed
		}
	}
	return latest, true
}
