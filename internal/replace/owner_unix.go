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

func owner(info fs.FileInfo) uint32 { return info.Sys().(*syscall.Stat_t).Uid }

// give gives a file to the owner and the group of another one, if the process is the superuser's. Where that is not allowed, for instance in some
// containers, the file stays as it is.
func give(file *os.File, like fs.FileInfo) {
	if os.Geteuid() == 0 {
		stat := like.Sys().(*syscall.Stat_t)
		_ = file.Chown(int(stat.Uid), int(stat.Gid))
	}
}

// misleadsRoot reports whether a link makes the superuser change a file that the owner of the link could not.
func misleadsRoot(link, target fs.FileInfo) bool {
	return os.Geteuid() == 0 && owner(link) != 0 && owner(link) != owner(target)
}
