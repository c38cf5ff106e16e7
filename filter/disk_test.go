//go:build unix

package filter

import (
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"
)

// TestAFullDiskLeavesTheOldModel makes a write fail halfway by a limit on the size of files. The limit is that of another process: it would hold
// for the log of tests too.
func TestAFullDiskLeavesTheOldModel(t *testing.T) {
	const variable = "CHAFF_TEST_SAVE"
	f := spamFilter(t)
	if path := os.Getenv(variable); path != "" {
		signal.Ignore(syscall.SIGXFSZ)
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 4096, Max: 4096}); err != nil {
			t.Fatal(err)
		}
		if err, want := f.Save(path), "save "+path+": file too large"; err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
		return
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "spam.model")
	if err := f.Save(path); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	child := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
	child.Env = append(os.Environ(), variable+"="+path)
	if out, err := child.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	after, err := os.ReadFile(path)
	if err != nil || string(after) != string(before) {
		t.Errorf("the old model has changed (error %v)", err)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("%d files were left beside the model", len(entries)-1)
	}
}
