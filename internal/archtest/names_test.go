package archtest

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// TestWindowsCanCheckOutEveryFile looks for names that Windows reserves, such as nul.eml: Git for Windows makes no clone that has one.
func TestWindowsCanCheckOutEveryFile(t *testing.T) {
	reserved := regexp.MustCompile(`(?i)^(con|prn|aux|nul|com\d|lpt\d)(\.|$)|[<>:"|?*\\]|[. ]$`)
	for _, name := range []string{"nul.eml", "AUX", "a:2,S", "a."} {
		if !reserved.MatchString(name) {
			t.Errorf("%s is not found", name)
		}
	}
	files := 0
	err := fs.WalkDir(os.DirFS(filepath.Join("..", "..")), ".", func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && e.Name() == ".git":
			return fs.SkipDir
		case path != "." && reserved.MatchString(e.Name()):
			t.Errorf("Windows has no file %s", path)
		}
		files++
		return nil
	})
	if err != nil || files < 100 {
		t.Errorf("%d files, %v", files, err)
	}
}
