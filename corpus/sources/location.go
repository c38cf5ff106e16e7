package sources

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"path"
	"slices"
	"strconv"

	"chaff/corpus"
	"chaff/internal/lines"
)

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
// Append returns an error for a file of more than corpus.MaxMessageBytes, compressed or not, for an archive, for damaged
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

// openMoved opens the file of a message. A mail program may rename a message of a Maildir at any time to set a flag; openMoved then
// finds it by the part of its name that never changes.
func openMoved(fsys fs.FS, name string) (fs.File, error) {
	f, err := fsys.Open(name)
	if !isMaildirPart(path.Base(path.Dir(name))) || !errors.Is(err, fs.ErrNotExist) {
		return f, err
	}
	wanted, _ := cutFlags(path.Base(name))
	for _, sub := range maildirSubs {
		dir := path.Join(path.Dir(path.Dir(name)), sub)
		entries, _ := fs.ReadDir(fsys, dir)
		for _, e := range entries {
			if unique, _ := cutFlags(e.Name()); unique == wanted {
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
	case info.Size() > corpus.MaxMessageBytes:
		return dst, corpus.ErrTooLarge
	}
	// One byte more than the size lets the last Read see the end of the file. The size of a member of an archive may be
	// false, so no more than this is allocated in advance.
	const trusted = 16 << 20
	return corpus.AppendMessage(slices.Grow(dst, int(min(max(info.Size(), 0), trusted))+1), f)
}

// readSection appends size bytes of f, from offset on.
func readSection(f fs.File, dst []byte, offset, size int64) ([]byte, error) {
	if size > corpus.MaxMessageBytes {
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
	n, err := strconv.ParseUint(string(bytes.Trim(lines.TrimLineEnd(file[:end]), " \t")), 10, 63)
	if err != nil || n > corpus.MaxMessageBytes {
		return file
	}
	rest := file[end:]
	return file[:copy(file, rest[:min(n, uint64(len(rest)))])]
}
