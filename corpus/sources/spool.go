package sources

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"time"
)

// MaxUnpackedBytes is the size up to which a compressed mbox, archive or table is
// unpacked, which takes as much room in the folder for temporary files. What is
// beyond it is not read, and an error in the stream.
const MaxUnpackedBytes = 16 << 30

// seekFile is what is asked of a file in which messages are found and then read.
type seekFile interface {
	fs.File
	io.ReaderAt
	io.Seeker
}

// randomAccess returns a file system in which the file name can be read at any
// place: fsys itself if that is so, else one with nothing but the file's plain
// content in it, which is copied to a temporary file for this once. If the file is
// damaged, the copy has what is before the damage, and reading on gives the error.
func randomAccess(fsys fs.FS, name string) (fs.FS, error) {
	fsys = orSystem(fsys)
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return nil, errors.New("is a folder, not a file")
	}
	plain, compressed, err := decompressed(f)
	if err != nil {
		return nil, err
	}
	defer plain.Close()
	if _, ok := f.(seekFile); ok && compressed == uncompressed {
		return fsys, nil
	}
	s, err := newSpool(plain, MaxUnpackedBytes)
	if err != nil {
		return nil, err
	}
	s.name = name
	return s, nil
}

// A spool is a file system with one file in it, the unpacked copy of a file. The
// copy has no name where the system allows that, and is freed when nothing refers
// to the spool: when the source and its items are out of use, or the program ends.
type spool struct {
	name string
	file *os.File
	size int64
	err  error // what reading gives at the end in place of io.EOF
}

// withPipe returns the file system that name is in: that of the operating system, or
// if name is a pipe, which can be read only once, one with what was written to it.
func withPipe(name string) (fs.FS, error) {
	if info, err := os.Stat(name); err != nil || info.Mode()&fs.ModeNamedPipe == 0 {
		return system{}, nil // where it is looked for again
	}
	pipe, err := system{}.Open(name)
	if err != nil {
		return nil, err
	}
	defer pipe.Close()
	s, err := newSpool(pipe, MaxUnpackedBytes)
	switch {
	case err != nil:
		return nil, err
	case s.size == 0 && s.err == io.EOF:
		return nil, errors.New("is a pipe that nothing was written to")
	}
	s.name = filepath.Clean(name)
	return s, nil
}

// newSpool copies r, up to limit bytes. The error is about the copy; an error in r
// is kept for those who read it.
func newSpool(r io.Reader, limit int64) (*spool, error) {
	file, err := os.CreateTemp("", "chaff-*")
	if err != nil {
		return nil, fmt.Errorf("make a temporary copy in %s: %w", os.TempDir(), reason(err))
	}
	s := &spool{file: file}
	if os.Remove(file.Name()) != nil { // systems that do not remove open files
		runtime.AddCleanup(s, func(file *os.File) {
			file.Close()
			os.Remove(file.Name())
		}, file)
	}
	source := &errorKeeper{r: io.LimitReader(r, limit+1)}
	s.size, err = io.Copy(file, source)
	switch {
	case err != nil && source.err == nil:
		file.Close()
		return nil, fmt.Errorf("write a temporary copy to %s: %w", os.TempDir(), reason(err))
	case s.size > limit:
		s.size, s.err = limit, fmt.Errorf("unpacks to more than %d bytes; the rest is not read", limit)
	default:
		s.err = cmp.Or(source.err, io.EOF)
	}
	return s, nil
}

// errorKeeper tells errors of reading from those of writing.
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

// Open opens the one file there is.
func (s *spool) Open(name string) (fs.File, error) {
	if path.Clean(name) != s.name {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return &spoolFile{io.NewSectionReader(s.file, 0, s.size), s}, nil
}

// spoolFile reads a spool from its beginning.
type spoolFile struct {
	*io.SectionReader
	spool *spool
}

func (f *spoolFile) Read(p []byte) (int, error) {
	n, err := f.SectionReader.Read(p)
	if err == io.EOF {
		err = f.spool.err
	}
	return n, err
}

func (f *spoolFile) Stat() (fs.FileInfo, error) {
	return fileInfo{name: path.Base(f.spool.name), size: f.spool.size, mode: 0o444}, nil
}

func (f *spoolFile) Close() error { return nil }

// fileInfo describes a file that is in no folder of the operating system.
type fileInfo struct {
	name string
	size int64
	mode fs.FileMode
	time time.Time
}

func (i fileInfo) Name() string       { return i.name }
func (i fileInfo) Size() int64        { return i.size }
func (i fileInfo) Mode() fs.FileMode  { return i.mode }
func (i fileInfo) ModTime() time.Time { return i.time }
func (i fileInfo) IsDir() bool        { return i.mode.IsDir() }
func (i fileInfo) Sys() any           { return nil }
