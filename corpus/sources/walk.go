package sources

import (
	"io/fs"
	"path"
)

// A walker yields the messages of folders. Its methods return false when the caller stops.
type walker struct {
	fsys  fs.FS
	label string
	yield func(Item, error) bool
}

// folder yields the messages of dir and of the folders in it. An empty as stands for the detected format. A Maildir is read
// without the folders in it.
func (w walker) folder(dir string, as Format) bool {
	if as == Maildir || as == "" && isMaildir(w.fsys, dir) {
		return walkMaildir(w.fsys, dir, w.label, w.yield)
	}
	entries, ok := w.entries(dir)
	if !ok {
		return false
	}
	f := inspectFolder(w.fsys, dir, entries)
	if as != "" {
		f.found.Format = as
	}
	return w.contents(dir, f, entries)
}

// subfolder yields the messages of a folder within a folder, and of the folders in it.
//
// QUIRK: nested Maildirs, as in the fs layout of Dovecot and in what mbsync and offlineimap write, have other mail folders
// beside cur and new. See TestMaildirsInsideOfMaildirs.
func (w walker) subfolder(dir string, inApple bool) bool {
	entries, ok := w.entries(dir)
	if !ok {
		return false
	}
	f := inspectFolder(w.fsys, dir, entries)
	if f.found.Format == Maildir && !walkMaildir(w.fsys, dir, w.label, w.yield) {
		return false
	}
	if inApple {
		f.found.Format = AppleMail
	}
	return w.contents(dir, f, entries)
}

func (w walker) entries(dir string) ([]fs.DirEntry, bool) {
	entries, err := fs.ReadDir(w.fsys, dir)
	if err != nil {
		return entries, w.yield(Item{Origin: dir, Label: w.label}, explain("list", dir, err))
	}
	return entries, true
}

// contents yields the messages of the entries of dir. It follows symbolic links to files, and none to folders, since those
// may lead back.
func (w walker) contents(dir string, f folder, entries []fs.DirEntry) bool {
	if f.found.Format == MH {
		sortByNumber(entries)
	}
	for _, e := range entries {
		name := path.Join(dir, e.Name())
		goOn := true
		if !e.IsDir() {
			goOn = w.file(name, e, f.formatOf(e.Name()))
		} else if f.hasMail(e.Name()) {
			goOn = w.subfolder(name, f.found.Format == AppleMail)
		}
		if !goOn {
			return false
		}
	}
	return true
}

// file yields the messages of the file e at name; none if the format is empty.
func (w walker) file(name string, e fs.DirEntry, format Format) bool {
	if format == "" {
		return true
	}
	regular, err := isRegular(w.fsys, name, e)
	if err != nil {
		return w.yield(Item{Origin: name, Label: w.label}, explain("list", name, err))
	}
	if !regular {
		return true
	}
	for item, err := range list(w.fsys, name, w.label, format) {
		if !w.yield(item, err) {
			return false
		}
	}
	return true
}
