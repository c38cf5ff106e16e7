package sources

import (
	"archive/zip"
	"bufio"
	"errors"
	"fmt"
	"io"
)

// isZip reports whether head begins an archive, an empty archive, or an archive meant for several disks.
func isZip(head []byte) bool {
	if len(head) < 4 {
		return false
	}
	magic := string(head[:4])
	return magic == "PK\x03\x04" || magic == "PK\x05\x06" || magic == "PK\x07\x08"
}

// Compression methods that archive/zip does not support itself (APPNOTE 4.4.5).
const (
	zipBzip2 = 12
	zipZstd  = 93
	zipXZ    = 95
)

// read reads the directory of a zip archive.
func (a *archive) read(file seekFile) error {
	info, err := file.Stat()
	if err != nil {
		return err
	}
	a.Reader, err = zip.NewReader(file, info.Size())
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		return fmt.Errorf("the zip archive is cut off or damaged: %w", err)
	}
	for method, c := range map[uint16]compression{zipBzip2: bzipped, zipZstd: zstandard, zipXZ: xzipped} {
		a.RegisterDecompressor(method, func(r io.Reader) io.ReadCloser { return io.NopCloser(c.decompress(bufio.NewReader(r))) })
	}
	return nil
}
