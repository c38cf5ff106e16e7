package sources

import (
	"io/fs"
	"path"
)

// A walker yields the messages of folders; its methods return false when the
// caller has seen enough.
type walker struct {
	fsys  fs.FS
	label string
	yield func(Item, error) bool
}

// folder yields the messages of dir, read in the given format or, if that is
// empty, as it looks, and of the folders in it. A Maildir is read alone.
func (w walker) folder(dir string, as Format) bool {
	if as == Maildir || as == "" && isMaildir(w.fsys, dir) {
		return walkMaildir(w.fsys, dir, w.label, w.yield)
	}
	entries, ok := w.entries(dir)
	if !ok {
		return false
	}
	l := layoutOf(w.fsys, dir, entries)
	if as != "" {
		l.found.Format = as
	}
	return w.inside(dir, l, entries)
}

// nested yields the messages of a folder in a folder, and of the folders in it.
//
// QUIRK: where Maildirs are nested as folders in the file system, as in the fs
// layout of Dovecot and in what mbsync and offlineimap write, a Maildir has other
// mail folders beside cur and new. See TestMaildirsInsideOfMaildirs.
func (w walker) nested(dir string, inApple bool) bool {
	entries, ok := w.entries(dir)
	if !ok {
		return false
	}
	l := layoutOf(w.fsys, dir, entries)
	if l.found.Format == Maildir && !walkMaildir(w.fsys, dir, w.label, w.yield) {
		return false
	}
	if inApple {
		l.found.Format = AppleMail
	}
	return w.inside(dir, l, entries)
}

func (w walker) entries(dir string) ([]fs.DirEntry, bool) {
	entries, err := fs.ReadDir(w.fsys, dir)
	if err != nil {
		return entries, w.yield(Item{Origin: dir, Label: w.label}, explain("list", dir, err))
	}
	return entries, true
}

// inside yields what is in the folder dir, in the order of its layout. Symbolic
// links to files are followed. Links to folders are not, as they may lead back.
func (w walker) inside(dir string, l layout, entries []fs.DirEntry) bool {
	if l.found.Format == MH {
		sortByNumber(entries)
	}
	for _, e := range entries {
		name := path.Join(dir, e.Name())
		goOn := true
		if e.IsDir() {
			if l.hasMail(e.Name()) {
				goOn = w.nested(name, l.found.Format == AppleMail)
			}
		} else {
			goOn = w.file(name, e, l.kindOf(e.Name()))
		}
		if !goOn {
			return false
		}
	}
	return true
}

// file yields the messages of the file e at name.
func (w walker) file(name string, e fs.DirEntry, kind Format) bool {
	if kind == "" {
		return true
	}
	regular, err := isRegular(w.fsys, name, e)
	if err != nil {
		return w.yield(Item{Origin: name, Label: w.label, Place: place{fsys: w.fsys, path: name}}, explain("list", name, err))
	}
	if !regular {
		return true
	}
	for item, err := range list(w.fsys, name, w.label, kind) {
		if !w.yield(item, err) {
			return false
		}
	}
	return true
}
