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
	"path/filepath"
	"runtime"
)

// MaxUnpackedBytes is the decompressed size up to which a tar and a compressed mbox, archive or table are read. It is also the space
// needed for temporary files. A larger file is read up to this size and gives an error in the stream.
const MaxUnpackedBytes = 16 << 30

// seekFile is a file that can be read at any offset.
type seekFile interface {
	fs.File
	io.ReaderAt
	io.Seeker
}

// openAtOffsets opens the file name of fsys for reading at any offset, and returns the file system that it is in. That is
// fsys for a plain file, and a single with the decompressed content for any other. A copy of a damaged file has everything
// before the damage, and reading on returns the error.
func openAtOffsets(fsys fs.FS, name string) (fs.FS, seekFile, error) {
	fsys = orSystem(fsys)
	f, err := fsys.Open(name)
	if err != nil {
		return nil, nil, err
	}
	stays := false
	defer func() {
		if !stays {
			f.Close()
		}
	}()
	info, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	if info.IsDir() {
		return nil, nil, errors.New("is a folder, not a file")
	}
	plain, compressed, err := decompressed(f)
	if err != nil {
		return nil, nil, err
	}
	if file, ok := f.(seekFile); ok && compressed == uncompressed {
		_, err := file.Seek(0, io.SeekStart)
		stays = err == nil
		return fsys, file, err
	}
	c, err := newTempCopy(path.Clean(name), plain, MaxUnpackedBytes)
	if err != nil {
		return nil, nil, err
	}
	return c, c.open(), nil
}

// copyPipe copies the content of the pipe name, which can be read only once.
func copyPipe(name string) (fs.FS, error) {
	pipe, err := system{}.Open(name)
	if err != nil {
		return nil, err
	}
	defer pipe.Close()
	c, err := newTempCopy(filepath.Clean(name), pipe, MaxUnpackedBytes)
	switch {
	case err != nil:
		return nil, err
	case c.size == 0 && c.err == io.EOF:
		return nil, errors.New("is an empty pipe")
	}
	return c, nil
}

// A single is a file system that holds one file: the content of a file in memory, or the temporary copy of a stream, which has no name where the
// system allows that. It is freed when nothing refers to the single, or when the program ends.
type single struct {
	name    string
	content io.ReaderAt
	memory  []byte // the content, if it is in memory
	size    int64
	err     error // what reading returns at the end instead of io.EOF
}

// newTempFile makes an empty temporary file, and a single for its content.
func newTempFile(name string) (*single, *os.File, error) {
	file, err := os.CreateTemp("", "chaff-*")
	if err != nil {
		return nil, nil, fmt.Errorf("create a temporary file in %s: %w", os.TempDir(), reason(err))
	}
	s := &single{name: name, content: file, err: io.EOF}
	if os.Remove(file.Name()) != nil { // some systems cannot remove open files
		runtime.AddCleanup(s, func(file *os.File) {
			file.Close()
			os.Remove(file.Name())
		}, file)
	}
	return s, file, nil
}

// newTempCopy copies r, up to limit bytes. The returned error is about the copy; readers of the copy get an error of r.
func newTempCopy(name string, r io.Reader, limit int64) (*single, error) {
	s, file, err := newTempFile(name)
	if err != nil {
		return nil, err
	}
	source := &errorKeeper{r: io.LimitReader(r, limit+1)}
	s.size, err = io.Copy(file, source)
	switch {
	case err != nil && source.err == nil:
		file.Close()
		return nil, fmt.Errorf("write a temporary file in %s: %w", os.TempDir(), reason(err))
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

// inMemory returns the content of the file of a single in memory, and nil for any other file system.
func inMemory(fsys fs.FS) []byte {
	if s, ok := fsys.(*single); ok {
		return s.memory
	}
	return nil
}

func (s *single) Open(name string) (fs.File, error) {
	if path.Clean(name) != s.name {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return s.open(), nil
}

func (s *single) open() seekFile {
	info := zip.FileHeader{Name: s.name, UncompressedSize64: uint64(s.size)}
	return &sectionFile{io.NewSectionReader(s.content, 0, s.size), info.FileInfo(), s.err}
}

// sectionFile is a section of another file: that of a single, or a member of a tar archive.
type sectionFile struct {
	*io.SectionReader
	info fs.FileInfo
	err  error // what reading returns at the end
}

func (f *sectionFile) Read(p []byte) (int, error) {
	n, err := f.SectionReader.Read(p)
	if err == io.EOF {
		err = f.err
	}
	return n, err
}

func (f *sectionFile) Stat() (fs.FileInfo, error) { return f.info, nil }
func (f *sectionFile) Close() error               { return nil }
