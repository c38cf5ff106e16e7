package sources

import (
	"archive/zip"
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
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

func (t *members) addZip(r io.ReaderAt, size int64) error {
	archive, err := zip.NewReader(r, size)
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		return fmt.Errorf("the zip archive is cut off or damaged: %w", err)
	}
	for method, c := range map[uint16]compression{zipBzip2: bzipped, zipZstd: zstandard, zipXZ: xzipped} {
		archive.RegisterDecompressor(method, c.unzip)
	}
	for _, f := range archive.File {
		t.addZipMember(f)
	}
	return nil
}

func (t *members) addZipMember(f *zip.File) {
	// QUIRK: the rule is "/" between folders, but programs on Windows write "\".
	name := strings.ReplaceAll(f.Name, `\`, "/")
	if strings.HasSuffix(name, "/") {
		t.addFolder(cleanName(name))
		return
	}
	const encrypted = 1
	info := fileInfo{size: int64(f.UncompressedSize64), mode: 0o444, time: f.Modified}
	m := member{open: func(info fileInfo) (fs.File, error) { return openZipMember(f, info) }}
	switch mode := f.Mode(); {
	case !mode.IsRegular() && mode&fs.ModeSymlink == 0:
		return // a device or similar
	case f.Flags&encrypted != 0:
		m.err = errors.New("is encrypted")
	case info.size < 0:
		m.err = errors.New("the zip archive is damaged: impossible size")
	case mode&fs.ModeSymlink != 0:
		info = fileInfo{mode: fs.ModeSymlink | 0o444, time: f.Modified}
		m = zipLink(f)
	}
	t.add(name, info, m)
}

func zipLink(f *zip.File) member {
	r, err := openZipMember(f, fileInfo{})
	if err != nil {
		return member{err: err}
	}
	defer r.Close()
	target, err := io.ReadAll(io.LimitReader(r, maxTarget+1))
	if err != nil {
		return member{err: err}
	}
	return linkTo(string(target))
}

func openZipMember(f *zip.File, info fileInfo) (fs.File, error) {
	r, err := f.Open()
	if err != nil {
		return nil, explainZip(f, err)
	}
	return zipFile{r, f, info}, nil
}

func explainZip(f *zip.File, err error) error {
	switch {
	case errors.Is(err, zip.ErrAlgorithm):
		return fmt.Errorf("uses the compression method %d, which is not supported", f.Method)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("the data in the zip archive is cut off: %w", err)
	}
	return fmt.Errorf("the data in the zip archive is damaged: %w", err)
}

// zipFile is an open member of a zip archive. It has no random access.
type zipFile struct {
	io.ReadCloser
	file *zip.File
	info fileInfo
}

func (f zipFile) Read(p []byte) (int, error) {
	n, err := f.ReadCloser.Read(p)
	if err != nil && err != io.EOF {
		err = explainZip(f.file, err)
	}
	return n, err
}

func (f zipFile) Stat() (fs.FileInfo, error) { return f.info, nil }

// unzip decompresses a member. The first Read returns an error of opening.
func (c compression) unzip(r io.Reader) io.ReadCloser {
	plain, err := c.decompress(bufio.NewReader(r))
	if err != nil {
		failed, w := io.Pipe()
		w.CloseWithError(err)
		return failed
	}
	return plain
}
