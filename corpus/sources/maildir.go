package sources

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
)

// maildirSubs are the folders of a Maildir that hold messages; tmp holds what is
// still being written. New comes first: a message that is moved from new to cur
// while both are listed is then seen twice rather than missed.
var maildirSubs = [...]string{"new", "cur"}

// isMaildir reports whether dir looks like a Maildir. Two of its three folders
// are enough, because archives and copies often lose the empty ones.
func isMaildir(fsys fs.FS, dir string) bool {
	found := 0
	for _, sub := range [...]string{"cur", "new", "tmp"} {
		if isFolder(fsys, path.Join(dir, sub)) {
			found++
		}
	}
	return found >= 2
}

// A maildirFile is one message of a Maildir: its file name and where it is.
type maildirFile struct {
	name string
	sub  string // "new" or "cur"
	err  error  // why the message cannot be read
}

// unseen reports whether nobody has looked at the message yet.
func (f maildirFile) unseen() bool {
	return f.sub == "new" || !strings.Contains(Flags(f.name), "S")
}

// deleted reports whether the message waits to be removed.
func (f maildirFile) deleted() bool { return strings.Contains(Flags(f.name), "T") }

// walkMaildir yields the messages of a Maildir in the order of their unique names.
func walkMaildir(fsys fs.FS, dir, label string, yield func(Item, error) bool) bool {
	files, err := readMaildir(fsys, dir)
	if err != nil && !yield(Item{Origin: dir, Label: label}, err) {
		return false
	}
	for _, f := range files {
		if !yield(f.item(fsys, dir, label), f.err) {
			return false
		}
	}
	return true
}

func (f maildirFile) item(fsys fs.FS, dir, label string) Item {
	name := path.Join(dir, f.sub, f.name)
	return Item{Origin: name, Label: label, Time: maildirTime(f.name), Place: place{fsys: fsys, path: name, maildir: true}}
}

// readMaildir lists the messages of a Maildir, sorted by the part of the name that
// never changes, so that reading mail does not change the order. The list is good
// even if there is an error about one of the folders; a folder that is not there
// is empty.
func readMaildir(fsys fs.FS, dir string) ([]maildirFile, error) {
	var files []maildirFile
	var failed error
	for _, sub := range maildirSubs {
		folder := path.Join(dir, sub)
		entries, err := fs.ReadDir(fsys, folder)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			failed = explain("list", folder, err)
		}
		for _, e := range entries {
			if isHidden(e.Name()) || isIndex(strings.ToLower(e.Name())) {
				continue
			}
			name := path.Join(folder, e.Name())
			regular, err := isRegular(fsys, name, e)
			if err != nil {
				err = explain("list", name, err)
			}
			if regular || err != nil {
				files = append(files, maildirFile{e.Name(), sub, err})
			}
		}
	}
	slices.SortStableFunc(files, func(a, b maildirFile) int {
		return strings.Compare(uniqueName(a.name), uniqueName(b.name))
	})
	return dropMoved(files), failed
}

// dropMoved removes, from sorted files, those of new that are in cur as well.
func dropMoved(files []maildirFile) []maildirFile {
	kept := files[:0]
	for i, f := range files {
		moved := i+1 < len(files) && f.sub == "new" && files[i+1].sub == "cur" &&
			uniqueName(f.name) == uniqueName(files[i+1].name)
		if !moved {
			kept = append(kept, f)
		}
	}
	return kept
}

// Flags returns the flags in the name of a Maildir file, as they are written:
// letters, among them S (seen), R (replied), F (flagged), T (trashed), D (draft)
// and P (passed). A name without flags gives "".
//
// QUIRK: the flags follow ":2,", but systems that allow no colon in a file name
// have ";2," or "!2,".
func Flags(name string) string {
	i := infoStart(name)
	if i < 0 {
		return ""
	}
	flags := name[i+len(":2,"):]
	for j := range len(flags) {
		if c := flags[j] | 0x20; c < 'a' || c > 'z' {
			return flags[:j]
		}
	}
	return flags
}

// uniqueName returns name without its flags.
func uniqueName(name string) string {
	if i := infoStart(name); i >= 0 {
		return name[:i]
	}
	return name
}

// infoStart finds the last ":2,", ";2," or "!2," in name, or returns -1.
func infoStart(name string) int {
	i := strings.LastIndex(name, "2,")
	for i > 0 && !strings.ContainsRune(":;!", rune(name[i-1])) {
		i = strings.LastIndex(name[:i], "2,")
	}
	return i - 1
}

// maildirTime reads the seconds since 1970 that the name of a Maildir file begins
// with. Small numbers, which would be times before 1973, are of some other kind.
func maildirTime(name string) time.Time {
	n := 0
	for n < len(name) && '0' <= name[n] && name[n] <= '9' {
		n++
	}
	seconds, err := strconv.ParseInt(name[:n], 10, 64)
	if err != nil || seconds < 1e8 || seconds >= 1e10 {
		return time.Time{}
	}
	return time.Unix(seconds, 0).UTC()
}
