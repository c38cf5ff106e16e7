package sources

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
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

// copyTar copies the members of a tar, up to limit bytes, into a zip archive in a temporary file, and opens that. It leaves out devices, named
// pipes and headers that describe the archive. Damage is why there is no more in the copy; err is about the copy.
func (a *archive) copyTar(r io.Reader, limit int64) (damage, err error) {
	c, file, err := newTempFile(a.at)
	if err != nil {
		return nil, err
	}
	limited := &io.LimitedReader{R: r, N: limit + 1}
	w := zip.NewWriter(file)
	members, damage, err := copyMembers(w, tar.NewReader(limited))
	if err == nil {
		err = w.Close()
	}
	if err == nil {
		c.size, err = file.Seek(0, io.SeekCurrent)
	}
	if err != nil {
		file.Close()
		return nil, fmt.Errorf("write a temporary file in %s: %w", os.TempDir(), reason(err))
	}
	if limited.N <= 0 {
		damage = tooMuch(limit)
	}
	a.tar = c.open()
	if err := a.read(a.tar); err != nil {
		return nil, err
	}
	a.File = a.File[:members]
	return damage, nil
}

// copyMembers copies the members of r and returns how many were copied as a whole. A link, hard or symbolic, becomes a symbolic one; that of a
// hard one begins with "/".
func copyMembers(w *zip.Writer, r *tar.Reader) (members int, damage, err error) {
	var sparse error
	buf := make([]byte, 32<<10)
	for {
		h, err := r.Next()
		switch {
		case err == io.EOF:
			return members, sparse, nil
		case err != nil && !errors.Is(err, tar.ErrInsecurePath):
			return members, explainTar(err), nil
		}
		var content io.Reader = r
		// A zip has names of up to 64 KiB, and a name that ends in "/" is a folder.
		header := &zip.FileHeader{Name: strings.TrimRight(h.Name[:min(len(h.Name), maxZipName)], "/")}
		switch h.Typeflag {
		case tar.TypeDir:
			header.Name += "/"
			content = strings.NewReader("")
		case tar.TypeChar, tar.TypeBlock, tar.TypeFifo, tar.TypeXGlobalHeader, 'V':
			continue
		case tar.TypeSymlink, tar.TypeLink:
			header.SetMode(fs.ModeSymlink)
			if h.Typeflag == tar.TypeLink {
				h.Linkname = "/" + h.Linkname
			}
			content = strings.NewReader(h.Linkname)
		default:
			if isSparse(h) {
				sparse = fmt.Errorf("%s in the archive is a sparse file, which is not supported", shorten(h.Name))
				continue
			}
		}
		member, err := w.CreateHeader(header)
		if err != nil {
			return members, nil, err
		}
		kept := &errorKeeper{r: content}
		switch _, err := io.CopyBuffer(member, kept, buf); {
		case kept.err != nil:
			return members, explainTar(kept.err), nil
		case err != nil:
			return members, nil, err
		}
		members++
	}
}

const maxZipName = 60_000

func explainTar(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("the tar archive is cut off: %w", err)
	}
	return fmt.Errorf("the tar archive is damaged, the rest is not read: %w", err)
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
