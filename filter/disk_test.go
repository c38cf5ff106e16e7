//go:build unix

package filter

import (
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"
)

// TestAFullDiskLeavesTheOldModel makes a write fail halfway by a limit on the size of files.
func TestAFullDiskLeavesTheOldModel(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "spam.model")
	f := spamFilter(t)
	if err := f.Save(path); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}

	signal.Ignore(syscall.SIGXFSZ)
	defer signal.Reset(syscall.SIGXFSZ)
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}
	small := limit
	small.Cur = 4096
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &small); err != nil {
		t.Fatal(err)
	}
	err = f.Save(path)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}
	if want := "save " + path + ": file too large"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}

	after, err := os.ReadFile(path)
	if err != nil || string(after) != string(before) {
		t.Errorf("the old model has changed (error %v)", err)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("%d files were left beside the model", len(entries)-1)
	}
}
