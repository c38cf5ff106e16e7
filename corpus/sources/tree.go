package sources

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// Role is the part that the mail of a folder plays in training.
type Role uint8

// The roles.
const (
	LeftOut Role = iota
	Ham
	Spam
)

// String returns "left out", "ham" or "spam"; the last two are also the labels.
func (r Role) String() string {
	switch r {
	case Ham:
		return "ham"
	case Spam:
		return "spam"
	}
	return "left out"
}

// PlanFolder is one row of a Plan: a mail folder, or the seen or unseen part of
// one, and what is to become of it.
type PlanFolder struct {
	// Name is "INBOX", or the path within the mailbox, for people to read:
	// ".Junk", ".Entwürfe", "Lists/golang".
	Name     string
	Role     Role
	Reason   string // why the folder has its role; empty for ordinary ham
	Messages int

	path string // empty if the folder cannot be read
	part part
}

// A part says which messages of a folder a row stands for; never those that are
// marked as deleted.
type part uint8

const (
	wholeFolder part = iota
	seenPart
	unseenPart
)

// Plan is what training on a mailbox would use, folder by folder.
type Plan struct {
	Folders []PlanFolder // the inbox, then the others sorted by name
	Deleted int          // messages of ham and spam folders that are marked as deleted, and so left out

	fsys fs.FS
}

// MaildirTree looks at a whole mailbox of Maildirs: the inbox in cur and new of the
// folder name, and the other mail folders in one of two layouts or in both.
// Maildir++ has them in subfolders .Name, with .A.B for B in A; in the other
// layout, which Dovecot calls fs, they are nested as they are in the mail program,
// A/B, also below the inbox. It only counts messages; Source yields them.
//
// Names are in modified UTF-7 or in UTF-8, composed or not. Spam is what .Junk,
// .Spam and folders with other usual names of that kind hold, in the languages of
// mail programs. Left out are deleted mail, also where it is only marked as such
// (flag T), drafts, the outbox, templates, and what has not been seen yet in an
// inbox or in "All Mail", since nobody has said what it is. All else is ham, mail
// that was sent or archived included. Of a name like .A.B the last part decides; if
// that does not make it spam or leave it out, and the folder is in one that is not
// ham, it is left out. The mailbox may be in a tar or zip archive.
func MaildirTree(name string) (Plan, error) {
	fsys, dir, err := mailFolder(name)
	if err != nil {
		return Plan{}, explain("open", name, err)
	}
	return maildirTree(fsys, dir)
}

func maildirTree(fsys fs.FS, dir string) (Plan, error) {
	if _, err := fs.ReadDir(fsys, dir); err != nil {
		return Plan{}, explain("open", dir, err)
	}
	plan := Plan{fsys: fsys}
	if isMaildir(fsys, dir) {
		plan.add(dir, "INBOX", []string{"INBOX"})
	}
	plan.find(dir, "", nil)
	if len(plan.Folders) == 0 {
		err := errors.New("is no Maildir: it has neither cur and new nor a mail folder such as .Junk")
		return Plan{}, explain("open", dir, err)
	}
	return plan, plan.count()
}

// find adds the mail folders in dir, whose own place in the mailbox is name and,
// folder by folder, parts. One that cannot be read gets a row that says so: a
// folder that is not ours need not keep anybody from training on the others.
func (p *Plan) find(dir, name string, parts []string) {
	entries, err := fs.ReadDir(p.fsys, dir)
	if err != nil {
		p.Folders = append(p.Folders, PlanFolder{Name: name, Reason: fmt.Sprintf("cannot be read: %v", reason(err))})
	}
	for _, e := range entries {
		folder := path.Join(dir, e.Name())
		shown := path.Join(name, readable(e.Name()))
		if isHidden(e.Name()) {
			if isMaildir(p.fsys, folder) {
				p.add(folder, shown, append(parts[:len(parts):len(parts)], dottedParts(e.Name())...))
			}
			continue
		}
		if !e.IsDir() || isMaildirPart(e.Name()) || isIndex(strings.ToLower(e.Name())) {
			continue
		}
		all := append(parts[:len(parts):len(parts)], readable(e.Name()))
		if isMaildir(p.fsys, folder) {
			p.add(folder, shown, all)
		}
		p.find(folder, shown, all)
	}
}

func isMaildirPart(name string) bool { return name == "cur" || name == "new" || name == "tmp" }

// dottedParts takes the name of a Maildir++ folder apart. It is split before it is
// decoded, as the dot that divides is never encoded.
func dottedParts(name string) []string {
	parts := strings.Split(strings.TrimPrefix(name, "."), ".")
	for i, p := range parts {
		parts[i] = readable(p)
	}
	return parts
}

// readable decodes the name of a folder.
//
// QUIRK: macOS keeps file names decomposed, "u" and two dots for "ü". See
// TestNamesOfFoldersAreShownDecoded.
func readable(name string) string { return norm.NFC.String(decodeMUTF7(name)) }

// add adds the rows of the mail folder at dir.
func (p *Plan) add(dir, name string, parts []string) {
	if isIncoming(parts[len(parts)-1]) {
		p.Folders = append(p.Folders,
			PlanFolder{Name: name, Role: Ham, path: dir, part: seenPart},
			PlanFolder{Name: name, Role: LeftOut, Reason: "not seen yet", path: dir, part: unseenPart})
		return
	}
	role, why := roleOf(parts)
	p.Folders = append(p.Folders, PlanFolder{Name: name, Role: role, Reason: why, path: dir})
}

// count counts the messages of all rows.
func (p *Plan) count() error {
	for i := range p.Folders {
		f := &p.Folders[i]
		if f.path == "" {
			continue // it cannot be read
		}
		files, err := readMaildir(p.fsys, f.path)
		if err != nil {
			return err
		}
		for _, file := range files {
			switch {
			case f.part.has(file):
				f.Messages++
			case file.deleted() && f.Role != LeftOut:
				p.Deleted++
			}
		}
	}
	return nil
}

func (p part) has(file maildirFile) bool {
	return !file.deleted() && (p == wholeFolder || file.unseen() == (p == unseenPart))
}

// Source lists the messages of the folders that are ham or spam, in the order of
// the plan. The folders are looked at again: a message that has come since they
// were counted is listed too.
func (p Plan) Source() Source {
	return func(yield func(Item, error) bool) {
		for _, f := range p.Folders {
			if f.Role != LeftOut && !f.walk(orSystem(p.fsys), yield) {
				return
			}
		}
	}
}

func (f PlanFolder) walk(fsys fs.FS, yield func(Item, error) bool) bool {
	return walkMaildir(fsys, f.path, f.Role.String(), func(item Item, err error) bool {
		file := maildirFile{name: path.Base(item.Origin), sub: path.Base(path.Dir(item.Origin))}
		if err == nil && !f.part.has(file) {
			return true
		}
		return yield(item, err)
	})
}
