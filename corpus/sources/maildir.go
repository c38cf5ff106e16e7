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

// A File is a message of a mail folder.
type File struct {
	Item
	// Name is unique in the mailbox, and the same as long as the message stays in its folder.
	Name string
	// Unseen is whether nobody has read the message, and Acted whether somebody has answered, forwarded or flagged it.
	Unseen, Acted bool
	Err           error // why it cannot be read

	inNew, deleted bool
}

// walkMaildir yields the messages of a Maildir in the order of their unique names.
func walkMaildir(fsys fs.FS, dir, label string, yield func(Item, error) bool) bool {
	files, err := readMaildir(fsys, dir, label)
	if err != nil && !yield(Item{Origin: dir, Label: label}, err) {
		return false
	}
	for _, f := range files {
		if !yield(f.Item, f.Err) {
			return false
		}
	}
	return true
}

// readMaildir lists the messages of a Maildir sorted by their unique names, so that reading mail does not change the order. Of a message that
// is both in new and in cur, it lists the one in cur. The list is valid even with an error about one of the folders. A missing folder counts as
// empty.
func readMaildir(fsys fs.FS, dir, label string) ([]File, error) {
	var files []File
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
				unique, flags := cutFlags(e.Name())
				has := func(letters string) bool { return strings.ContainsAny(flags, letters) }
				files = append(files, File{
					Item: Item{Origin: name, Label: label, Time: maildirTime(e.Name()), Content: location{fsys: fsys, path: name, message: unpackMessage}},
					Name: unique, Unseen: sub == "new" || !has("S"), Acted: has("RPF"), Err: err, inNew: sub == "new", deleted: has("T"),
				})
			}
		}
	}
	slices.SortStableFunc(files, func(a, b File) int { return strings.Compare(a.Name, b.Name) })
	kept := files[:0]
	for i, f := range files {
		moved := i+1 < len(files) && f.inNew && !files[i+1].inNew && f.Name == files[i+1].Name
		if !moved {
			kept = append(kept, f)
		}
	}
	return kept, failed
}

// cutFlags divides the name of a Maildir file into the part that stays when a mail program marks the message, and the flags as they are
// written: letters, among them S (seen), R (replied), F (flagged), T (trashed), D (draft) and P (passed).
//
// QUIRK: the flags follow ":2,", but systems without colons in file names use ";2," or "!2,".
func cutFlags(name string) (unique, flags string) {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	i := max(strings.LastIndex(name, ":2,"), strings.LastIndex(name, ";2,"), strings.LastIndex(name, "!2,"))
	if i < 0 {
		return name, ""
	}
	flags = name[i+len(":2,"):]
	return name[:i], flags[:len(flags)-len(strings.TrimLeft(flags, letters))]
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
