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

// maildirSubs are the folders of a Maildir that hold messages; tmp holds unfinished ones. New comes first: a message that
// moves from new to cur during the listing is then seen twice instead of missed.
var maildirSubs = [...]string{"new", "cur"}

// isMaildir reports whether dir has at least two of the three folders of a Maildir. Archives and copies often lose the empty
// ones.
func isMaildir(fsys fs.FS, dir string) bool {
	found := 0
	for _, sub := range maildirParts {
		if isFolder(fsys, path.Join(dir, sub)) {
			found++
		}
	}
	return found >= 2
}

var maildirParts = [...]string{"cur", "new", "tmp"}

func isMaildirPart(name string) bool { return slices.Contains(maildirParts[:], name) }

// A maildirFile is one message of a Maildir.
type maildirFile struct {
	name string
	sub  string // "new" or "cur"
	err  error  // why the message cannot be read
}

func (f maildirFile) unseen() bool {
	return f.sub == "new" || !strings.Contains(Flags(f.name), "S")
}

func (f maildirFile) deleted() bool { return strings.Contains(Flags(f.name), "T") }

// A part selects the messages of a mail folder.
type part uint8

const (
	allFiles    part = iota // those marked as deleted, too
	wholeFolder             // without these, as all below
	seenPart
	unseenPart
)

func (p part) has(f maildirFile) bool {
	return p == allFiles || !f.deleted() && (p == wholeFolder || f.unseen() == (p == unseenPart))
}

// walkMaildir yields the messages of a part of a Maildir in the order of their unique names.
func walkMaildir(fsys fs.FS, dir, label string, part part, yield func(Item, error) bool) bool {
	files, err := readMaildir(fsys, dir)
	if err != nil && !yield(Item{Origin: dir, Label: label}, err) {
		return false
	}
	for _, f := range files {
		if f.err == nil && !part.has(f) {
			continue
		}
		name := path.Join(dir, f.sub, f.name)
		item := Item{Origin: name, Label: label, Time: maildirTime(f.name), Content: location{fsys: fsys, path: name, message: unpackMessage}}
		if !yield(item, f.err) {
			return false
		}
	}
	return true
}

// readMaildir lists the messages of a Maildir sorted by their unique names, so that reading mail does not change the order. Of a message that
// is both in new and in cur, it lists the one in cur. The list is valid even with an error about one of the folders. A missing folder counts as
// empty.
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
		return strings.Compare(UniqueName(a.name), UniqueName(b.name))
	})
	kept := files[:0]
	for i, f := range files {
		moved := i+1 < len(files) && f.sub == "new" && files[i+1].sub == "cur" && UniqueName(f.name) == UniqueName(files[i+1].name)
		if !moved {
			kept = append(kept, f)
		}
	}
	return kept, failed
}

// Flags returns the flags in the name of a Maildir file as they are written: letters, among them S (seen), R (replied), F
// (flagged), T (trashed), D (draft) and P (passed). It returns "" for a name without flags.
//
// QUIRK: the flags follow ":2,", but systems without colons in file names use ";2," or "!2,".
func Flags(name string) string {
	_, flags := cutInfo(name)
	return flags[:len(flags)-len(strings.TrimLeft(flags, letters))]
}

const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

// IsUnseen reports whether nobody has read the message in a file of a Maildir, by its path.
func IsUnseen(name string) bool {
	return maildirFile{name: path.Base(name), sub: path.Base(path.Dir(name))}.unseen()
}

// IsAnswered reports whether the flags of a Maildir file say that somebody has answered, forwarded or flagged the message.
func IsAnswered(name string) bool { return strings.ContainsAny(Flags(path.Base(name)), "RPF") }

// UniqueName returns the name of a Maildir file without its flags: the part that stays when a mail program marks the message.
func UniqueName(name string) string {
	name, _ = cutInfo(name)
	return name
}

// cutInfo cuts name at the last ":2,", ";2," or "!2,".
func cutInfo(name string) (unique, flags string) {
	i := max(strings.LastIndex(name, ":2,"), strings.LastIndex(name, ";2,"), strings.LastIndex(name, "!2,"))
	if i < 0 {
		return name, ""
	}
	return name[:i], name[i+len(":2,"):]
}

// maildirTime returns the time that the name of a Maildir file begins with, in seconds since 1970. It ignores numbers that
// would be times before 1973.
func maildirTime(name string) time.Time {
	digits := name[:len(name)-len(strings.TrimLeft(name, "0123456789"))]
	seconds, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || seconds < 1e8 || seconds >= 1e10 {
		return time.Time{}
	}
	return time.Unix(seconds, 0).UTC()
}
