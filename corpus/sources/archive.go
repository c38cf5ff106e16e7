package sources

import (
	"archive/tar"
	"archive/zip"
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// archiveKind returns "tar" or "zip" for an uncompressed archive that begins with head, or "". It examines tarBlock bytes. A zip may be empty,
// or meant for several disks.
func archiveKind(head []byte) string {
	if len(head) >= 4 && slices.Contains([]string{"PK\x03\x04", "PK\x05\x06", "PK\x07\x08"}, string(head[:4])) {
		return "zip"
	}
	if len(head) < tarBlock || head[0] == 0 || len(bytes.Trim(head[148:156], "01234567 \x00")) > 0 { // few messages have these where a tar has its checksum
		return ""
	}
	if _, err := tar.NewReader(bytes.NewReader(head[:tarBlock])).Next(); errors.Is(err, tar.ErrHeader) {
		return ""
	}
	return "tar"
}

// An archive is the file system of a zip archive at the path of its file: a message in "old.zip" is "old.zip/cur/1". A tar is copied into one.
type archive struct {
	*zip.Reader
	at      string
	members map[string]*zip.File // the files by their names
}

// openArchive opens the tar or zip archive name of fsys. For a damaged archive, it returns both an error and a file system with
// everything before the damage.
//
// Member names never lead out of the archive (see cleanName), and no member is lost: of two with the same name the second is
// renamed "name~2". A tar is the exception: a later member with exactly the same name replaces the earlier one, as tar does
// when it extracts. Archives among the members are not opened.
func openArchive(fsys fs.FS, name string) (fs.FS, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	plain, err := decompressed(f)
	if err != nil {
		return nil, err
	}
	head, err := readHead(plain)
	if err != nil {
		return nil, err
	}
	// The file stays open, since members may be read at any time. Like all files of package os, it is closed when it is garbage.
	var file seekFile
	var damage error
	members, kind := 0, archiveKind(head)
	switch kind {
	case "zip":
		_, file, err = openAtOffsets(fsys, name)
	case "tar": // without a buffer, in which the piece before damaged data would be lost
		file, members, damage, err = copyTar(path.Clean(name), io.MultiReader(bytes.NewReader(head), plain), maxUnpackedBytes)
	default:
		err = errors.New("is neither a tar nor a zip archive")
	}
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	a := archive{at: path.Clean(name), members: make(map[string]*zip.File)}
	a.Reader, err = zip.NewReader(file, info.Size())
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		return nil, fmt.Errorf("the zip archive is cut off or damaged: %w", err)
	}
	// Compression methods that archive/zip does not support itself (APPNOTE 4.4.5).
	for method, c := range map[uint16]compression{12: bzipped, 93: zstandard, 95: xzipped} {
		a.RegisterDecompressor(method, func(r io.Reader) io.ReadCloser { return io.NopCloser(c.decompress(bufio.NewReader(r))) })
	}
	if kind == "tar" { // without the members whose name a later one has
		newest := make(map[string]*zip.File)
		for _, f := range a.File[:members] {
			newest[f.Name] = f
		}
		a.File = slices.DeleteFunc(a.File[:members], func(f *zip.File) bool { return newest[f.Name] != f })
	}
	a.nameMembers()
	return a, damage
}

// Open opens a member or a folder.
func (a archive) Open(name string) (fs.File, error) {
	inside, isInside := strings.CutPrefix(path.Clean(name)+"/", a.at+"/")
	inside = path.Clean(inside)
	f := a.members[inside]
	isLinked := isLink(f)
	if isLinked {
		inside = linkTarget(f)
		f = a.members[inside]
	}
	var err error
	switch {
	case !isInside, isLinked && (f == nil || isLink(f)): // a link leads to a file, and to no other link
		err = fs.ErrNotExist
	case f != nil && f.Flags&1 != 0:
		err = errors.New("is encrypted")
	default: // a file, a folder, or nothing
		return a.Reader.Open(inside)
	}
	return nil, &fs.PathError{Op: "open", Path: name, Err: err}
}

// The limits of a member's name. Mail programs stay below them, and the time to walk a tree grows with its depth.
const (
	maxNameParts = 64
	maxNamePart  = 255
)

// cleanName returns the name of a member inside the archive: "/a", "../a" and "./b/../a" become "a". It is valid UTF-8, and its parts are
// limited in length and number. The name of the archive itself is "".
//
// QUIRK: the rule is "/" between folders, but programs on Windows write "\".
func cleanName(name string) string {
	name = path.Clean("/" + strings.ReplaceAll(name, `\`, "/"))[1:]
	parts := strings.SplitN(name, "/", maxNameParts+1)
	if len(parts) > maxNameParts {
		parts[maxNameParts-1] = path.Base(parts[maxNameParts])
		parts = parts[:maxNameParts]
	}
	for i, p := range parts {
		parts[i] = strings.ToValidUTF8(p[:min(len(p), maxNamePart)], "\ufffd")
	}
	return strings.Join(parts, "/")
}

// nameMembers gives each file of the archive a name of its own inside it. It leaves out what is neither a file nor a folder, links to
// folders, and notes of macOS.
func (a archive) nameMembers() {
	folders := make(map[string]bool)
	var files []*zip.File
	all := a.File
	a.File = nil
	for _, f := range all {
		isFolder := strings.HasSuffix(strings.ReplaceAll(f.Name, `\`, "/"), "/") && f.UncompressedSize64 == 0
		f.Name = cleanName(f.Name)
		dir := path.Dir(f.Name)
		switch mode := f.Mode(); {
		case strings.HasPrefix(f.Name+"/", "__MACOSX/"): // what macOS knows of the other files
			continue
		case isFolder:
			if dir = f.Name; dir != "" && !folders[dir+"/"] {
				folders[dir+"/"] = true
				a.File = append(a.File, &zip.File{FileHeader: zip.FileHeader{Name: dir + "/"}})
			}
		case mode.IsRegular() || mode&fs.ModeSymlink != 0:
			f.Name = cmp.Or(f.Name, "unnamed")
			files = append(files, f)
		default:
			continue
		}
		for ; !folders[dir]; dir = path.Dir(dir) {
			folders[dir] = true
		}
	}
	copies := make(map[string]int) // how many further members had the same name
	for _, f := range files {
		for base := f.Name; folders[f.Name] || a.members[f.Name] != nil; {
			copies[base]++
			f.Name = fmt.Sprintf("%s~%d", base, copies[base]+1)
		}
		if a.members[f.Name] = f; !isLink(f) || !folders[linkTarget(f)] {
			a.File = append(a.File, f)
		}
	}
}

func isLink(f *zip.File) bool { return f != nil && f.Mode()&fs.ModeSymlink != 0 }

// linkTarget returns the name of the member that a symbolic link leads to.
func linkTarget(f *zip.File) string {
	const maxTarget = 4096
	r, err := f.Open()
	if err != nil {
		return ""
	}
	defer r.Close()
	target, err := io.ReadAll(io.LimitReader(r, maxTarget+1))
	switch {
	case err != nil || len(target) == 0 || len(target) > maxTarget:
		return ""
	case target[0] == '/':
		return cleanName(string(target))
	}
	return cleanName(path.Dir(f.Name) + "/" + string(target))
}

// tarBlock is the size of the blocks that a tar consists of.
const tarBlock = 512

// copyTar copies the members of a tar, up to limit bytes, into a zip archive in a temporary file, and opens that. It leaves out devices, named
// pipes and headers that describe the archive. Damage is why there are no more members in the copy; err is about the copy.
func copyTar(name string, r io.Reader, limit int64) (file seekFile, members int, damage, err error) {
	c, err := newTempFile(name, func(w io.Writer) (err error) {
		z := zip.NewWriter(w)
		if members, damage, err = copyMembers(z, tar.NewReader(r), limit); err == nil {
			err = z.Close()
		}
		return err
	})
	if err != nil {
		return nil, 0, nil, err
	}
	return c.open(), members, damage, nil
}

// copyMembers copies the members of r, up to limit bytes, and returns how many were copied as a whole. A link, hard or symbolic, becomes a symbolic one; that of a
// hard one begins with "/".
func copyMembers(w *zip.Writer, r *tar.Reader, limit int64) (members int, damage, err error) {
	const maxZipName = 60_000
	buf := make([]byte, 32<<10)
	left := limit
	for {
		h, err := r.Next()
		switch {
		case err == io.EOF:
			return members, nil, nil
		case err != nil && !errors.Is(err, tar.ErrInsecurePath):
			return members, explainTar(err), nil
		}
		if left -= tarBlock + max(h.Size, 0); left < 0 { // the size of a sparse file is that with its holes
			return members, tooMuch(limit), nil
		}
		content := &errorKeeper{r: r}
		// A zip has names of up to 64 KiB, and a name that ends in "/" is a folder.
		header := &zip.FileHeader{Name: strings.TrimRight(h.Name[:min(len(h.Name), maxZipName)], "/")}
		switch h.Typeflag {
		case tar.TypeDir:
			header.Name += "/"
			content.r = strings.NewReader("")
		case tar.TypeChar, tar.TypeBlock, tar.TypeFifo, tar.TypeXGlobalHeader, 'V':
			continue
		case tar.TypeSymlink:
			header.SetMode(fs.ModeSymlink)
			content.r = strings.NewReader(h.Linkname)
		case tar.TypeLink:
			header.SetMode(fs.ModeSymlink)
			content.r = strings.NewReader("/" + h.Linkname)
		}
		member, err := w.CreateHeader(header)
		if err == nil {
			_, err = io.CopyBuffer(member, content, buf)
		}
		switch {
		case content.err != nil:
			return members, explainTar(content.err), nil
		case err != nil:
			return members, nil, err
		}
		members++
	}
}

func explainTar(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("the tar archive is cut off: %w", err)
	}
	return fmt.Errorf("the tar archive is damaged, the rest is not read: %w", err)
}
