package sources

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
)

// ErrNoLabel reports mail whose class nobody has said, and neither its name nor its contents say.
var ErrNoLabel = errors.New("neither its name nor its contents say whether this is ham or spam")

// Recognise returns the format of labelled mail at the path name, or the label that its name gives to all mail there:
//
//   - a folder or archive of Maildirs with a folder for spam is a mailbox
//   - a folder or archive with no subfolders but those of ham and spam has folders for both classes; see HamAndSpam
//   - a file whose first line is "spam PATH" or "ham PATH" is an index, and one with "spam:PATH" or "ham:PATH" is a list
//   - an mbox that Gmail has exported has labels in its messages
//   - a file NAME.csv or .tsv is a table
//   - anything else is what its name says: spam for junk.mbox, .Junk or spam-2, ham for inbox or easy-ham
//   - a Maildir whose name says nothing is a mailbox without a folder for spam
//
// The error is that of Detect, [ErrNoLabel], or a [message.NoMail] for a file without a label because it is no mail.
func Recognise(name string) (f Format, label string, err error) {
	found, err := Detect(name)
	if err != nil {
		return "", "", err
	}
	noLabel := fmt.Errorf("%s: %w", name, ErrNoLabel)
	label = labelOfName(name)
	if found.Format != Tar && found.Format != Zip && !found.Format.ofFolder() {
		if is, err := isGmail(name); is || err != nil {
			return Gmail, "", err
		}
		if f = formatOfLines(name); f != "" {
			return f, "", nil
		}
		if label == "" { // what is no mail has no label whatever its name
			_, _, err = Open(name, "", "")
			return "", "", cmp.Or(err, noLabel)
		}
		return "", label, nil
	}
	plan, noMailbox := MaildirTree(name)
	if noMailbox == nil && plan.Has(Spam) {
		return Mailbox, "", nil
	}
	if _, ok := HamAndSpam(name); ok {
		return HamSpam, "", nil
	}
	switch {
	case label != "":
		return "", label, nil
	case noMailbox != nil:
		return "", "", noLabel
	}
	return Mailbox, "", nil
}

// formatOfLines returns the format that the extension of a file or its first line shows.
func formatOfLines(name string) Format {
	switch filepath.Ext(withoutPacking(strings.ToLower(name))) {
	case ".csv", ".tsv":
		return CSV
	}
	f, err := openPlain(nil, name)
	if err != nil {
		return ""
	}
	defer f.Close()
	read := bufio.NewScanner(f)
	for read.Scan() {
		line := strings.TrimSpace(strings.TrimPrefix(read.Text(), byteOrderMark))
		if line == "" || line[0] == '#' {
			continue
		}
		if _, _, err := parseListLine(line); err == nil {
			return List
		}
		if _, _, err := parseIndexLine(line); err == nil {
			return Index
		}
		break
	}
	return ""
}

// labelOfName returns Ham, Spam or "" for the last name of a path. A whole name that mail programs give to a folder decides first, then its
// words, unless they contradict each other: spam-2 is spam, not-spam and ham-and-spam are nothing.
func labelOfName(name string) string {
	if full, err := filepath.Abs(name); err == nil {
		name = full
	}
	name = withoutPacking(strings.ToLower(filepath.Base(name)))
	for _, ending := range []string{".mbox", ".mbx", ".eml", ".emlx", ".txt", ".tar", ".tgz", ".zip"} {
		name = strings.TrimSuffix(name, ending)
	}
	parts := dottedParts(name)
	names := readFolderNames()
	if label, known := names.said(parts[len(parts)-1]); known {
		return label
	}
	found := ""
	for word := range strings.FieldsFuncSeq(readable(name), func(r rune) bool { return !unicode.IsLetter(r) }) {
		label, known := names.said(word)
		switch {
		case word == "not" || word == "no" || word == "non", found != "" && known && label != found:
			return ""
		case known:
			found = label
		}
	}
	return found
}

// said returns the label that the name of a folder gives to the mail in it. It is not known for a name that mail programs do not use.
func (names folderNames) said(name string) (label string, known bool) {
	if foldName(name) == Ham {
		return Ham, true
	}
	holds, known := names[foldName(name)]
	switch holds {
	case "spam":
		return Spam, true
	case incomingMail, sentMail, "archive":
		return Ham, true
	}
	return "", known
}

// Has reports whether a folder of the mailbox has the role.
func (p Plan) Has(label string) bool {
	return slices.ContainsFunc(p.Folders, func(f PlanFolder) bool { return f.Label == label })
}

// Unread reports whether the mailbox has no ham but unseen messages, which are left out.
func (p Plan) Unread() bool {
	unseen := 0
	for _, f := range p.Folders {
		if f.Label == Ham && f.Messages > 0 {
			return false
		}
		if f.part == unseenPart {
			unseen += f.Messages
		}
	}
	return unseen > 0
}

// LeaveOut leaves out the mail folder at the path name, for the given reason. It does nothing if that is no folder of the mailbox.
func (p *Plan) LeaveOut(name, reason string) {
	named, err := os.Stat(name)
	if _, isSystem := orSystem(p.fsys).(system); err != nil || !isSystem {
		return
	}
	for i := range p.Folders {
		f := &p.Folders[i]
		if info, err := os.Stat(f.path); err == nil && os.SameFile(info, named) {
			f.Label, f.Reason = LeftOut, reason
		}
	}
}
