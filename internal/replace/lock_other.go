//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package replace

import "os"

// claim reports true: this system has no locks.
func claim(*os.Root, *os.File) bool { return true }

// removeAbandoned removes nothing, since the file may have a writer.
func removeAbandoned(*os.Root, string) {}
