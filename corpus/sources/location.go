package sources

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"

	"chaff/corpus"
	"chaff/corpus/internal/lines"
)

// location is where the bytes of a message are: a file or a section of one. It implements [corpus.Content].
type location struct {
	fsys    fs.FS // nil: the operating system
	path    string
	offset  int64
	size    int64 // of a message in an mbox or a row of a table; 0: the whole file
	maildir bool
	emlx    bool     // the file is an emlx file, with the message inside
	columns *columns // of the table whose row is the message
	label   string   // of the row
}

// Append appends the message to dst. The bytes are those of the file, with three exceptions: quoted "From " lines of an
// mbox lose one ">" and lines that end in CR alone end in LF, an emlx file loses its frame, and a row of a table is made a message. A message of an mbox begins with
// its From_ line. A file compressed with gzip, bzip2, xz or zstd is decompressed, whatever its name: some servers keep
// Maildirs that way.
//
// Append returns an error for a file of more than corpus.MaxMessageBytes, compressed or not, for an archive, for damaged
// data, and for an mbox or a table that visibly changed after it was listed.
func (l location) Append(dst []byte) ([]byte, error) {
	if _, isSystem := orSystem(l.fsys).(system); isSystem && l.size == 0 {
		raw, err := readFile(l.path, dst)
		if err == nil {
			return l.message(raw)
		}
		if !l.maildir || !errors.Is(err, fs.ErrNotExist) {
			return raw, err
		}
	}
	if text := inMemory(l.fsys); text != nil {
		if l.size > 0 {
			text = text[l.offset:][:l.size]
		}
		return l.message(append(dst, text...))
	}
	f, err := l.open()
	if err != nil {
		return dst, err
	}
	defer f.Close()
	if l.size > 0 {
		dst, err = readSection(f, dst, l.offset, l.size)
	} else {
		dst, err = readWhole(f, dst)
	}
	if err != nil {
		return dst, err
	}
	return l.message(dst)
}

// message makes a message, in place if possible, of the bytes at the location.
func (l location) message(raw []byte) ([]byte, error) {
	switch {
	case l.columns != nil:
		return l.columns.message(raw, l.label)
	case l.size > 0 && !bytes.HasPrefix(raw, []byte(lines.FromPrefix)):
		return raw, errChanged
	case l.size > 0:
		if lineEndOf(raw) == '\r' {
			for i, c := range raw {
				if c == '\r' {
					raw[i] = '\n'
				}
			}
		}
		return unquoteFrom(raw), nil
	}
	raw, err := unpackMessage(raw)
	if err == nil && l.emlx {
		raw = cutEmlx(raw)
	}
	return raw, err
}

// open opens the file of the message. A mail program may rename a message of a Maildir at any time to set a flag; open then
// finds it by the part of its name that never changes.
func (l location) open() (fs.File, error) {
	fsys := orSystem(l.fsys)
	f, err := fsys.Open(l.path)
	if !l.maildir || !errors.Is(err, fs.ErrNotExist) {
		return f, err
	}
	name := UniqueName(path.Base(l.path))
	dir := path.Dir(path.Dir(l.path))
	for _, sub := range maildirSubs {
		entries, _ := fs.ReadDir(fsys, path.Join(dir, sub))
		for _, e := range entries {
			if UniqueName(e.Name()) == name {
				return fsys.Open(path.Join(dir, sub, e.Name()))
			}
		}
	}
	return nil, err
}

// readFile appends a file of the operating system to dst.
func readFile(name string, dst []byte) ([]byte, error) {
	f, err := openFile(name)
	if err != nil {
		return dst, err
	}
	defer f.close()
	mode, size, err := f.stat()
	if err == nil {
		err = checkWhole(mode, size)
	}
	if err != nil {
		return dst, err
	}
	return readSized(f, dst, size)
}

// readSized appends a regular file to dst. It reads once if the file has the given size.
func readSized(f file, dst []byte, size int64) ([]byte, error) {
	start := len(dst)
	dst = slices.Grow(dst, int(size)+1)
	n, err := f.Read(dst[start:cap(dst)])
	dst = dst[:start+n]
	if err == io.EOF || err == nil && int64(n) == size {
		return dst, nil // a Read of a file that does not fill the buffer ends it
	}
	if err != nil {
		return dst, err
	}
	return corpus.AppendMessage(dst, f)
}

func readWhole(f fs.File, dst []byte) ([]byte, error) {
	info, err := f.Stat()
	if err != nil {
		return dst, err
	}
	if err := checkWhole(info.Mode(), info.Size()); err != nil {
		return dst, err
	}
	// One byte more than the size lets the last Read see the end of the file. The size of a member of an archive may be
	// false, so no more than this is allocated in advance.
	const trusted = 16 << 20
	dst = slices.Grow(dst, int(min(info.Size(), trusted))+1)
	return corpus.AppendMessage(dst, f)
}

// checkWhole returns why a file cannot be read as one message.
func checkWhole(mode fs.FileMode, size int64) error {
	switch {
	case mode.IsDir():
		return errors.New("is a folder, not a message")
	case !mode.IsRegular():
		return errSpecial
	case size > corpus.MaxMessageBytes:
		return tooLarge(size)
	}
	return nil
}

// readSection appends size bytes of f, from offset on.
func readSection(f fs.File, dst []byte, offset, size int64) ([]byte, error) {
	if size > corpus.MaxMessageBytes {
		return dst, tooLarge(size)
	}
	r, ok := f.(io.ReaderAt)
	if !ok {
		return dst, errors.New("the file cannot be read at an offset")
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

// cutEmlx returns, in place, the message in a file of Apple Mail. The file begins with the length of the message on a line
// of its own and ends with a property list:
//
//	1234
//	Received: ...
//	...
//	<?xml version="1.0" encoding="UTF-8"?>
//	<!DOCTYPE plist ...
//
// A file without that line is the message itself. A file shorter than its length says is returned to its end.
func cutEmlx(file []byte) []byte {
	end := lines.LineEnd(file)
	n, ok := emlxLength(lines.TrimLineEnd(file[:end]))
	if !ok {
		return file
	}
	rest := file[end:]
	return file[:copy(file, rest[:min(n, int64(len(rest)))])]
}

// emlxLength returns the number in the first line of a file of Apple Mail, which is padded with blanks.
func emlxLength(line []byte) (int64, bool) {
	return contentLength(bytes.Trim(line, " \t"))
}
