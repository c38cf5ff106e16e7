//go:build !linux

package replace

import (
	"io/fs"
	"os"
)

func atOnce() bool { return false } // but of the last name only

func straight(path string, flag int) (*os.File, error) { return open(path, flag|noFollow) }

func peek(path string) (info fs.FileInfo, target string, err error) {
	if info, err = os.Lstat(path); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		target, err = os.Readlink(path)
	}
	return info, target, err
}

func isMount(*os.File) bool { return false }
