package sources

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"chaff/internal/replace"
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

var maildirParts = []string{"cur", "new", "tmp"}

// A File is a message of a mail folder.
type File struct {
	Item
	// Name is unique in the mailbox, and the same as long as the message stays in its folder.
	Name string
	// Unseen is whether nobody has read the message, and Acted whether somebody has answered, forwarded or flagged it.
	Unseen, Acted bool
	Err           error // why it cannot be read

	deleted, link bool
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
					Name: unique, Unseen: sub == "new" || !has("S"), Acted: has("RPF"), Err: err, deleted: has("T"), link: e.Type()&fs.ModeSymlink != 0,
				})
			}
		}
	}
	slices.SortFunc(files, func(a, b File) int { // the one in cur first
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Origin, b.Origin))
	})
	hasMoved := func(a, b File) bool { return a.Name == b.Name && path.Dir(a.Origin) != path.Dir(b.Origin) }
	return slices.CompactFunc(files, hasMoved), failed
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
	digits := name[:len(name)-len(strings.TrimLeft(name, "0123456789abcdef"))] // lieer names messages by numbers of Gmail in hexadecimal
	seconds, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || seconds < 1e8 || seconds >= 1e10 {
		return time.Time{}
	}
	return time.Unix(seconds, 0).UTC()
}

// The labels of mail in a mailbox. What is left out is not trained on.
const (
	Ham     = "ham"
	Spam    = "spam"
	LeftOut = "left out"
)

// PlanFolder is one row of a Plan: a mail folder, or its seen or unseen part, with its use.
type PlanFolder struct {
	// Name is "INBOX" or the decoded path within the mailbox: ".Junk", ".Entwürfe", "Lists/golang".
	Name string
	Use
	Messages int
	Files    []File // the messages; nil for a whole folder that is left out
	// Unseen reports whether the row is the unseen mail of a folder whose seen mail is ham. It is left out, but Files has the messages.
	Unseen bool
	// Unreadable is whether the folder cannot be listed. Reason says why.
	Unreadable bool

	path string
}

// Plan is what training on a mailbox would use, folder by folder.
type Plan struct {
	Folders []PlanFolder // the inbox, then the others sorted by name
	Deleted int          // messages of ham and spam folders that are left out because they are marked as deleted

	fsys fs.FS
	root string
	dirs []string // in which mail folders may appear
}

// MaildirTree plans the use of a whole mailbox of Maildirs: the inbox in cur and new of the folder name, and the other mail
// folders in one of two layouts or in both. Maildir++ has subfolders .Name, with .A.B for B in A. The other layout, which
// Dovecot calls fs, nests folders as the mail program shows them, A/B, also below the inbox.
//
// Spam is the mail in .Junk, .Spam and folders with other usual names for spam, in the languages of mail programs; see [UseOf]. Deleted mail
// (also in flag T), drafts, the outbox, templates, and the unseen mail of an inbox, of "All Mail" and of any folder of ham that has seen mail,
// whose class nobody has decided, are left out. All other mail is ham. The mailbox may be in a tar or zip archive.
func MaildirTree(name string) (Plan, error) {
	p, err := find(system{}, name, nil)
	if err != nil {
		return Plan{}, err
	}
	return p.plan()
}

func (p *place) plan() (plan Plan, err error) {
	var dir string
	plan.fsys, dir, err = p.folder()
	if err == nil {
		_, err = fs.ReadDir(plan.fsys, dir)
	}
	if err != nil {
		return plan, explain("open", p.path, err)
	}
	plan.root = dir
	if isMaildir(plan.fsys, dir) {
		plan.add(dir, "INBOX", []string{"INBOX"})
	}
	plan.find(dir, "", nil)
	if len(plan.Folders) == 0 {
		err = explain("open", p.path, errors.New("is not a Maildir: it has no folders cur and new, and no mail folders such as .Junk"))
	}
	return plan, err
}

// find adds the mail folders in dir, whose own path in the mailbox is name, split into parts. A folder that cannot be read
// becomes a row with that reason, so that training on the others remains possible.
func (p *Plan) find(dir, name string, parts []string) {
	if len(parts) > maxNameParts { // the time to walk a tree grows with its depth
		p.Folders = append(p.Folders, unreadable(name, errors.New("it is nested too deep")))
		return
	}
	p.dirs = append(p.dirs, dir)
	entries, err := fs.ReadDir(p.fsys, dir)
	if err != nil {
		p.Folders = append(p.Folders, unreadable(name, err))
	}
	for _, e := range entries {
		var own []string
		above, isOfKMail := strings.CutSuffix(e.Name(), ".directory") // QUIRK: .NAME.directory has the folders in the folder NAME of KMail
		isOfKMail = isOfKMail && isHidden(above) && e.IsDir()
		switch {
		case isOfKMail:
			own = []string{readable(above[1:])}
		case e.Name() == ".stversions", // in which Syncthing keeps what another device has moved or deleted
			!isHidden(e.Name()) && (!e.IsDir() || slices.Contains(maildirParts, e.Name()) || isIndex(strings.ToLower(e.Name()))):
			continue
		default:
			own = dottedParts(e.Name())
		}
		folder, shown := path.Join(dir, e.Name()), path.Join(name, readable(e.Name()))
		all := append(parts[:len(parts):len(parts)], own...)
		_, err := fs.Stat(p.fsys, folder)
		if err == nil {
			_, err = fs.Stat(p.fsys, path.Join(folder, "cur"))
		}
		holdsMail := isMaildir(p.fsys, folder)
		if holdsMail {
			p.add(folder, shown, all)
		} else if isHidden(e.Name()) && (errors.Is(err, replace.ErrLink) || errors.Is(err, fs.ErrPermission)) {
			p.Folders = append(p.Folders, unreadable(shown, err))
		}
		if isOfKMail || !isHidden(e.Name()) || holdsMail && e.IsDir() { // QUIRK: mbsync with "SubFolders Legacy" calls the folder C in B in A A/.B/.C
			p.find(folder, shown, all)
		}
	}
}

// dottedParts splits the name of a Maildir++ folder and decodes its parts. The separating dot is never encoded.
//
// QUIRK: OfflineIMAP calls the folder B in A "A.B", without the dot in front.
func dottedParts(name string) []string {
	parts := strings.Split(strings.TrimPrefix(name, "."), ".")
	for i, p := range parts {
		parts[i] = readable(p)
	}
	return parts
}

// UnseenMail returns the row of so many unseen messages of a folder of ham.
func UnseenMail(name string, messages int) PlanFolder {
	return PlanFolder{Name: name, Use: Use{Label: LeftOut, Reason: "not seen yet"}, Messages: messages, Unseen: true}
}

// add adds the rows of the mail folder at dir. One that cannot be listed is a row with that reason.
func (p *Plan) add(dir, name string, parts []string) {
	row := PlanFolder{Name: name, Use: UseOf(parts), path: dir}
	files, err := readMaildir(p.fsys, dir, row.Label)
	if err != nil {
		p.Folders = append(p.Folders, unreadable(name, err))
		return
	}
	var unseen []File
	for _, f := range files {
		switch {
		case f.link && p.linksInside(f.Origin), strings.HasPrefix(f.Name, "123456789.") && strings.HasSuffix(f.Name, ".mairix"): // what a search has found
		case f.deleted && row.Label != LeftOut: // most messages of the trash are marked as deleted
			p.Deleted++
		case f.Unseen && row.Label == Ham: // in other folders that says nothing
			unseen = append(unseen, f)
		default:
			row.Files = append(row.Files, f)
		}
	}
	// QUIRK: Thunderbird marks no file of its Maildirs, and keeps the index NAME.msf beside the Maildir NAME.
	_, noIndex := fs.Stat(p.fsys, dir+".msf")
	divided := row.Incoming && noIndex != nil || len(row.Files) > 0 && len(unseen) > 0
	if !divided && len(unseen) > 0 { // in a folder without seen mail nobody marks it
		row.Files = unseen
	}
	if row.Messages = len(row.Files); row.Label == LeftOut {
		row.Files = nil
	}
	if p.Folders = append(p.Folders, row); divided {
		later := UnseenMail(name, len(unseen))
		later.Files, later.path = unseen, dir
		p.Folders = append(p.Folders, later)
	}
}

// linksInside reports whether a link leads to where another folder of the mailbox has or had a message, which counts there.
//
// QUIRK: mairix and mu keep what a search has found as such links, in a Maildir that may be a folder of the mailbox.
func (p *Plan) linksInside(name string) bool {
	target, err := os.Readlink(name) // fails in an archive, which is no folder
	if !filepath.IsAbs(target) {
		target = filepath.Join(filepath.Dir(name), target)
	}
	dir, unknown := filepath.Abs(filepath.Dir(target))
	root, absent := os.Stat(p.root)
	isOfMaildir := slices.Contains(maildirSubs[:], filepath.Base(dir))
	if errors.Join(err, unknown, absent) != nil || !isOfMaildir || filepath.Dir(target) == filepath.Dir(name) {
		return false
	}
	for above := ""; above != dir; {
		above, dir = dir, filepath.Dir(dir)
		if info, err := os.Stat(dir); err == nil && os.SameFile(info, root) {
			return true
		}
	}
	return false
}

func unreadable(name string, err error) PlanFolder {
	return PlanFolder{Name: name, Use: Use{Label: LeftOut, Reason: fmt.Sprintf("cannot be read: %v", replace.Reason(err))}, Unreadable: true}
}

// Source yields the messages of the ham and spam folders, in the order of the plan.
func (p Plan) Source() Source {
	return func(yield func(Item, error) bool) {
		for _, folder := range p.Folders {
			for _, f := range folder.Files {
				if folder.Label != LeftOut && !yield(f.Item, f.Err) {
					return
				}
			}
		}
	}
}

// Watched returns the folders of the file system whose entries decide what the plan has: true for one of messages, false for one in which
// mail folders may appear. It returns none for a mailbox in an archive.
func (p Plan) Watched() map[string]bool {
	watched := map[string]bool{}
	if _, isSystem := p.fsys.(system); !isSystem {
		return watched
	}
	for _, dir := range p.dirs {
		watched[filepath.Clean(dir)] = false
	}
	for _, f := range p.Folders {
		if f.Label == LeftOut {
			continue
		}
		watched[filepath.Clean(f.path)] = false // cur or new may appear
		for _, sub := range maildirSubs {
			if dir := path.Join(f.path, sub); isFolder(p.fsys, dir) {
				watched[filepath.Clean(dir)] = true
			}
		}
	}
	return watched
}

// Has reports whether a folder of the mailbox has the label.
func (p Plan) Has(label string) bool {
	return slices.ContainsFunc(p.Folders, func(f PlanFolder) bool { return f.Label == label })
}

// mail is that of the mailbox at a path without the folders at the paths apart.
func (p Plan) mail(name string, apart []string) Mail {
	noSpam := !p.Has(Spam)
	for _, name := range apart {
		named, err := os.Stat(name)
		for i := range p.Folders {
			f := &p.Folders[i]
			if info, failed := os.Stat(f.path); err == nil && failed == nil && os.SameFile(info, named) {
				f.Label, f.Reason = LeftOut, "named by itself"
			}
		}
	}
	ham, unseen := 0, 0
	notes := []string{name + ":"}
	for _, f := range p.Folders {
		if f.Label == Ham {
			ham += f.Messages
		}
		if f.Unseen {
			if unseen += f.Messages; f.Messages == 0 {
				continue
			}
		}
		note := fmt.Sprintf("  %-9s %6d  %s", f.Label, f.Messages, f.Name)
		if f.Reason != "" {
			note += " (" + f.Reason + ")"
		}
		notes = append(notes, note)
	}
	if p.Deleted > 0 {
		notes = append(notes, fmt.Sprintf("  %-9s %6d  marked as deleted", LeftOut, p.Deleted))
	}
	return Mail{Source: p.Source(), Notes: notes, NoSpam: noSpam, Unread: ham == 0 && unseen > 0}
}
