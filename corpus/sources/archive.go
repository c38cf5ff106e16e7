package sources

import (
	"archive/zip"
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"chaff/message"
)

// archiveFormat returns the format of an uncompressed archive that begins with head, or "". It examines tarBlock bytes.
func archiveFormat(head []byte) Format {
	switch {
	case isZip(head):
		return Zip
	case isTar(head):
		return Tar
	}
	return ""
}

// isZip reports whether head begins an archive, an empty archive, or an archive meant for several disks.
func isZip(head []byte) bool {
	if len(head) < 4 {
		return false
	}
	magic := string(head[:4])
	return magic == "PK\x03\x04" || magic == "PK\x05\x06" || magic == "PK\x07\x08"
}

// notArchive returns an error about a file among messages that is an archive.
func notArchive(head []byte) error {
	if archiveFormat(head) != "" {
		return message.IsNoMail("archive")
	}
	return nil
}

// An archive is the file system of a zip archive at the path of its file: a message in "old.zip" is "old.zip/cur/1". A tar is copied into one.
type archive struct {
	*zip.Reader
	at      string
	members map[string]*zip.File // the files by their names
	tar     seekFile             // the copy of a tar, whose members are not compressed; nil for a zip
}

// openArchive opens the tar or zip archive name of fsys. For a damaged archive, it returns both an error and a file system with
// everything before the damage.
//
// Member names never lead out of the archive (see cleanName), and no member is lost: of two with the same name the second is
// renamed "name~2". A tar is the exception: a later member with exactly the same name replaces the earlier one, as tar does
// when it extracts. Archives among the members are not opened.
func openArchive(fsys fs.FS, name string) (fs.FS, error) {
	f, err := openPlain(fsys, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	plain := bufio.NewReader(f)
	head, err := plain.Peek(tarBlock)
	if err != nil && err != io.EOF {
		return nil, err
	}
	a := archive{at: path.Clean(name), members: make(map[string]*zip.File)}
	var damage error
	switch archiveFormat(head) {
	case Zip:
		// The file stays open, since members may be read at any time. Like all files of package os, it is closed when it is garbage.
		var file seekFile
		if _, file, err = openAtOffsets(fsys, name); err == nil {
			err = a.read(file)
		}
	case Tar:
		damage, err = a.copyTar(plain, MaxUnpackedBytes)
	default:
		err = errors.New("is neither a tar nor a zip archive")
	}
	if err != nil {
		return nil, err
	}
	a.nameMembers()
	return a, damage
}

// Open opens a member or a folder.
func (a archive) Open(name string) (fs.File, error) {
	inside, isInside := strings.CutPrefix(path.Clean(name)+"/", a.at+"/")
	inside = path.Clean(inside)
	fail := func(err error) (fs.File, error) { return nil, &fs.PathError{Op: "open", Path: name, Err: err} }
	f := a.members[inside]
	switch {
	case !isInside:
		return fail(fs.ErrNotExist)
	case f == nil: // a folder, or nothing
		return a.Reader.Open(inside)
	case f.Flags&1 != 0:
		return fail(errors.New("is encrypted"))
	case int64(f.UncompressedSize64) < 0:
		return fail(errors.New("the zip archive is damaged: impossible size"))
	case f.Mode()&fs.ModeSymlink != 0: // it leads to no file
		return fail(fs.ErrNotExist)
	case a.tar == nil:
		return a.Reader.Open(inside)
	}
	offset, err := f.DataOffset()
	if err != nil {
		return fail(err)
	}
	return &sectionFile{io.NewSectionReader(a.tar, offset, int64(f.UncompressedSize64)), f.FileInfo(), io.EOF}, nil
}

// listArchive lists the messages of an archive like those of a folder.
func listArchive(fsys fs.FS, name, label string) Source {
	return func(yield func(Item, error) bool) {
		archive, err := openArchive(fsys, name)
		if archive != nil && !(walker{archive, label, yield}).folder(name, "") {
			return
		}
		if err != nil {
			yield(Item{Origin: name, Label: label}, explain("list", name, err))
		}
	}
}

// mailFolder returns the folder at name, or the top folder of the archive at name. If an archive has everything in one
// folder, as is common, that is the top folder.
func mailFolder(name string) (fsys fs.FS, dir string, err error) {
	dir = filepath.Clean(name)
	found, err := detect(system{}, name)
	if err != nil || found.Format != Tar && found.Format != Zip {
		return system{}, dir, nil // errors come back when the folder is listed
	}
	if fsys, err = openArchive(system{}, dir); err != nil {
		return nil, "", err
	}
	for {
		entries, err := fs.ReadDir(fsys, dir)
		if err != nil {
			return nil, "", err
		}
		if len(entries) != 1 || !entries[0].IsDir() || isHidden(entries[0].Name()) {
			return fsys, dir, nil
		}
		dir = path.Join(dir, entries[0].Name())
	}
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

// nameMembers gives each file of the archive a name of its own inside it, and puts what a link leads to in its place. It leaves out what is
// neither a file nor a folder, and links to folders.
func (a archive) nameMembers() {
	newest := make(map[string]*zip.File) // by the names in a tar
	for _, f := range a.File {
		newest[f.Name] = f
	}
	folders := make(map[string]bool)
	var files, links []*zip.File
	all := a.File
	a.File = nil
	for _, f := range all {
		if a.tar != nil && newest[f.Name] != f {
			continue
		}
		isFolder := strings.HasSuffix(strings.ReplaceAll(f.Name, `\`, "/"), "/") && f.UncompressedSize64 == 0
		if f.Name = cleanName(f.Name); f.Name == "" && !isFolder {
			f.Name = "unnamed"
		}
		dir := path.Dir(f.Name)
		switch mode := f.Mode(); {
		case isFolder && f.Name != "" && !folders[f.Name+"/"]:
			folders[f.Name+"/"] = true
			dir = f.Name
			a.File = append(a.File, &zip.File{FileHeader: zip.FileHeader{Name: f.Name + "/"}})
		case isFolder, !mode.IsRegular() && mode&fs.ModeSymlink == 0:
			continue
		default:
			files = append(files, f)
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
		a.members[f.Name] = f
		if f.Mode()&fs.ModeSymlink != 0 {
			links = append(links, f)
		}
	}
	for _, f := range links {
		target := cleanName(linkTarget(f))
		if to := a.members[target]; to != nil && to.Mode()&fs.ModeSymlink == 0 {
			linked := *to
			linked.Name = f.Name
			a.members[f.Name] = &linked
		} else if folders[target] {
			delete(a.members, f.Name)
		}
	}
	for _, f := range files {
		if f = a.members[f.Name]; f != nil {
			a.File = append(a.File, f)
		}
	}
}

// linkTarget returns the path inside the archive that a symbolic link leads to.
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
		return string(target)
	}
	return path.Dir(f.Name) + "/" + string(target)
}

// Compression methods that archive/zip does not support itself (APPNOTE 4.4.5).
const (
	zipBzip2 = 12
	zipZstd  = 93
	zipXZ    = 95
)

// read reads the directory of a zip archive.
func (a *archive) read(file seekFile) error {
	info, err := file.Stat()
	if err != nil {
		return err
	}
	a.Reader, err = zip.NewReader(file, info.Size())
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		return fmt.Errorf("the zip archive is cut off or damaged: %w", err)
	}
	for method, c := range map[uint16]compression{zipBzip2: bzipped, zipZstd: zstandard, zipXZ: xzipped} {
		a.RegisterDecompressor(method, func(r io.Reader) io.ReadCloser { return io.NopCloser(c.decompress(bufio.NewReader(r))) })
	}
	return nil
}
