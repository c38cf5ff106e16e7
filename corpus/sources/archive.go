package sources

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
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

// notArchive returns an error about a file among messages that is an archive.
func notArchive(head []byte) error {
	if format := archiveFormat(head); format != "" {
		return fmt.Errorf("is a %s archive, not a message; to read the mail in it, give its own path", format)
	}
	return nil
}

// openArchive opens the tar or zip archive name of fsys. The result has the archive as a folder at the path of the file: a
// message in "old.zip" is "old.zip/cur/1". For a damaged archive, openArchive returns both an error and a file system with
// everything before the damage.
//
// Member names never lead out of the archive (see cleanName), and no member is lost: of two with the same name the second is
// renamed "name~2". A tar is the exception: a later member with exactly the same name replaces the earlier one, as tar does
// when it extracts. Archives among the members are not opened.
func openArchive(fsys fs.FS, name string) (fs.FS, error) {
	// The file stays open, since members may be read at any time. Like all files of package os, it is closed when it is garbage.
	_, f, err := openAtOffsets(fsys, name)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	head := make([]byte, tarBlock)
	n, err := f.ReadAt(head, 0)
	if err != nil && err != io.EOF {
		return nil, err
	}
	members := newMembers()
	switch archiveFormat(head[:n]) {
	case Zip:
		err = members.addZip(f, info.Size())
	case Tar:
		err = members.addTar(f, info.Size())
	default:
		return nil, errors.New("is neither a tar nor a zip archive")
	}
	members.root.sort()
	return mounted{members, path.Clean(name)}, err
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

// mounted is a file system at a path.
type mounted struct {
	fsys fs.FS
	at   string
}

func (m mounted) Open(name string) (fs.File, error) {
	name = path.Clean(name)
	if name == m.at {
		return m.fsys.Open(".")
	}
	inside, ok := strings.CutPrefix(name, m.at+"/")
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return m.fsys.Open(inside)
}
