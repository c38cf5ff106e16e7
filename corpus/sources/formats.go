package sources

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
)

// Format is a way to keep mail.
type Format string

// The formats that are found at a path, whose messages get one label.
const (
	Maildir     Format = "maildir"     // a folder with cur and new in it
	MH          Format = "mh"          // a folder of messages named by numbers
	Thunderbird Format = "thunderbird" // a folder of mbox files with their indexes
	Folder      Format = "folder"      // a folder in which every file is one message
	Mbox        Format = "mbox"        // a file of messages, each after a From_ line
	Message     Format = "message"     // a file that is one message
	Archive     Format = "archive"     // a tar or zip archive, read like a folder
)

// The formats of labelled mail.
const (
	Mailbox    Format = "mailbox"      // a mailbox of Maildirs; see MaildirTree
	HamSpam    Format = "ham and spam" // a folder with subfolders of ham and spam
	Subfolders Format = "folders"      // a folder with a subfolder for each class
	Index      Format = "index"        // an index of the TREC spam track: lines "spam PATH" and "ham PATH"
	Gmail      Format = "gmail"        // an mbox that Gmail has exported
	CSV        Format = "table"        // a table of messages, separated by commas, semicolons or tabs
)

// A kind says what has a format.
type kind string

const (
	ofFolder kind = "folder"
	ofFile   kind = "file"
	labelled kind = "labelled mail"
)

// formatRow is a row of the table of formats.
type formatRow struct {
	format Format
	kind   kind
	open   func(p *place, o Options) (Mail, error)
}

func formatTable() []formatRow {
	return []formatRow{
		{Maildir, ofFolder, (*place).openAll},
		{MH, ofFolder, (*place).openAll},
		{Thunderbird, ofFolder, (*place).openAll},
		{Folder, ofFolder, (*place).openAll},
		{Mbox, ofFile, (*place).openAll},
		{Message, ofFile, (*place).openAll},
		{Archive, ofFile, (*place).openAll},
		{Mailbox, labelled, (*place).openMailbox},
		{HamSpam, labelled, (*place).openHamAndSpam},
		{Subfolders, labelled, (*place).openClasses},
		{Index, labelled, (*place).openIndex},
		{Gmail, labelled, (*place).openGmail},
		{CSV, labelled, (*place).openTable},
	}
}

// Formats returns the formats whose messages get one label: those of folders, then those of files.
func Formats() []string { return formatsOf(ofFolder, ofFile) }

func formatsOf(kinds ...kind) (names []string) {
	for _, row := range formatTable() {
		if slices.Contains(kinds, row.kind) {
			names = append(names, string(row.format))
		}
	}
	return names
}

// row returns the row of a format; for none, that of a format without labels.
func (f Format) row() formatRow {
	for _, row := range formatTable() {
		if row.format == f {
			return row
		}
	}
	return formatRow{f, "", (*place).openAll}
}

// Options say what is known of labelled mail.
type Options struct {
	Format Format   // empty: what is found or recognised
	Label  string   // of all messages; empty: what the mail says itself
	Apart  []string // folders of a mailbox that are left out, since they are named by themselves
}

// Mail is labelled mail that was opened.
type Mail struct {
	Source   Source
	Classes  []string
	Notes    []string // what was found, for people
	Warnings []string
	NoSpam   bool // a mailbox without a folder for spam
	Unread   bool // a mailbox without ham but unseen messages, which are left out
}

// OpenLabelled opens the labelled mail at a path. The error wraps [ErrNoLabel] if the options can help.
func OpenLabelled(path string, o Options) (Mail, error) {
	p, err := find(system{}, path, nil)
	if err != nil {
		return Mail{}, err
	}
	row := o.Format.row()
	if row.kind != labelled && o.Label == "" {
		format, label, err := p.recognise()
		if err != nil {
			return Mail{}, err
		}
		if o.Label = label; format != "" {
			row = format.row()
		}
	}
	return row.open(p, o)
}

// openAll opens mail of one label. It warns if labels of Gmail say otherwise.
func (p *place) openAll(o Options) (Mail, error) {
	source, err := p.source(o.Label, o.Format)
	if err != nil {
		return Mail{}, err
	}
	mail := Mail{Source: source, Notes: []string{fmt.Sprintf("%s: %s, all %s", p.path, p.format, o.Label)}}
	counts := map[string]int{}
	if o.Label == Ham || o.Label == Spam {
		counts = p.countGmail()
	}
	var others []string
	for _, label := range []string{Ham, Spam, LeftOut} {
		if counts[label] > 0 && label != o.Label {
			others = append(others, gmailCount(counts, label))
		}
	}
	if len(others) > 0 {
		mail.Warnings = []string{fmt.Sprintf("%s: X-Gmail-Labels has %s, and --%s takes them for %s; the path without a flag goes by the labels",
			p.path, strings.Join(others, " and "), o.Label, o.Label)}
	}
	return mail, nil
}

// ErrNoLabel reports mail whose class nobody has said, and neither its name nor its contents say.
var ErrNoLabel = errors.New("neither its name nor its contents say whether this is ham or spam")

// recognise returns the format of labelled mail, or the label that its name gives to all mail there:
//
//   - a folder or archive of Maildirs with a folder for spam is a mailbox
//   - a folder or archive with no subfolders but those of ham and spam has folders for both classes
//   - a file whose first line is "spam PATH" or "ham PATH" is an index
//   - an mbox that Gmail has exported has labels in its messages
//   - a file NAME.csv or .tsv is a table
//   - anything else is what its name says: spam for junk.mbox, .Junk or spam-2, ham for inbox or easy-ham
//   - a Maildir whose name says nothing is a mailbox without a folder for spam
//
// The error is [ErrNoLabel], or a [message.NoMail] for a file without a label because it is no mail.
func (p *place) recognise() (f Format, label string, err error) {
	label = labelOfName(p.path)
	if !p.isFolder() {
		line, _, _ := strings.Cut(strings.TrimSpace(strings.TrimPrefix(string(p.head), byteOrderMark)), "\n")
		_, _, noIndex := parseIndexLine(strings.TrimSpace(line))
		switch {
		case p.isGmail():
			return Gmail, "", nil
		case hasSuffix(withoutPacking(strings.ToLower(p.name)), ".csv", ".tsv"):
			return CSV, "", nil
		case noIndex == nil:
			return Index, "", nil
		case label == "" && p.noMail != nil: // it has no label whatever its name
			return "", "", explain("open", p.path, p.noMail)
		}
	} else {
		plan, noMailbox := p.plan()
		_, isBoth := p.hamAndSpam()
		switch {
		case noMailbox == nil && plan.Has(Spam):
			return Mailbox, "", nil
		case isBoth:
			return HamSpam, "", nil
		case noMailbox == nil && label == "":
			return Mailbox, "", nil
		}
	}
	if label == "" {
		err = fmt.Errorf("%s: %w", p.path, ErrNoLabel)
	}
	return "", label, err
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
	if label, known := said(parts[len(parts)-1]); known {
		return label
	}
	found := ""
	for word := range strings.FieldsFuncSeq(readable(name), func(r rune) bool { return !unicode.IsLetter(r) }) {
		label, known := said(word)
		switch {
		case word == "not" || word == "no" || word == "non", found != "" && known && label != found:
			return ""
		case known:
			found = label
		}
	}
	return found
}

// said returns the label that a name gives to mail, and whether it is the name of a folder in mail programs, such as that of the trash.
func said(name string) (label string, known bool) {
	label, _ = labelOf(name)
	known = foldName(name) == Ham || folderNames()[foldName(name)] != ""
	if label == LeftOut || !known {
		label = ""
	}
	return label, known
}
