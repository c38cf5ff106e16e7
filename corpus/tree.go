package corpus

import (
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
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
// the inbox, and what is to become of it.
type PlanFolder struct {
	Name     string // "INBOX", or as in the file system: ".Junk", ".Lists.golang"
	Role     Role
	Reason   string // why the folder has its role; empty for ordinary ham
	Messages int

	path string
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
}

// MaildirTree looks at a whole mailbox in Maildir++ form: the inbox in cur and new
// of the folder name, and the other folders in subfolders .Name, with .A.B for B
// in A. It only counts messages; Source yields them.
//
// Spam is what .Junk, .Spam and folders with other usual names of that kind hold.
// Left out are deleted mail, also where it is only marked as such (flag T), drafts,
// the outbox, templates, and what has not been seen yet in the inbox, since nobody
// has said what it is. All else is ham, mail that was sent included. Of a name like .A.B the last part decides; if that says
// nothing and the folder is in one that is not ham, it is left out.
func MaildirTree(name string) (Plan, error) {
	dir := filepath.Clean(name)
	entries, err := fs.ReadDir(system{}, dir)
	if err != nil {
		return Plan{}, explain("open", dir, err)
	}
	var plan Plan
	if isMaildir(system{}, dir) {
		plan.Folders = []PlanFolder{
			{Name: "INBOX", Role: Ham, path: dir, part: seenPart},
			{Name: "INBOX", Role: LeftOut, Reason: "not seen yet", path: dir, part: unseenPart},
		}
	}
	for _, e := range entries {
		folder := path.Join(dir, e.Name())
		if isHidden(e.Name()) && isMaildir(system{}, folder) {
			role, why := roleOf(e.Name())
			plan.Folders = append(plan.Folders, PlanFolder{Name: e.Name(), Role: role, Reason: why, path: folder})
		}
	}
	if len(plan.Folders) == 0 {
		err := errors.New("is no Maildir: it has neither cur and new nor a mail folder such as .Junk")
		return Plan{}, explain("open", dir, err)
	}
	for i := range plan.Folders {
		f := &plan.Folders[i]
		files, err := readMaildir(system{}, f.path)
		if err != nil {
			return Plan{}, err
		}
		for _, file := range files {
			switch {
			case f.part.has(file):
				f.Messages++
			case file.deleted() && f.Role != LeftOut:
				plan.Deleted++
			}
		}
	}
	return plan, nil
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
			if f.Role != LeftOut && !f.walk(yield) {
				return
			}
		}
	}
}

func (f PlanFolder) walk(yield func(Item, error) bool) bool {
	return walkMaildir(system{}, f.path, f.Role.String(), func(item Item, err error) bool {
		file := maildirFile{name: path.Base(item.path), sub: path.Base(path.Dir(item.path))}
		if err == nil && !f.part.has(file) {
			return true
		}
		return yield(item, err)
	})
}

// roleOf decides by the name of a subfolder, such as ".INBOX.Spam".
func roleOf(name string) (role Role, why string) {
	parts := strings.Split(strings.TrimPrefix(name, "."), ".")
	last := len(parts) - 1
	if role, why, known := roleOfPart(parts[last]); known {
		return role, why
	}
	for _, p := range parts[:last] {
		if _, why, known := roleOfPart(p); known {
			return LeftOut, "in a folder of " + why
		}
	}
	return Ham, ""
}

// roleOfPart knows the names that mail programs and providers give to folders
// with a job, in the languages they were met in. Case, blanks, hyphens and
// underscores do not count, so that "&APw-" for "ü", which is modified UTF-7 (RFC
// 3501, 5.1.3), has lost its hyphen here.
func roleOfPart(name string) (role Role, why string, known bool) {
	switch strings.NewReplacer(" ", "", "-", "", "_", "").Replace(strings.ToLower(name)) {
	case "junk", "junkemail", "junkmail", "spam", "spammail", "spammails", "bulk", "bulkmail",
		"probablyspam", "spamverdacht", "unerw&apwnscht", "unerwünscht",
		"courrierind&aoksirable", "courrierindésirable", "ind&aoksirables", "indésirables",
		"pourriel", "correonodeseado", "postaindesiderata":
		return Spam, "spam", true
	case "trash", "deleted", "deleteditems", "deletedmessages", "bin", "wastebasket",
		"papierkorb", "gel&apyschteelemente", "gelöschteelemente", "gel&apyscht", "gelöscht",
		"corbeille", "papelera", "cestino":
		return LeftOut, "deleted mail", true
	case "draft", "drafts", "entw&apwrfe", "entwürfe", "brouillons", "borradores", "bozze":
		return LeftOut, "drafts", true
	case "outbox", "unsent", "unsentmessages", "postausgang":
		return LeftOut, "mail to be sent", true
	case "template", "templates", "vorlagen":
		return LeftOut, "templates", true
	}
	return Ham, "", false
}
