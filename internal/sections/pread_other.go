//go:build !unix

package sections

import (
	"io"
	"os"
)

// Plain returns the file.
func Plain(file *os.File) io.ReaderAt { return file }
