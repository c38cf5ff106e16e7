package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"chaff/corpus"
	"chaff/corpus/sources"
	"chaff/internal/hint"
	"chaff/internal/screen"
)

// sourceFlags are the flags that name labelled mail.
type sourceFlags struct {
	ham, spam, maildirs, indexes, folders []string
	format                                string
	tableFlags
}

func (s *sourceFlags) add(c *cobra.Command) {
	f := c.Flags()
	f.StringArrayVar(&s.spam, "spam", nil, "spam at `PATH`: a Maildir, an mbox, a folder of messages (also of MH, Thunderbird or Apple Mail), one message, or a tar or zip archive of these, compressed or not; repeatable")
	f.StringArrayVar(&s.ham, "ham", nil, "ham at `PATH`, in the same formats")
	f.StringArrayVar(&s.maildirs, "maildir", nil, "a mailbox of Maildirs at `PATH`; its junk folders are spam, the others ham")
	f.StringArrayVar(&s.indexes, "trec", nil, "an index `FILE` with lines `spam path` and `ham path`")
	addFormat(c, &s.format, "what is at --ham and --spam")
	f.StringArrayVar(&s.folders, "folders", nil, "a folder at `PATH` with a subfolder for each class")
	s.tableFlags.add(c)
}

// addFormat adds the flag --format for the paths that what names.
func addFormat(c *cobra.Command, format *string, what string) {
	names := make([]string, 0, len(sources.Formats()))
	for _, known := range sources.Formats() {
		names = append(names, string(known))
	}
	c.Flags().StringVar(format, "format", "", fmt.Sprintf("read %s as `NAME`: %s", what, strings.Join(names, ", ")))
}

// labelled is mail with the names of its classes.
type labelled struct {
	source  corpus.Source
	classes []string
	notes   []string // printed before the mail is read
}

// spamClasses returns the classes of a spam filter. In this order, the score is that of spam over ham.
func spamClasses() []string { return []string{sources.Ham.String(), sources.Spam.String()} }

// open opens all sources. Their messages come in the order ham, spam, mailboxes, indexes, lists, tables, folders.
func (s *sourceFlags) open() (labelled, error) {
	all := labelled{classes: spamClasses()}
	if s.format != "" && len(s.ham)+len(s.spam) == 0 {
		return all, errors.New("--format needs --ham or --spam")
	}
	var opened []corpus.Source
	for _, paths := range []struct {
		label sources.Role
		paths []string
	}{{sources.Ham, s.ham}, {sources.Spam, s.spam}} {
		for _, path := range paths.paths {
			source, found, err := sources.Open(path, paths.label.String(), sources.Format(s.format))
			if err != nil {
				return all, err
			}
			opened = append(opened, source)
			all.notes = append(all.notes, fmt.Sprintf("%s: %s (%s), all %s", path, found.Format, found.Why, paths.label))
		}
	}
	for _, path := range s.maildirs {
		plan, err := sources.MaildirTree(path)
		if err != nil {
			return all, err
		}
		opened = append(opened, plan.Source())
		all.notes = append(all.notes, planNotes(path, plan)...)
	}
	indexes, err := all.openLists(s.indexes, "index", sources.OpenTREC)
	if err != nil {
		return all, err
	}
	opened = append(opened, indexes...)
	more, err := s.tableFlags.open(&all, len(opened) > 0)
	if err != nil {
		return all, err
	}
	opened = append(opened, more...)
	spamOnly := len(opened) > 0
	for _, path := range s.folders {
		classes, err := sources.ClassFolders(path)
		if err != nil {
			return all, err
		}
		switch {
		case sameClasses(classes.Names, all.classes):
		case spamOnly:
			return all, fmt.Errorf("%s has the classes %q, the other mail %q: they cannot be trained together", path, classes.Names, all.classes)
		default:
			all.classes = classes.Names
		}
		spamOnly = true
		opened = append(opened, classes.Source())
		all.notes = append(all.notes, fmt.Sprintf("%s: classes %q; files beside them, left out: %d", path, classes.Names, classes.LeftOut))
	}
	if len(opened) == 0 {
		return all, hint.With(errors.New("no mail given"), "name some: --maildir ~/Maildir, or --ham PATH and --spam PATH")
	}
	all.source = corpus.Concat(opened...)
	return all, nil
}

// sameClasses compares two lists of classes without order.
func sameClasses(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

func planNotes(path string, plan sources.Plan) []string {
	notes := []string{path + ":"}
	for _, f := range plan.Folders {
		note := fmt.Sprintf("  %-9s %6d  %s", f.Role, f.Messages, f.Name)
		if f.Reason != "" {
			note += " (" + f.Reason + ")"
		}
		notes = append(notes, note)
	}
	if plan.Deleted > 0 {
		notes = append(notes, fmt.Sprintf("  %-9s %6d  marked as deleted", sources.LeftOut, plan.Deleted))
	}
	return notes
}

// print prints the notes about the sources.
func (l labelled) print(w io.Writer) {
	for _, note := range l.notes {
		screen.Printf(w, "%s\n", screen.Quoted(note))
	}
}
