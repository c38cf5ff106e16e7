// Package replace writes files atomically: a reader sees the old file or the whole new one. It replaces only files of the kind that it
// writes, so that no mistyped path costs a mailbox.
//
// The new content goes to a temporary file beside the target, which its writer locks. The system releases the lock when the
// process ends, even if it is killed. An unlocked temporary file is therefore abandoned, and the next write into the folder
// removes it.
//
// The superuser who writes for another user leaves files that this user can write: a file keeps its owner and group, and a new one gets those
// of the file that it belongs to, or of its folder. All of this goes through one handle of the folder (inFolder), and ownership through that of the
// new file. So a file is only given to who owned its name or the folder before, even if that user exchanges both for links meanwhile.
//
// Any user can put a link where the superuser opens a path, to make him read what that user may not, or what never ends, as /proc/kmsg. So the
// superuser follows links by himself ([Follow]), and then opens what has no links in its path, and is what he saw. For others the system follows links,
// and knows what they may.
package replace

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// The name of a temporary file is .chaff-NUMBER.tmp, with a random number.
const (
	prefix = ".chaff-"
	suffix = ".tmp"
)

// errNoLocks is about a file system or a system whose files cannot be locked.
var errNoLocks = errors.New("files there cannot be locked, and two writers could lose what they learn: put the model on a local disk")

// What File does not replace. It writes to a device.
var (
	ErrMount   = errors.New("it is mounted by itself, so no new file can take its place: mount its folder instead")
	ErrFolder  = errors.New("it is a folder")
	ErrDevice  = errors.New("it is a device or a pipe")
	ErrSpecial = errors.New("it is not a regular file") // but a disk or a socket
)

// Kind is a kind of file that chaff writes. Its first bytes tell it from all other files.
type Kind struct {
	Name  string // such as "model"
	Start string // the first bytes; if it is empty, no file is of the kind
	Mark  string // is somewhere in the first headSize bytes
}

// Output is a file to be written.
type Output struct {
	Path string
	Kind Kind
	Made bool // the writer makes its folder
}

// headSize is how much of a file is read to know its kind.
const headSize = 8 << 10

// OtherError is the error about a file that is not replaced, since it is of another kind than the named one.
type OtherError string

func (e OtherError) Error() string { return "the file that is there is no " + string(e) + " of chaff" }

// Check returns an error if there is a file at path, the [Target] of a name, that cannot be replaced, or is not empty and of another kind.
func (k Kind) Check(path string) error {
	file, _, err := OpenRegular(path, "", os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) { // the writer says why there is no such folder
		return nil
	}
	if err != nil {
		return err
	}
	defer file.Close()
	if isMount(file) {
		return ErrMount
	}
	head, err := io.ReadAll(io.LimitReader(file, headSize))
	if err != nil {
		return Reason(err)
	}
	if text := string(head); text != "" && (k.Start == "" || !strings.HasPrefix(text, k.Start) || !strings.Contains(text, k.Mark)) {
		return OtherError(k.Name)
	}
	return nil
}

// Target returns the file that File would replace for path, which need not exist, or the reason why it would not. That is
// path itself or the target of a link at path: renaming a file over /dev/stdout would destroy it for all programs.
func Target(path string) (string, error) {
	_, info, err := Follow(path)
	switch {
	case errors.Is(err, ErrLink):
		return "", err
	case standard(path) != nil || err == nil && info.Mode()&(fs.ModeNamedPipe|fs.ModeCharDevice) != 0:
		return "", ErrDevice
	}
	if link, noLink := os.Lstat(path); noLink == nil && link.Mode()&fs.ModeSymlink != 0 {
		if err == nil {
			path, err = Real(path)
		}
		if err != nil {
			return "", fmt.Errorf("follow the link: %w", Reason(err))
		}
	}
	switch {
	case err != nil: // usually because it does not exist
	case info.IsDir():
		return "", ErrFolder
	case !info.Mode().IsRegular():
		return "", ErrSpecial
	}
	return path, nil
}

// standard returns the stream of the process that a path names, nil if it names none. Opened by its path, a file behind it would be
// written from its start.
func standard(path string) *os.File {
	return map[string]*os.File{"/dev/stdout": os.Stdout, "/dev/stderr": os.Stderr}[path]
}

// File writes data to path, or to the target of a link at path. A file of another kind, or one that the error of [Target] is about, stays
// as it is; an empty file and a device are of every kind. An existing file keeps its permissions; a new one gets mode without the bits of
// the umask. If writing fails, the old file stays unchanged. The error does not name the path.
func File(path string, kind Kind, data []byte, mode fs.FileMode) error {
	return Written(path, kind, mode, func(file *os.File) error {
		_, err := file.Write(data)
		return err
	})
}

// Written is File for content that need not be in memory as a whole: the file is empty first.
func Written(path string, kind Kind, mode fs.FileMode, content func(file *os.File) error) error {
	file, err := Locked(path, "", kind, mode, content)
	if errors.Is(err, ErrDevice) {
		return Reason(pour(path, content))
	}
	if err != nil {
		return err
	}
	return file.Close()
}

// pour writes content, which may not come in order, to the device at path.
func pour(path string, content func(file *os.File) error) error {
	file, err := Scratch()
	if err != nil {
		return err
	}
	defer file.Close()
	if err := content(file); err != nil {
		if e, ok := errors.AsType[*fs.PathError](err); ok && e.Path == file.Name() {
			err = fmt.Errorf("write a temporary file in %s: %w", os.TempDir(), e.Err)
		}
		return err
	}
	device := standard(path)
	if device == nil {
		device, err = OpenExisting(path, os.O_WRONLY)
		if errors.Is(err, syscall.ENXIO) {
			return errors.New("nobody reads from the pipe")
		}
		if err != nil {
			return err
		}
		defer device.Close()
		if info, err := device.Stat(); err != nil || info.Mode().IsRegular() { // exchanged meanwhile
			return cmp.Or(err, ErrSpecial)
		}
	}
	_, err = io.Copy(device, io.NewSectionReader(file, 0, math.MaxInt64))
	return err
}

// Locked is Written, and returns the new file open. It is locked from before it has its name until it is closed, where the
// file system has locks. It gets the permissions and the owner of the file that is there; if there is none, mode, and the owner of the file at beside in the
// same folder, if that is not empty, or of the folder. A device is an error.
func Locked(path, beside string, kind Kind, mode fs.FileMode, content func(file *os.File) error) (*os.File, error) {
	path, err := Target(path)
	if err == nil {
		err = kind.Check(path)
	}
	if err != nil {
		return nil, err
	}
	var file *os.File
	err = inFolder(path, func(dir *os.Root, name string) error {
		sweep(dir)
		old := regular(dir, name)
		if old != nil {
			mode = 0o600
		}
		if file, err = create(dir, mode); err != nil {
			return err
		}
		folder, _ := dir.Stat(".")
		give(file, cmp.Or(old, regular(dir, beside), folder))
		if old != nil {
			err = file.Chmod(old.Mode().Perm())
		}
		if err == nil {
			err = content(file)
		}
		if err == nil {
			err = file.Sync()
		}
		temporary := filepath.Base(file.Name())
		if err == nil {
			err = dir.Rename(temporary, name)
		}
		if err != nil {
			file.Close()
			dir.Remove(temporary)
		}
		return err
	})
	if err != nil {
		return nil, Reason(err)
	}
	return file, nil
}

// Open opens a file as [os.OpenFile] does. If there is none, it makes one with a mode.
func Open(path string, flag int, mode fs.FileMode) (file *os.File, err error) {
	err = inFolder(path, func(dir *os.Root, name string) error {
		if file, err = dir.OpenFile(name, flag|os.O_CREATE|os.O_EXCL, mode); err == nil {
			folder, _ := dir.Stat(".")
			give(file, folder)
		}
		return err
	})
	if flag&os.O_EXCL == 0 && errors.Is(err, fs.ErrExist) {
		return OpenExisting(path, flag)
	}
	return file, err
}

// Rename gives a file the name of another one in its folder, which goes even if it is open.
func Rename(from, to string) error {
	return inFolder(to, func(dir *os.Root, name string) error { return dir.Rename(filepath.Base(from), name) })
}

// Remove removes a file.
func Remove(path string) error { return inFolder(path, (*os.Root).Remove) }

// regular returns what dir says about the file at path, which is in it; nil if it has no such file, or path is empty.
func regular(dir *os.Root, path string) fs.FileInfo {
	info, err := dir.Lstat(filepath.Base(path))
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	return info
}

// Probe returns the reason why no file can be written in the folder dir, or none that is locked, or nil. It leaves nothing behind.
func Probe(dir string, locked bool) error {
	return Reason(inFolder(filepath.Join(dir, "any"), func(folder *os.Root, _ string) error {
		file, err := create(folder, 0o600)
		if err != nil {
			return err
		}
		if locked {
			_, err = Lock(file)
		}
		file.Close()
		if left := folder.Remove(filepath.Base(file.Name())); !errors.Is(left, fs.ErrNotExist) { // which another writer may have swept
			err = errors.Join(err, Reason(left))
		}
		return err
	}))
}

// create makes a locked temporary file in a folder.
func create(dir *os.Root, mode fs.FileMode) (*os.File, error) {
	for range 100 {
		name := prefix + strconv.FormatUint(rand.Uint64(), 36) + suffix
		file, err := dir.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, mode)
		if err != nil {
			return nil, err
		}
		locked, noLocks := Lock(file) // without locks, no other process can take the file for abandoned
		mine, err1 := file.Stat()
		there, err2 := dir.Lstat(name)
		if noLocks != nil || locked && err1 == nil && err2 == nil && os.SameFile(mine, there) {
			return file, nil
		}
		file.Close() // another process has removed it, or is about to
		dir.Remove(name)
	}
	return nil, fs.ErrExist
}

// sweep removes the temporary files of a folder that are not locked.
func sweep(dir *os.Root) {
	temporaries, _ := fs.Glob(dir.FS(), prefix+"*"+suffix)
	for _, name := range temporaries {
		if regular(dir, name) == nil {
			continue
		}
		file, err := dir.OpenFile(name, os.O_RDWR|syscall.O_NONBLOCK, 0)
		if err != nil {
			continue
		}
		if locked, _ := Lock(file); locked {
			dir.Remove(name)
		}
		file.Close()
	}
}

// Scratch returns a temporary file that goes when it is closed, or with the process. It has no name where the system allows that.
func Scratch() (*os.File, error) {
	path := filepath.Join(os.TempDir(), "chaff-"+strconv.FormatUint(rand.Uint64(), 36))
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL|removedOnClose, 0o600)
	if err != nil {
		return nil, fmt.Errorf("create a temporary file in %s: %w", os.TempDir(), Reason(err))
	}
	os.Remove(path)
	return file, nil
}

// Reason returns an error without the operation, and the paths or addresses, that packages os and net add.
func Reason(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	if e, ok := errors.AsType[*os.LinkError](err); ok {
		return e.Err
	}
	if e, ok := errors.AsType[*os.SyscallError](err); ok {
		return e.Err
	}
	return err
}
