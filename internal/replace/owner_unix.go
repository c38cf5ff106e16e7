//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package replace

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// CheckOwner returns [ErrOwner] if another user may have put a file beside the one at path: in a folder with the sticky bit, as /tmp, anyone
// can create files, and only the owner of a file can replace it. The error wraps fs.ErrNotExist if it finds no such file there.
func CheckOwner(beside, path string) error {
	folder, err := os.Stat(filepath.Dir(path))
	if err != nil || folder.Mode()&fs.ModeSticky == 0 {
		return nil
	}
	of, err := os.Stat(path)
	if err != nil {
		return nil
	}
	there, err := os.Lstat(beside) // a link can lead to any file
	if err != nil {
		return err
	}
	if owner(there) != owner(of) {
		return ErrOwner
	}
	return nil
}

// IsForeign reports whether a file belongs to another user than this one, root, and the owner of the file at path.
func IsForeign(info fs.FileInfo, path string) bool {
	switch by := owner(info); by {
	case 0, uint32(os.Geteuid()):
		return false
	default:
		of, err := os.Stat(path)
		return err != nil || owner(of) != by
	}
}

func owner(info fs.FileInfo) uint32 { return info.Sys().(*syscall.Stat_t).Uid }
