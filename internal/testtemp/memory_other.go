//go:build !linux

package testtemp

func memory() (dir string, ok bool) { return "", false }
