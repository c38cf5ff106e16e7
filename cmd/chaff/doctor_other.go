//go:build !linux

package main

// Here the disk, the memory and the owners of files are not checked.
func freeOnDisk(string) (free int64, known bool)      { return 0, false }
func sameOwner(a, b string) bool                      { return true }
func memoryLeft() (addresses, free int64, known bool) { return 0, 0, false }
