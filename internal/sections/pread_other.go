//go:build !unix

package sections

import (
	"io"
	"os"
)

// Plain returns a reader of a regular file. It must not be used after the file was closed.
func Plain(file *os.File) io.ReaderAt { return file }
