package sources

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"
)

// tarBlock is the size of the pieces that a tar is made of.
const tarBlock = 512

// isTar looks for the checksum of a tar header, which all kinds of tar have.
func isTar(head []byte) bool {
	const from, to = 148, 156 // the place of the checksum
	if len(head) < tarBlock || head[0] == 0 || head[to] > '~' || !isOctal(head[from:to]) {
		return false
	}
	want, err := strconv.ParseInt(string(bytes.Trim(head[from:to], " \x00")), 8, 64)
	if err != nil {
		return false
	}
	sum := int64((to - from) * ' ')
	for i, c := range head[:tarBlock] {
		if i < from || i >= to {
			sum += int64(c)
		}
	}
	return sum == want
}

// isOctal reports whether a field of a header has nothing but octal digits and
// what fills it up.
func isOctal(field []byte) bool {
	for _, c := range field {
		if c != ' ' && c != 0 && (c < '0' || c > '7') {
			return false
		}
	}
	return true
}

// addTar adds the members of a tar. Devices, named pipes and what describes the
// archive are no members.
func (x *index) addTar(f seekFile, size int64) error {
	r := tar.NewReader(f)
	for {
		h, err := r.Next()
		switch {
		case err == io.EOF:
			return nil
		case err != nil && !errors.Is(err, tar.ErrInsecurePath):
			return explainTar(err)
		}
		// The reader reads no further than it must, so this is where the member is.
		offset, err := f.Seek(0, io.SeekCurrent)
		if err != nil {
			return err
		}
		if m := x.addTarMember(h, f, offset, size); m.err == errCutOff {
			return explainTar(readEnd(f))
		}
	}
}

// errCutOff is the error of the member in which a tar ends.
var errCutOff = errors.New("the tar archive is cut off in this file")

// readEnd returns why there is nothing more to read.
func readEnd(f seekFile) error {
	if _, err := f.Seek(0, io.SeekEnd); err != nil {
		return err
	}
	if _, err := f.Read(make([]byte, 1)); err != io.EOF && err != nil {
		return err
	}
	return io.ErrUnexpectedEOF
}

func explainTar(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("the tar archive is cut off: %w", err)
	}
	return fmt.Errorf("the tar archive is damaged, the rest is not read: %w", err)
}

// addTarMember adds one member, whose content is at offset of r, and returns it.
func (x *index) addTarMember(h *tar.Header, r io.ReaderAt, offset, size int64) (m member) {
	info := fileInfo{size: h.Size, mode: 0o444, time: h.ModTime}
	m = member{open: func(info fileInfo) (fs.File, error) {
		return sectionFile{io.NewSectionReader(r, offset, info.size), info}, nil
	}}
	switch h.Typeflag {
	case tar.TypeDir:
		x.addFolder(cleanName(h.Name))
		return member{}
	case tar.TypeChar, tar.TypeBlock, tar.TypeFifo, tar.TypeXGlobalHeader, 'V':
		return member{}
	case tar.TypeSymlink:
		info = fileInfo{mode: fs.ModeSymlink | 0o444, time: h.ModTime}
		m = linkTo(h.Linkname)
	case tar.TypeLink:
		info, m = x.hardLink(h)
	default:
		switch {
		case isSparse(h):
			m.err = errors.New("is stored as a sparse file, which mail is not")
		case h.Size > size-offset:
			m.err = errCutOff
		}
	}
	if earlier := x.last[h.Name]; earlier != nil {
		info.name = earlier.info.name
		earlier.info, earlier.member = info, m
		return m
	}
	x.last[h.Name] = x.add(h.Name, info, m)
	return m
}

// hardLink returns what the link leads to, which is a member before it.
func (x *index) hardLink(h *tar.Header) (fileInfo, member) {
	if n := x.last[h.Linkname]; n != nil {
		return n.info, n.member
	}
	if n, err := x.find(strings.Join(cleanName(h.Linkname), "/")); err == nil && !n.info.IsDir() {
		return n.info, n.member
	}
	err := fmt.Errorf("is a link to %q, which is not in the archive", shorten(h.Linkname))
	return fileInfo{mode: 0o444, time: h.ModTime}, member{err: err}
}

// isSparse reports whether a file is stored without its holes, in the way of GNU
// or of POSIX.
func isSparse(h *tar.Header) bool {
	if h.Typeflag == tar.TypeGNUSparse {
		return true
	}
	for key := range h.PAXRecords {
		if strings.HasPrefix(key, "GNU.sparse.") {
			return true
		}
	}
	return false
}

// sectionFile is a member of a tar.
type sectionFile struct {
	*io.SectionReader
	info fileInfo
}

func (f sectionFile) Stat() (fs.FileInfo, error) { return f.info, nil }
func (f sectionFile) Close() error               { return nil }
