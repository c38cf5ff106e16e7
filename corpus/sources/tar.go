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

// tarBlock is the size of the blocks that a tar consists of.
const tarBlock = 512

// isTar reports whether head begins with a tar header, by the checksum that every kind of tar has.
func isTar(head []byte) bool {
	const from, to = 148, 156 // the offsets of the checksum
	if len(head) < tarBlock || head[0] == 0 || head[to] > '~' || len(bytes.Trim(head[from:to], "01234567 \x00")) > 0 {
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

// addTar adds the members of a tar, except for devices, named pipes and headers that describe the archive.
func (t *members) addTar(f seekFile, size int64) error {
	r := tar.NewReader(f)
	for {
		h, err := r.Next()
		switch {
		case err == io.EOF:
			return nil
		case err != nil && !errors.Is(err, tar.ErrInsecurePath):
			return explainTar(err)
		}
		// The reader has read no further than the header, so the content begins here.
		offset, err := f.Seek(0, io.SeekCurrent)
		if err != nil {
			return err
		}
		if m := t.addTarMember(h, f, offset, size); m.err == errCutOff {
			return explainTar(endError(f))
		}
	}
}

// errCutOff is the error of the member in which a tar is cut off.
var errCutOff = errors.New("the tar archive is cut off in this file")

// endError returns the error at the end of f, which may be that of a damaged compressed file.
func endError(f seekFile) error {
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
func (t *members) addTarMember(h *tar.Header, r io.ReaderAt, offset, size int64) (m member) {
	info := fileInfo{size: h.Size, mode: 0o444, time: h.ModTime}
	m = member{open: func(info fileInfo) (fs.File, error) {
		return &sectionFile{SectionReader: io.NewSectionReader(r, offset, info.size), info: info}, nil
	}}
	switch h.Typeflag {
	case tar.TypeDir:
		t.addFolder(cleanName(h.Name))
		return member{}
	case tar.TypeChar, tar.TypeBlock, tar.TypeFifo, tar.TypeXGlobalHeader, 'V':
		return member{}
	case tar.TypeSymlink:
		info = fileInfo{mode: fs.ModeSymlink | 0o444, time: h.ModTime}
		m = linkTo(h.Linkname)
	case tar.TypeLink:
		info, m = t.hardLink(h)
	default:
		switch {
		case isSparse(h):
			m.err = errors.New("is a sparse file, which is not supported")
		case h.Size > size-offset:
			m.err = errCutOff
		}
	}
	if earlier := t.last[h.Name]; earlier != nil {
		info.name = earlier.info.name
		earlier.info, earlier.member = info, m
		return m
	}
	t.last[h.Name] = t.add(h.Name, info, m)
	return m
}

// hardLink returns the earlier member that the link leads to.
func (t *members) hardLink(h *tar.Header) (fileInfo, member) {
	if n := t.last[h.Linkname]; n != nil {
		return n.info, n.member
	}
	if n, err := t.find(strings.Join(cleanName(h.Linkname), "/")); err == nil && !n.info.IsDir() {
		return n.info, n.member
	}
	err := fmt.Errorf("is a link to %q, which is not in the archive", shorten(h.Linkname))
	return fileInfo{mode: 0o444, time: h.ModTime}, member{err: err}
}

// isSparse reports whether a file is stored without its holes, in the format of GNU or POSIX.
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
