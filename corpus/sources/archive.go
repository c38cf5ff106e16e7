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
)

// The formats of archives. What is in them is read as if they were folders.
const (
	Tar Format = "tar" // also when it is compressed as a whole
	Zip Format = "zip"
)

// detectContainer says whether a file that begins with head is an archive. Of head
// tarBlock bytes are looked at, without compression.
func detectContainer(head []byte) (format Format, why string, ok bool) {
	switch {
	case len(head) >= 4 && head[0] == 'P' && isZip(string(head[:4])):
		return Zip, "zip archive", true
	case isTar(head):
		return Tar, "tar archive", true
	}
	return "", "", false
}

// notContainer returns an error about a file among messages that is an archive.
func notContainer(head []byte) error {
	if _, why, ok := detectContainer(head); ok {
		return fmt.Errorf("is a %s, not a message; to read the mail in it, give its own path", why)
	}
	return nil
}

// why adds to what was found in a file that it was compressed.
func (c compression) why(found string) string {
	if c == uncompressed {
		return found
	}
	return found + ", compressed with " + string(c)
}

// openArchive opens the tar or zip archive name of fsys. In the result the archive
// is a folder at the place where the file is, so that the path of a message in
// "old.zip" is "old.zip/cur/1". When there is an error and a file system too, the
// archive is damaged, and has in it what is before the damage.
//
// Members are never outside of the archive, whatever their names are: see
// cleanName. No member is lost: of two with the same name the second is called
// "name~2", except in a tar, where a member that is there again under its very
// name takes the place of the earlier one, as it does when tar extracts it.
// Archives among the members are not opened.
func openArchive(fsys fs.FS, name string) (fs.FS, error) {
	fsys, err := randomAccess(fsys, name)
	if err != nil {
		return nil, err
	}
	// The file stays open, as its members may be read at any time. It is closed
	// when it is out of use, like all files of package os.
	opened, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	f := opened.(seekFile)
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	head := make([]byte, tarBlock)
	n, err := f.ReadAt(head, 0)
	if err != nil && err != io.EOF {
		return nil, err
	}
	index := newIndex()
	switch format, _, _ := detectContainer(head[:n]); format {
	case Zip:
		err = index.addZip(f, info.Size())
	case Tar:
		err = index.addTar(f, info.Size())
	default:
		return nil, errors.New("is neither a tar nor a zip archive")
	}
	index.sort()
	return mounted{index, path.Clean(name)}, err
}

// listArchive lists the messages of an archive, as those of a folder.
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

// mailFolder returns the folder that name stands for when folders of a certain kind
// are looked for in it: the folder itself, or one in an archive: where all is in
// one folder, as archives often are made, that one.
func mailFolder(name string) (fsys fs.FS, dir string, err error) {
	dir = filepath.Clean(name)
	found, err := detect(system{}, name)
	if err != nil || found.Format != Tar && found.Format != Zip {
		return system{}, dir, nil // what is wrong is said when it is listed
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

// mounted is a file system that stands at a path.
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

// An index is the tree of an archive's members. It is a file system.
type index struct {
	root *node
	last map[string]*node // of a tar: the files and links by their very names
}

// A node is a member, or a folder that has members in it.
type node struct {
	info   fileInfo
	parent *node
	member

	children map[string]*node // of a folder
	sorted   []fs.DirEntry    // the same
	copies   int              // how many further members wanted the name
	folder   *node            // the folder that wanted the name
}

// A member is what a node leads to, if it is no folder.
type member struct {
	open   func(fileInfo) (fs.File, error)
	target string // of a symbolic link
	err    error  // why it cannot be read
}

func newIndex() *index {
	root := &node{info: fileInfo{name: ".", mode: fs.ModeDir | 0o555}}
	root.parent = root
	return &index{root: root, last: map[string]*node{}}
}

// The bounds of a member's name. No mail program makes longer ones, and walking
// takes time by the depth.
const (
	maxNameParts = 64
	maxNamePart  = 255
)

// cleanName takes the name of a member apart into one that is inside of the
// archive: "/a", "../a" and "./b/../a" are "a". It is valid UTF-8 and not too
// long. What these rules make the same gets a number. A member without a name has
// no parts.
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

// add makes a node for a file or a link, under its name or one with a number.
func (x *index) add(name string, info fileInfo, m member) *node {
	parts := cleanName(name)
	if len(parts) == 0 {
		parts = []string{"unnamed"}
	}
	dir := x.addFolder(parts[:len(parts)-1])
	info.name = parts[len(parts)-1]
	if taken := dir.children[info.name]; taken != nil {
		base := info.name
		for dir.children[info.name] != nil {
			taken.copies++
			info.name = fmt.Sprintf("%s~%d", base, taken.copies+1)
		}
	}
	n := &node{info: info, parent: dir, member: m}
	dir.setChild(n)
	return n
}

// addFolder returns the folder of the given name, and makes it if need be. A name
// that a file has already gets a number.
func (x *index) addFolder(parts []string) *node {
	at := x.root
	for _, name := range parts {
		next := at.children[name]
		if next != nil && !next.info.IsDir() {
			if next.folder == nil {
				next.folder = at.newFolder(freeName(at, name))
			}
			next = next.folder
		}
		if next == nil {
			next = at.newFolder(name)
		}
		at = next
	}
	return at
}

func freeName(dir *node, base string) string {
	for i := 2; ; i++ {
		if name := fmt.Sprintf("%s~%d", base, i); dir.children[name] == nil {
			return name
		}
	}
}

func (n *node) newFolder(name string) *node {
	child := &node{info: fileInfo{name: name, mode: fs.ModeDir | 0o555}, parent: n}
	n.setChild(child)
	return child
}

func (n *node) setChild(child *node) {
	if n.children == nil {
		n.children = map[string]*node{}
	}
	n.children[child.info.name] = child
}

// maxTarget is the longest path that a symbolic link may lead to.
const maxTarget = 4096

func linkTo(target string) member {
	if target == "" || len(target) > maxTarget {
		return member{err: fmt.Errorf("is a symbolic link to a path of %d bytes", len(target))}
	}
	return member{target: target}
}

// sort puts the entries of each folder in order.
func (x *index) sort() { x.root.sort() }

func (n *node) sort() {
	for _, child := range n.children {
		n.sorted = append(n.sorted, fs.FileInfoToDirEntry(child.info))
		child.sort()
	}
	slices.SortFunc(n.sorted, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
}

// maxLinks bounds the symbolic links on the way to a member.
const maxLinks = 40

// Open opens a member or a folder. Symbolic links are followed, to what is in the
// archive.
func (x *index) Open(name string) (fs.File, error) {
	fail := func(err error) (fs.File, error) { return nil, &fs.PathError{Op: "open", Path: name, Err: err} }
	if !fs.ValidPath(name) {
		return fail(fs.ErrInvalid)
	}
	n, err := x.find(name)
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

// find returns the node that the path leads to.
func (x *index) find(name string) (*node, error) {
	at, links := x.root, 0
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
			return nil, errors.New("symbolic links that lead to each other")
		}
		if next.target[0] == '/' {
			at = x.root
		}
		name = next.target + "/" + name
	}
	return at, nil
}

// folderFile is a folder of an archive, to be listed.
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
