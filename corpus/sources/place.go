package sources

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"

	"chaff/corpus"
	"chaff/corpus/internal/lines"
)

// These are what package corpus has of messages.
type (
	Item   = corpus.Item
	Source = corpus.Source
)

// place is where a message is: a file, or a part of one. It is a [corpus.Place].
type place struct {
	fsys    fs.FS // nil: the operating system
	path    string
	offset  int64
	size    int64 // of one message of an mbox file or one row of a table; 0: the whole file
	maildir bool
	emlx    bool     // the message stands between its length and a property list
	columns *columns // of the table that the message is a row of
	label   string   // of a row
}

// Append appends the message to dst. The bytes are those of the file, but for the
// ">" of quoted "From " lines of an mbox and the frame of an emlx file; a message
// of an mbox begins with its From_ line. A file that is compressed with gzip,
// bzip2, xz or zstd is decompressed, whatever its name is, as some mail servers
// keep their Maildirs so. A row of a table is made a message.
//
// A file of more than corpus.MaxMessageBytes, compressed or not, is an error, and so are
// an archive among the messages, compressed data that is damaged, and an mbox or
// a table that was changed since it was listed, as far as that can be seen.
func (p place) Append(dst []byte) ([]byte, error) {
	f, err := p.open()
	if err != nil {
		return dst, err
	}
	defer f.Close()
	if p.size > 0 {
		return p.readPart(f, dst)
	}
	if dst, err = readWhole(f, dst); err != nil {
		return dst, err
	}
	if dst, err = unpackMessage(dst); err != nil {
		return dst, err
	}
	if p.emlx {
		dst = cutEmlx(dst)
	}
	return dst, nil
}

// readPart appends one message of an mbox, or one row of a table as a message.
func (p place) readPart(f fs.File, dst []byte) ([]byte, error) {
	dst, err := readSection(f, dst, p.offset, p.size)
	switch {
	case err != nil:
		return dst, err
	case p.columns != nil:
		return p.columns.message(dst, p.label)
	case !strings.HasPrefix(string(dst[:min(len(dst), len(lines.FromPrefix))]), lines.FromPrefix):
		return dst, errChanged
	}
	return unquoteFrom(dst), nil
}

// open opens the file of the message. A message of a Maildir gets another name
// when a mail program sets a flag, which may happen at any time: it is then found
// by the part of its name that never changes.
func (p place) open() (fs.File, error) {
	fsys := orSystem(p.fsys)
	f, err := fsys.Open(p.path)
	if !p.maildir || !errors.Is(err, fs.ErrNotExist) {
		return f, err
	}
	name := uniqueName(path.Base(p.path))
	dir := path.Dir(path.Dir(p.path))
	for _, sub := range maildirSubs {
		entries, _ := fs.ReadDir(fsys, path.Join(dir, sub))
		for _, e := range entries {
			if uniqueName(e.Name()) == name {
				return fsys.Open(path.Join(dir, sub, e.Name()))
			}
		}
	}
	return nil, err
}

// readWhole appends all of f to dst.
func readWhole(f fs.File, dst []byte) ([]byte, error) {
	info, err := f.Stat()
	if err != nil {
		return dst, err
	}
	switch {
	case info.IsDir():
		return dst, errors.New("is a folder, not a message")
	case !info.Mode().IsRegular():
		return dst, errSpecial
	}
	if info.Size() > corpus.MaxMessageBytes {
		return dst, tooLarge(info.Size())
	}
	// One byte more than the size lets the last Read see the end of the file. What
	// a file in an archive says of its size may be a lie.
	const believed = 16 << 20
	dst = slices.Grow(dst, int(min(info.Size(), believed))+1)
	return corpus.AppendMessage(dst, f)
}

// readSection appends size bytes of f from offset on: one message of an mbox, or
// one row of a table.
func readSection(f fs.File, dst []byte, offset, size int64) ([]byte, error) {
	if size > corpus.MaxMessageBytes {
		return dst, tooLarge(size)
	}
	r, ok := f.(io.ReaderAt)
	if !ok {
		return dst, errors.New("the file cannot be read from its middle")
	}
	dst = slices.Grow(dst, int(size))[:size]
	if n, err := r.ReadAt(dst, offset); n < len(dst) {
		if err == io.EOF {
			err = errChanged
		}
		return dst, err
	}
	return dst, nil
}

var errChanged = errors.New("the file has changed since it was listed")

func tooLarge(size int64) error {
	return fmt.Errorf("%d bytes are too large for a message (the limit is %d)", size, corpus.MaxMessageBytes)
}

// explain wraps err with what was being done to which file. The errors of package
// os say that already, in their own words; it is said once.
func explain(doing, origin string, err error) error {
	return fmt.Errorf("%s %s: %w", doing, origin, reason(err))
}

// reason returns err without the operation and the path that package os adds.
func reason(err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return pe.Err
	}
	return err
}

// system is the file system of the operating system. Unlike os.DirFS it takes any
// path, above all file names that are no valid UTF-8, as old mail folders have.
type system struct{}

var (
	_ fs.ReadDirFS = system{}
	_ fs.StatFS    = system{}
)

// Open does not wait for the writer of a named pipe: what was a file may have become one since it was listed.
func (system) Open(name string) (fs.File, error) {
	return os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
}

func (system) ReadDir(name string) ([]fs.DirEntry, error) { return os.ReadDir(name) }
func (system) Stat(name string) (fs.FileInfo, error)      { return os.Stat(name) }

func orSystem(fsys fs.FS) fs.FS {
	if fsys == nil {
		return system{}
	}
	return fsys
}
