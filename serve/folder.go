package serve

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"chaff/internal/replace"
)

// folder is the folder of a model, open for good. Kept messages are in folders that are opened below this descriptor, never through a link, and
// their owner and mode are checked on their own descriptors: nobody who can write in the folder leads the daemon to another place.
type folder struct {
	*os.Root
	model string
}

var (
	errNotOurs = errors.New("it is a link, or another user's")
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

// openOwnFolder opens a folder for its owner alone, and may make it. It refuses one that a link leads to or that belongs to somebody else.
func (f *folder) openOwnFolder(name string, mayMake bool) (root *os.Root, err error) {
	if mayMake {
		if err := f.Mkdir(name, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
	}
	if root, err = f.OpenRoot(name); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			root.Close()
			err = fmt.Errorf("%s: %w", filepath.Join(f.Name(), name), err)
		}
	}()
	self, err := root.Open(".")
	if err != nil {
		return nil, err
	}
	defer self.Close()
	info, err := self.Stat()
	if err != nil {
		return nil, err
	}
	there, err := f.Lstat(name)
	switch {
	case err != nil:
	case !os.SameFile(info, there), replace.IsForeign(info, f.model):
		err = errNotOurs
	case info.Mode().Perm()&^0o700 != 0:
		err = self.Chmod(0o700)
	}
	return root, err
}
