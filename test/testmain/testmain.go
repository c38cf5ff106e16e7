// Package testmain makes the tests of a package cost less, and builds the programs that they run.
package testmain

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"testing"
)

// GCPercent is GOGC of tests. Up to a third of their CPU time went into garbage collection at 100. Larger values save nothing, since
// memory that is used again is still in the caches of the CPU.
const GCPercent = 400

// IsLong reports whether there is time for all of what takes a while: not without corpora.
func IsLong() bool { return os.Getenv("TEST_CORPORA") != "" }

// Run prepares the process, runs the tests of a package for its TestMain and returns the exit code.
func Run(m *testing.M) int {
	Prepare()
	return m.Run()
}

// Prepare makes this process collect garbage less often than a program would, except for benchmarks. Temporary files of this process and of
// those that it starts are in memory if the system has room: a file system on a disk takes longer to make a file for each one that was
// deleted shortly before, as ext4 does. An explicit GOGC or TMPDIR wins.
func Prepare() {
	flag.Parse()
	if flag.Lookup("test.bench").Value.String() != "" {
		return
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(GCPercent)
	}
	if dir, ok := memory(); ok && os.Getenv("TMPDIR") == "" {
		os.Setenv("TMPDIR", dir)
	}
}

// ShortDir returns a temporary folder for a test, whose path is short, as the names of sockets must be.
func ShortDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "d")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// Build returns the program of a folder of cmd, copied as an installation does: Linux keeps a file as the linker writes it in small pieces, and takes
// a tenth more CPU to start it.
func Build(t testing.TB, name string) string {
	t.Helper()
	dir, installed := t.TempDir(), t.TempDir()
	if out, err := exec.Command("go", "build", "-o", dir+string(filepath.Separator), "chaff/cmd/"+name).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if err := os.CopyFS(installed, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(installed, name)
}
