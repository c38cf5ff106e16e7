package sources

import (
	"archive/zip"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"syscall"

	"chaff/internal/replace"
)

// system is the file system of the operating system. Unlike os.DirFS it takes file names that are not valid UTF-8, as old mail folders have.
type system struct{}

var (
	_ fs.ReadDirFS = system{}
	_ fs.StatFS    = system{}
)

// Open does not wait for the writer of a named pipe: a file may have been replaced by a pipe after it was listed.
func (system) Open(name string) (fs.File, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if errors.Is(err, syscall.ENXIO) { // a socket
		err = errSpecial
	}
	return f, err
}

func (system) ReadDir(name string) ([]fs.DirEntry, error) { return os.ReadDir(name) }
func (system) Stat(name string) (fs.FileInfo, error)      { return os.Stat(name) }

// errSpecial is the error for pipes, sockets and devices. Reading them may never end.
var errSpecial = errors.New("is neither a file nor a folder")

// isRegular reports whether the entry e at name is a file or a link to one. What is no folder either is an error.
func isRegular(fsys fs.FS, name string, e fs.DirEntry) (bool, error) {
	mode := e.Type()
	if mode&fs.ModeSymlink != 0 {
		info, err := fs.Stat(fsys, name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return false, errors.New("is a link to a file that does not exist")
		case err != nil:
			return false, fmt.Errorf("is a link that cannot be followed: %w", replace.Reason(err))
		}
		mode = info.Mode()
	}
	if !mode.IsRegular() && !mode.IsDir() {
		return false, errSpecial
	}
	return mode.IsRegular(), nil
}

// isFolder reports whether name is a folder or a link to one.
func isFolder(fsys fs.FS, name string) bool {
	info, err := fs.Stat(fsys, name)
	return err == nil && info.IsDir()
}

func isHidden(name string) bool { return strings.HasPrefix(name, ".") }

// explain wraps err with what was being done to which file. An error that says what the file is or has becomes a sentence about it: "junk is a
// folder, not an index".
func explain(doing, origin string, err error) error {
	err = replace.Reason(err)
	if text := err.Error(); strings.HasPrefix(text, "is ") || strings.HasPrefix(text, "has ") {
		return fmt.Errorf("%s %w", origin, err)
	}
	return fmt.Errorf("%s %s: %w", doing, origin, err)
}

// maxUnpackedBytes is the decompressed size up to which a tar and a compressed mbox or zip are read, and the most space of a
// temporary file. A larger file is read up to this size and gives an error in the stream.
const maxUnpackedBytes = 16 << 30

// seekFile is a file that can be read at any offset.
type seekFile interface {
	fs.File
	io.ReaderAt
}

// openAtOffsets opens the file name of fsys for reading at any offset, and returns the file system that it is in: fsys for a plain file, and a
// single with the decompressed content for any other. A copy of a damaged file has everything before the damage, and reading on returns the error.
func openAtOffsets(fsys fs.FS, name string) (fs.FS, seekFile, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, nil, err
	}
	if file, ok := f.(seekFile); ok {
		magic := make([]byte, magicBytes)
		if n, err := file.ReadAt(magic, 0); (err == nil || err == io.EOF) && compressionOf(magic[:n]) == uncompressed {
			return fsys, file, nil
		}
	}
	defer f.Close()
	plain, err := decompressed(f)
	if err != nil {
		return nil, nil, err
	}
	c, err := newTempCopy(path.Clean(name), plain, maxUnpackedBytes)
	if err != nil {
		return nil, nil, err
	}
	return c, c.open(), nil
}

// A single is a file system that holds one file: the content of a file in memory, or the temporary copy of a stream, which has no name where the
// system allows that. It is freed when nothing refers to the single, or when the program ends.
type single struct {
	name    string
	content io.ReaderAt
	size    int64
	err     error // what reading returns at the end instead of io.EOF
}

// newTempFile returns the content that write has given a temporary file, whose errors are about that file.
func newTempFile(name string, write func(w io.Writer) error) (*single, error) {
	s := &single{name: name, err: io.EOF}
	file, err := replace.Scratch(s)
	if err != nil {
		return nil, err
	}
	s.content = file
	if err = write(file); err == nil {
		s.size, err = file.Seek(0, io.SeekCurrent)
	}
	if err != nil {
		file.Close()
		return nil, fmt.Errorf("write a temporary file in %s: %w", os.TempDir(), replace.Reason(err))
	}
	return s, nil
}

// newTempCopy copies r, up to limit bytes. The returned error is about the copy; readers of the copy get an error of r.
func newTempCopy(name string, r io.Reader, limit int64) (*single, error) {
	source := &errorKeeper{r: io.LimitReader(r, limit+1)}
	s, err := newTempFile(name, func(w io.Writer) error {
		if _, err := io.Copy(w, source); source.err == nil {
			return err
		}
		return nil
	})
	switch {
	case err != nil:
		return nil, err
	case s.size > limit:
		s.size, s.err = limit, tooMuch(limit)
	default:
		s.err = cmp.Or(source.err, io.EOF)
	}
	return s, nil
}

func tooMuch(limit int64) error {
	return fmt.Errorf("unpacks to more than %d bytes; the rest is not read", limit)
}

// errorKeeper keeps the error of reading, so that it can be told from an error of writing.
type errorKeeper struct {
	r   io.Reader
	err error
}

func (k *errorKeeper) Read(p []byte) (int, error) {
	n, err := k.r.Read(p)
	if err != io.EOF {
		k.err = err
	}
	return n, err
}

func (s *single) Open(name string) (fs.File, error) {
	if path.Clean(name) != s.name {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return s.open(), nil
}

func (s *single) open() seekFile { return &singleFile{io.NewSectionReader(s.content, 0, s.size), s} }

type singleFile struct {
	*io.SectionReader
	of *single
}

func (f *singleFile) Read(p []byte) (int, error) {
	n, err := f.SectionReader.Read(p)
	if err == io.EOF {
		err = f.of.err
	}
	return n, err
}

func (f *singleFile) Stat() (fs.FileInfo, error) {
	header := zip.FileHeader{Name: f.of.name, UncompressedSize64: uint64(f.of.size)}
	return header.FileInfo(), nil
}

func (f *singleFile) Close() error { return nil }
