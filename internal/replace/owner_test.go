//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package replace

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// anna is a user without any rights.
const anna = 12345

// folderOf makes a folder of a user.
func folderOf(t *testing.T, user int, mode fs.FileMode) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "folder")
	if err := errors.Join(os.Mkdir(dir, 0o700), os.Chmod(dir, mode), os.Chown(dir, user, user)); err != nil {
		t.Fatal(err)
	}
	return dir
}

func mustBelong(t *testing.T, path string, user, group uint32, mode fs.FileMode) {
	t.Helper()
	info, err := os.Lstat(path)
	if err != nil {
		t.Error(err)
		return
	}
	if stat := info.Sys().(*syscall.Stat_t); stat.Uid != user || stat.Gid != group || info.Mode() != mode {
		t.Errorf("%s belongs to user %d and group %d with the mode %v, want %d, %d and %v", path, stat.Uid, stat.Gid, info.Mode(), user, group, mode)
	}
}

// put writes a file that must be possible to write.
func put(t *testing.T, path string) {
	t.Helper()
	if err := File(path, example, []byte("#new"), 0o600); err != nil {
		t.Error(err)
	}
}

func needRoot(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can make files of other users: run the tests as root")
	}
}

func TestRootLeavesFilesToTheirOwners(t *testing.T) {
	needRoot(t)
	dir := folderOf(t, anna, 0o700)
	model := filepath.Join(dir, "model")
	put(t, model)
	mustBelong(t, model, anna, anna, 0o600)
	if err := errors.Join(os.Chown(model, anna+1, anna+2), os.Chmod(model, 0o640)); err != nil {
		t.Fatal(err)
	}
	put(t, model)
	mustBelong(t, model, anna+1, anna+2, 0o640)
	store, err := Locked(model+".store", model, example, 0o600, nothing)
	if err != nil {
		t.Fatal(err)
	}
	store.Close()
	mustBelong(t, model+".store", anna+1, anna+2, 0o600)
	for range 2 { // makes it, and opens it
		token, err := Open(model+".token", os.O_WRONLY|os.O_APPEND, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		token.Close()
		mustBelong(t, model+".token", anna, anna, 0o600)
	}
	if _, err := Open(model+".token", os.O_EXCL|os.O_WRONLY, 0o600); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a file that is there is made anew: %v", err)
	}
	link := filepath.Join(t.TempDir(), "link") // of root
	if err := os.Symlink(model, link); err != nil {
		t.Fatal(err)
	}
	put(t, link)
	mustBelong(t, model, anna+1, anna+2, 0o640)
	mustHave(t, model, "#new", 0o640)
}

// Who owns a folder can put links there, at any time. Root gives that user no file that is elsewhere.
func TestTheOwnerOfAFolderGetsNothingElse(t *testing.T) {
	needRoot(t)
	theirs, ours := folderOf(t, anna, 0o700), folderOf(t, 0, 0o755)
	secret := filepath.Join(ours, "secret")
	if err := os.WriteFile(secret, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	links := map[string]string{"folder": ours, "model": secret, "store": secret, "dangling": filepath.Join(ours, "none")}
	for name, target := range links {
		link := filepath.Join(theirs, name)
		if err := errors.Join(os.Symlink(target, link), os.Lchown(link, anna, anna)); err != nil {
			t.Fatal(err)
		}
	}
	if err := File(filepath.Join(theirs, "model"), example, []byte("#new"), 0o600); !errors.Is(err, ErrLink) {
		t.Errorf("root writes through a link of another user: %v", err)
	}
	inside := filepath.Join(theirs, "folder", "model") // the folder has become a link
	if err := File(inside, example, []byte("#new"), 0o600); !errors.Is(err, ErrLink) {
		t.Errorf("root writes into a folder that a link of another user leads to: %v", err)
	}
	if _, err := Open(inside, os.O_EXCL|os.O_WRONLY, 0o600); !errors.Is(err, ErrLink) {
		t.Errorf("root makes a file where a link of another user leads: %v", err)
	}
	if err := Remove(filepath.Join(theirs, "folder", "secret")); !errors.Is(err, ErrLink) {
		t.Errorf("root removes a file where a link of another user leads: %v", err)
	}
	if err := Probe(filepath.Dir(inside), true); !errors.Is(err, ErrLink) {
		t.Errorf("root tries a folder that a link of another user leads to: %v", err)
	}
	if file, err := Open(filepath.Join(theirs, "dangling"), os.O_WRONLY, 0o600); err == nil {
		file.Close()
		t.Error("a link leads to a new file")
	}
	mustHave(t, secret, "secret", 0o600)
	mustBelong(t, secret, 0, 0, 0o600)
	mustBelong(t, theirs, anna, anna, fs.ModeDir|0o700)
	mustBelong(t, ours, 0, 0, fs.ModeDir|0o755)
}

// nothing is the content of an empty file.
func nothing(*os.File) error { return nil }
