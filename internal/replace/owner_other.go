//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package replace

// CheckOwner returns nil: here are no folders with a sticky bit.
func CheckOwner(beside, path string) error { return nil }
