//go:build !linux

package testmain

func memory() (dir string, ok bool) { return "", false }
