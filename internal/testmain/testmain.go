// Package testmain makes the tests of a package cost less.
package testmain

import (
	"flag"
	"os"
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
	if os.Getenv("GOGC") == "" && flag.Lookup("test.bench").Value.String() == "" {
		debug.SetGCPercent(GCPercent)
	}
	if dir, ok := memory(); ok && os.Getenv("TMPDIR") == "" {
		os.Setenv("TMPDIR", dir)
	}
}
