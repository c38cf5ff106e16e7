package sources

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Format is a way to keep mail.
type Format string

// The formats that Detect knows, whose messages get one label.
const (
	Maildir     Format = "maildir"     // a folder with cur and new in it
	MH          Format = "mh"          // a folder of messages named by numbers
	Thunderbird Format = "thunderbird" // a folder of mbox files with their indexes
	AppleMail   Format = "applemail"   // a folder NAME.mbox of Apple Mail
	Folder      Format = "folder"      // a folder in which every file is one message
	Mbox        Format = "mbox"        // a file of messages, each after a From_ line
	Emlx        Format = "emlx"        // a file with one message of Apple Mail
	Message     Format = "message"     // a file that is one message
	Tar         Format = "tar"         // a tar archive, read like a folder
	Zip         Format = "zip"         // a zip archive, read like a folder
)

// The formats that Recognise knows, whose messages have labels.
const (
	Mailbox    Format = "mailbox"      // a mailbox of Maildirs; see MaildirTree
	HamSpam    Format = "ham and spam" // a folder with subfolders of ham and spam; see HamAndSpam
	Subfolders Format = "folders"      // a folder with a subfolder for each class; see ClassFolders
	Index      Format = "index"        // an index of the TREC spam track; see OpenTREC
	Gmail      Format = "gmail"        // an mbox of Gmail; see OpenGmail
	List       Format = "list"         // a list of labelled paths; see OpenList
	CSV        Format = "table"        // a table of messages, separated by commas or tabs; see OpenTable
)

// Formats returns the formats that Detect knows: those of folders, then those of files.
func Formats() []string {
	return []string{"maildir", "mh", "thunderbird", "applemail", "folder", "mbox", "emlx", "message", "tar", "zip"}
}

const folderFormats = 5 // how many of Formats are of folders

func (f Format) ofFolder() bool { return slices.Contains(Formats()[:folderFormats], string(f)) }

// Options say what is known of labelled mail.
type Options struct {
	Format Format // empty: what is detected or recognised
	Label  string // of all messages; empty: what the mail says itself, see Recognise
	Table  TableOptions
	Apart  []LabelledPath // folders of a mailbox that are left out, since they are named by themselves
}

// LabelledPath is a path that is named for mail of one label.
type LabelledPath struct{ Path, Label string }

// Mail is labelled mail that was opened.
type Mail struct {
	Source   Source
	Format   Format
	Classes  []string
	Notes    []string // what was found, for people
	Warnings []string
	NoSpam   bool // a mailbox without a folder for spam
	Unread   bool // a mailbox without ham but unseen messages, which are left out
}

// opener opens labelled mail of one format.
type opener func(path string, o Options) (Mail, error)

// openers has the one way to open each format with labels.
func openers() map[Format]opener {
	return map[Format]opener{
		Mailbox:    openMailbox,
		HamSpam:    func(path string, _ Options) (Mail, error) { c, _ := HamAndSpam(path); return c.mail(path), nil },
		Subfolders: func(path string, _ Options) (Mail, error) { c, err := ClassFolders(path); return c.mail(path), err },
		Index:      openLabels(OpenTREC),
		List:       openLabels(OpenList),
		Gmail:      openGmail,
		CSV:        openCSV,
	}
}

// OpenLabelled opens the labelled mail at a path. The error wraps [ErrNoLabel] or [ErrColumns] if the options can help.
func OpenLabelled(path string, o Options) (Mail, error) {
	open := openers()[o.Format]
	if open == nil && o.Label == "" {
		f, label, err := Recognise(path)
		if err != nil {
			return Mail{}, err
		}
		o.Label, open = label, openers()[f]
		if open != nil {
			o.Format = f
		}
	}
	if open == nil {
		return openAll(path, o)
	}
	mail, err := open(path, o)
	mail.Format = o.Format
	return mail, err
}

// openAll opens mail of one label. It warns if labels of Gmail say otherwise.
func openAll(path string, o Options) (Mail, error) {
	source, found, err := Open(path, o.Label, o.Format)
	if err != nil {
		return Mail{}, err
	}
	mail := Mail{Source: source, Format: found.Format, Notes: []string{fmt.Sprintf("%s: %s (%s), all %s", path, found.Format, found.Why, o.Label)}}
	gmail, counts, err := OpenGmail(path)
	if gmail == nil || o.Label != Ham && o.Label != Spam {
		return mail, err
	}
	var others []string
	for _, label := range []string{Ham, Spam, LeftOut} {
		if n := counts[label]; n > 0 && label != o.Label {
			others = append(others, fmt.Sprintf("%d %s", n, gmailWords(label)))
		}
	}
	if len(others) > 0 {
		mail.Warnings = []string{fmt.Sprintf("%s: X-Gmail-Labels has %s, and --%s takes them for %s; the path without a flag goes by the labels",
			path, strings.Join(others, " and "), o.Label, o.Label)}
	}
	return mail, nil
}

// gmailWords says what labels of Gmail mean that give a message a label.
func gmailWords(label string) string {
	if label == LeftOut {
		return "in Sent, Drafts or Trash"
	}
	return label
}

func openGmail(path string, _ Options) (Mail, error) {
	source, counts, err := OpenGmail(path)
	note := path + ": mbox with X-Gmail-Labels"
	for _, label := range []string{LeftOut, Ham, Spam} {
		note += fmt.Sprintf(", %d %s", counts[label], gmailWords(label))
	}
	return Mail{Source: source, Notes: []string{note}}, err
}

func openLabels(open func(path string) (Source, error)) opener {
	return func(path string, o Options) (Mail, error) {
		source, err := open(path)
		return Mail{Source: source, Notes: []string{path + ": " + string(o.Format)}}, err
	}
}

func openMailbox(path string, o Options) (Mail, error) {
	plan, err := MaildirTree(path)
	if err != nil {
		return Mail{}, err
	}
	for _, apart := range o.Apart {
		plan.LeaveOut(apart.Path, "named by --"+apart.Label)
	}
	notes := []string{path + ":"}
	for _, f := range plan.Folders {
		note := fmt.Sprintf("  %-9s %6d  %s", f.Label, f.Messages, f.Name)
		if f.Reason != "" {
			note += " (" + f.Reason + ")"
		}
		notes = append(notes, note)
	}
	if plan.Deleted > 0 {
		notes = append(notes, fmt.Sprintf("  %-9s %6d  marked as deleted", LeftOut, plan.Deleted))
	}
	return Mail{Source: plan.Source(), Notes: notes, NoSpam: !plan.Has(Spam), Unread: plan.Unread()}, nil
}

// mail returns the mail of the folder at a path.
func (c Classes) mail(path string) Mail {
	note := fmt.Sprintf("%s: a folder for each class: %s", path, strings.Join(c.Names, ", "))
	if c.LeftOut > 0 {
		files := "files"
		if c.LeftOut == 1 {
			files = "file"
		}
		note += fmt.Sprintf("; left out: %d %s beside them", c.LeftOut, files)
	}
	notes := []string{note}
	for _, f := range c.Folders {
		if c.byNames && (len(c.Folders) > 2 || filepath.Base(f.Path) != f.Class) {
			notes = append(notes, fmt.Sprintf("  %-9s %s", f.Class, f.Path))
		}
	}
	return Mail{Source: c.Source(), Classes: c.Names, Notes: notes}
}

func openCSV(path string, o Options) (Mail, error) {
	t, err := OpenTable(path, o.Table)
	note := fmt.Sprintf("%s: table, text in %q, label in %q", path, t.Text, t.Label)
	if t.Subject != "" {
		note += fmt.Sprintf(", subject in %q", t.Subject)
	}
	return Mail{Source: t.Source(), Classes: t.Classes, Notes: []string{note + ", classes " + strings.Join(t.Classes, ", ")}}, err
}
