package sources

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
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

// notArchive returns an error about a file among messages that is an archive.
func notArchive(head []byte) error {
	if archiveFormat(head) != "" {
		return message.IsNoMail("archive")
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

// members is the tree of an archive's members. It is a file system.
type members struct {
	root *node
	last map[string]*node // of a tar: the files and links by their original names
}

// A node is a member, or a folder with members in it.
type node struct {
	info   fileInfo
	parent *node
	member

	children map[string]*node // of a folder
	sorted   []fs.DirEntry    // the children
	copies   int              // how many further members had the same name
	folder   *node            // the folder with the same name as this file
}

// A member is the content of a node that is not a folder.
type member struct {
	open   func(fileInfo) (fs.File, error)
	target string // of a symbolic link
	err    error  // why it cannot be read
}

func newMembers() *members {
	root := &node{info: fileInfo{name: ".", mode: fs.ModeDir | 0o555}, children: map[string]*node{}}
	root.parent = root
	return &members{root: root, last: map[string]*node{}}
}

// The limits of a member's name. Mail programs stay below them, and the time to walk a tree grows with its depth.
const (
	maxNameParts = 64
	maxNamePart  = 255
)

// cleanName splits the name of a member into parts and keeps it inside the archive: "/a", "../a" and "./b/../a" become "a".
// The parts are valid UTF-8 and limited in length and number. A member without a name has no parts.
func cleanName(name string) []string {
	name = path.Clean("/" + name)[1:]
	if name == "" {
		return nil
	}
	parts := strings.SplitN(name, "/", maxNameParts+1)
	if len(parts) > maxNameParts {
		parts[maxNameParts-1] = path.Base(parts[maxNameParts])
		parts = parts[:maxNameParts]
	}
	for i, p := range parts {
		parts[i] = strings.ToValidUTF8(p[:min(len(p), maxNamePart)], "\ufffd")
	}
	return parts
}

// add makes a node for a file or a link. If its name is taken, the node gets a numbered name.
func (t *members) add(name string, info fileInfo, m member) *node {
	parts := cleanName(name)
	if len(parts) == 0 {
		parts = []string{"unnamed"}
	}
	dir := t.addFolder(parts[:len(parts)-1])
	info.name = parts[len(parts)-1]
	if taken := dir.children[info.name]; taken != nil {
		info.name, taken.copies = freeName(dir, info.name, taken.copies+1)
	}
	n := &node{info: info, parent: dir, member: m}
	dir.children[info.name] = n
	return n
}

// addFolder returns the folder at the path parts, and makes it if necessary. If a file has that name, the folder gets a
// numbered name.
func (t *members) addFolder(parts []string) *node {
	at := t.root
	for _, name := range parts {
		next := at.children[name]
		switch {
		case next == nil:
			next = at.newFolder(name)
		case !next.info.IsDir():
			if next.folder == nil {
				free, _ := freeName(at, name, 1)
				next.folder = at.newFolder(free)
			}
			next = next.folder
		}
		at = next
	}
	return at
}

// freeName returns the first unused name base~N in dir, for N > copies, and N-1.
func freeName(dir *node, base string, copies int) (name string, taken int) {
	for ; ; copies++ {
		if name = fmt.Sprintf("%s~%d", base, copies+1); dir.children[name] == nil {
			return name, copies
		}
	}
}

func (n *node) newFolder(name string) *node {
	child := &node{info: fileInfo{name: name, mode: fs.ModeDir | 0o555}, parent: n, children: map[string]*node{}}
	n.children[name] = child
	return child
}

// maxTarget is the length of the longest path that a symbolic link may lead to.
const maxTarget = 4096

func linkTo(target string) member {
	if target == "" || len(target) > maxTarget {
		return member{err: fmt.Errorf("is a symbolic link to a path of %d bytes", len(target))}
	}
	return member{target: target}
}

func (n *node) sort() {
	for _, child := range n.children {
		n.sorted = append(n.sorted, fs.FileInfoToDirEntry(child.info))
		child.sort()
	}
	slices.SortFunc(n.sorted, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
}

// maxLinks limits the symbolic links on the way to a member.
const maxLinks = 40

// Open opens a member or a folder. It follows symbolic links within the archive.
func (t *members) Open(name string) (fs.File, error) {
	fail := func(err error) (fs.File, error) { return nil, &fs.PathError{Op: "open", Path: name, Err: err} }
	if !fs.ValidPath(name) {
		return fail(fs.ErrInvalid)
	}
	n, err := t.find(name)
	switch {
	case err != nil:
		return fail(err)
	case n.info.IsDir():
		return &folderFile{node: n}, nil
	case n.err != nil:
		return fail(n.err)
	}
	info := n.info
	info.name = path.Base(name)
	f, err := n.open(info)
	if err != nil {
		return fail(err)
	}
	return f, nil
}

func (t *members) find(name string) (*node, error) {
	at, links := t.root, 0
	for name != "" {
		var part string
		part, name, _ = strings.Cut(name, "/")
		switch part {
		case "", ".":
			continue
		case "..":
			at = at.parent
			continue
		}
		next := at.children[part]
		if next == nil {
			return nil, fs.ErrNotExist
		}
		if next.target == "" {
			if at = next; !at.info.IsDir() && name != "" {
				return nil, fs.ErrNotExist
			}
			continue
		}
		if links++; links > maxLinks {
			return nil, errors.New("too many symbolic links")
		}
		if next.target[0] == '/' {
			at = t.root
		}
		name = next.target + "/" + name
	}
	return at, nil
}

type folderFile struct {
	node *node
	next int
}

func (f *folderFile) Stat() (fs.FileInfo, error) { return f.node.info, nil }
func (f *folderFile) Close() error               { return nil }

func (f *folderFile) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: f.node.info.name, Err: errors.New("is a folder")}
}

func (f *folderFile) ReadDir(n int) ([]fs.DirEntry, error) {
	rest := f.node.sorted[f.next:]
	switch {
	case n <= 0:
		n = len(rest)
	case len(rest) == 0:
		return nil, io.EOF
	}
	n = min(n, len(rest))
	f.next += n
	return slices.Clone(rest[:n]), nil
}
