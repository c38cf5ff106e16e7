package sources

import (
	"archive/zip"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"chaff/corpus"
	"chaff/internal/lines"
	"chaff/internal/replace"
	"chaff/message"
)

// system is the file system of the operating system. Unlike os.DirFS it takes file names that are not valid UTF-8, as old mail folders have.
type system struct{}

var _ fs.StatFS = system{}

// Open does not wait for the writer of a named pipe: a file may have been replaced by a pipe after it was listed.
func (system) Open(name string) (fs.File, error) {
	f, err := replace.OpenExisting(name, os.O_RDONLY)
	if errors.Is(err, syscall.ENXIO) { // a socket
		err = errSpecial
	}
	return f, err
}

func (system) Stat(name string) (fs.FileInfo, error) {
	_, info, err := replace.Follow(name)
	return info, err
}

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
	file, err := replace.Scratch()
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

// errorKeeper keeps the error of reading, so that it can be told from an error of writing. It reads nothing after an error.
type errorKeeper struct {
	r       io.Reader
	explain func(error) error // nil for an error that says enough
	err     error
}

func (k *errorKeeper) Read(p []byte) (n int, err error) {
	if k.err != nil {
		return 0, k.err
	}
	if n, err = k.r.Read(p); err == nil || err == io.EOF {
		return n, err
	}
	if k.err = err; k.explain != nil {
		k.err = k.explain(err)
	}
	return n, k.err
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

// location is where the bytes of a message are: a file or a section of one. It implements [corpus.Content].
type location struct {
	fsys   fs.FS
	path   string
	offset int64
	size   int64 // of a message in an mbox; 0: the whole file
	// message makes the message, in place if possible, of these bytes.
	message func(raw []byte) ([]byte, error)
}

// Append appends the message to dst. The bytes are those of the file, with these exceptions: quoted "From " lines of an mbox lose one ">" and
// lines that end in CR alone end in LF, and an emlx file loses its frame. A compressed file is
// decompressed, whatever its name: some servers keep Maildirs that way.
//
// Append returns an error for a file of more than message.MaxSize, compressed or not, for an archive, for damaged
// data, and for an mbox that visibly changed after it was listed.
func (l location) Append(dst []byte) ([]byte, error) {
	f, err := openMoved(l.fsys, l.path)
	if err != nil {
		return dst, err
	}
	defer f.Close()
	if l.size > 0 {
		dst, err = readSection(f, dst, l.offset, l.size)
	} else {
		dst, err = readWhole(f, dst)
	}
	if err == nil {
		dst, err = l.message(dst)
	}
	return dst, err
}

// openMoved opens the file of a message. A mail program may rename a message of a Maildir at any time to set a flag, and mbsync adds ",U=7" to its
// name; openMoved then finds it by the part of its name that never changes.
func openMoved(fsys fs.FS, name string) (fs.File, error) {
	f, err := fsys.Open(name)
	if !slices.Contains(maildirParts, path.Base(path.Dir(name))) || !errors.Is(err, fs.ErrNotExist) {
		return f, err
	}
	wanted, _ := cutFlags(path.Base(name))
	for _, sub := range maildirSubs {
		dir := path.Join(path.Dir(path.Dir(name)), sub)
		entries, _ := fs.ReadDir(fsys, dir)
		for _, e := range entries {
			if unique, _ := cutFlags(e.Name()); unique == wanted || strings.HasPrefix(unique, wanted+",") {
				return fsys.Open(path.Join(dir, e.Name()))
			}
		}
	}
	return nil, err
}

// readWhole appends a file that is one message.
func readWhole(f fs.File, dst []byte) ([]byte, error) {
	info, err := f.Stat()
	switch {
	case err != nil:
		return dst, err
	case info.IsDir():
		return dst, errors.New("is a folder, not a message")
	case !info.Mode().IsRegular():
		return dst, errSpecial
	case info.Size() > message.MaxSize:
		return dst, corpus.ErrTooLarge
	}
	// One byte more than the size lets the last Read see the end of the file. The size of a member of an archive may be
	// false, so no more than this is allocated in advance.
	const trusted = 16 << 20
	return corpus.AppendMessage(slices.Grow(dst, int(min(max(info.Size(), 0), trusted))+1), f)
}

// readSection appends size bytes of f, from offset on.
func readSection(f fs.File, dst []byte, offset, size int64) ([]byte, error) {
	if size > message.MaxSize {
		return dst, corpus.ErrTooLarge
	}
	dst = slices.Grow(dst, int(size))[:size]
	n, err := f.(io.ReaderAt).ReadAt(dst, offset) // as all files that can be an mbox
	switch {
	case n == len(dst):
		err = nil
	case err == io.EOF:
		err = errChanged
	}
	return dst, err
}

var errChanged = errors.New("the file has changed since it was listed")

// cutEmlx returns, in place, the message in a file of Apple Mail. The file begins with the length of the message on a line
// of its own and ends with a property list, <?xml ... A file without that line is the message itself. A file shorter than its length says is
// returned to its end.
func cutEmlx(file []byte) []byte {
	end := lines.LineEnd(file)
	n, err := strconv.ParseUint(string(bytes.Trim(bytes.TrimRight(file[:end], "\r\n"), " \t")), 10, 63)
	if err != nil || n > message.MaxSize {
		return file
	}
	rest := file[end:]
	return file[:copy(file, rest[:min(n, uint64(len(rest)))])]
}

// unpackDbox returns the message in a file, in place if it is not compressed. Dovecot's sdbox keeps it between lines about it: the first begins
// with "2 M", and the second ends with its size.
//
// QUIRK: a file of mdbox has messages of all folders, also deleted ones. Only its index tells them apart, so the file is no mail.
func unpackDbox(file []byte) ([]byte, error) {
	const frameMark = "\x01\x02N"
	first, framed, _ := bytes.Cut(file, []byte("\n"))
	if !bytes.HasPrefix(first, []byte("2 M")) || !bytes.HasPrefix(framed, []byte(frameMark)) {
		return unpackMessage(file)
	}
	frame, rest, _ := bytes.Cut(framed, []byte("\n"))
	size, err := strconv.ParseUint(string(frame[max(len(frame)-16, 0):]), 16, 63)
	switch {
	case err != nil || size > uint64(len(rest)):
		return file, errors.New("is a damaged file of Dovecot")
	case bytes.Contains(rest[size:], []byte("\n"+frameMark)):
		return file, message.IsNoMail("Dovecot mdbox file")
	}
	return unpackMessage(file[:copy(file, rest[:size])])
}
