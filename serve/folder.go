package serve

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"chaff/internal/replace"
)

// folder is the folder of a model, open for good. What the daemon keeps beside the model is opened below this descriptor, never through a link,
// and its owner and mode are checked on its own descriptor: nobody who can write in the folder leads the daemon to another file.
type folder struct {
	*os.Root
	model string
}

var (
	errNotOurs = errors.New("it is a link, no regular file, or another user's")
	errRoot    = errors.New("chaff serve runs as root, and the folder belongs to another user, who could lead it to any file: start it as that user")
)

func openFolder(model string) (*folder, error) {
	path := filepath.Dir(model)
	if err := checkRoot(path); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, fmt.Errorf("folder of the model: %w", err)
	}
	return &folder{root, model}, nil
}

// checkRoot refuses to work as root in the folder of another user.
func checkRoot(path string) error {
	info, err := os.Stat(path)
	if err == nil && os.Geteuid() == 0 && replace.IsForeign(info, "/") {
		return fmt.Errorf("%s: %w", path, errRoot)
	}
	return nil
}

// openOwn opens a file for its owner alone, and makes it if there is none.
func (f *folder) openOwn(name string, flag int) (*os.File, error) {
	if there, err := f.Lstat(name); err == nil && !there.Mode().IsRegular() { // opening a pipe would wait
		return nil, fmt.Errorf("%s: %w", filepath.Join(f.Name(), name), errNotOurs)
	}
	file, err := f.OpenFile(name, flag|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := f.keep(name, file, 0o600); err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}

// openOwnFolder opens a folder for its owner alone, and may make it.
func (f *folder) openOwnFolder(name string, mayMake bool) (*os.Root, error) {
	if mayMake {
		if err := f.Mkdir(name, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
	}
	root, err := f.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	self, err := root.Open(".")
	if err == nil {
		err = f.keep(name, self, 0o700)
		self.Close()
	}
	if err != nil {
		root.Close()
		return nil, err
	}
	return root, nil
}

// keep refuses an open file that a link has led to or that belongs to somebody else, and takes it from all but its owner.
func (f *folder) keep(name string, file *os.File, mode fs.FileMode) error {
	info, err := file.Stat()
	if err != nil {
		return err
	}
	there, err := f.Lstat(name)
	switch {
	case err != nil:
		return err
	case !os.SameFile(info, there), replace.IsForeign(info, f.model):
		err = errNotOurs
	case info.Mode().Perm()&^mode != 0:
		err = file.Chmod(mode)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", filepath.Join(f.Name(), name), err)
	}
	return nil
}

// replace writes a file anew: whoever reads it sees the old content or the new one. A link that has its name goes.
func (f *folder) replace(name string, data []byte) error {
	fresh := name + ".new"
	f.Remove(fresh) // of a crash
	file, err := f.OpenFile(fresh, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	if err = errors.Join(err, file.Sync(), file.Close()); err == nil {
		err = f.Rename(fresh, name)
	}
	if err != nil {
		f.Remove(fresh)
	}
	return err
}
