// Package testtemp keeps the temporary files of tests in memory. A file system on a disk takes longer to make a file for each one that
// was deleted shortly before, as ext4 does.
package testtemp

import "os"

// InMemory lets this process and those that it starts keep their temporary files in memory, if the system has room for that. TestMain
// calls it for tests that make many files. An explicit TMPDIR wins.
func InMemory() {
	if os.Getenv("TMPDIR") != "" {
		return
	}
	if dir, ok := memory(); ok {
		os.Setenv("TMPDIR", dir)
	}
}
