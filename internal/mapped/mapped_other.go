//go:build !linux

// Package mapped maps files into memory on Linux.
package mapped

import (
	"io"
	"os"
	"time"
)

// File is unused: files are mapped on Linux only.
type File struct{ Data []byte }

// Settled returns nil.
func Settled(string, time.Time) *File { return nil }

// Growing returns nil.
func Growing(string) *File { return nil }

// Held returns nil.
func Held(*os.File) *File { return nil }

// ReadAt implements [io.ReaderAt].
func (*File) ReadAt([]byte, int64) (int, error) { return 0, io.EOF }

// Changed returns false.
func (*File) Changed() bool { return false }

// Catch does nothing.
func (*File) Catch(bool) {}

// Close does nothing.
func (*File) Close() error { return nil }
