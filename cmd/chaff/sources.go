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
	"chaff/filter"
	"chaff/internal/hint"
	"chaff/internal/screen"
)

// sourceFlags are the flags that name labelled mail.
type sourceFlags struct {
	ham, spam, maildirs, indexes, folders, lists, tables []string
	format, textColumn, labelColumn                      string
}

func (s *sourceFlags) add(c *cobra.Command) {
	f := c.Flags()
	f.StringArrayVar(&s.spam, "spam", nil, "spam at `PATH`: a Maildir, an mbox, a folder of messages (also of MH, Thunderbird or Apple Mail), one message, or a tar or zip archive of these, compressed or not; repeatable")
	f.StringArrayVar(&s.ham, "ham", nil, "ham at `PATH`, in the same formats")
	f.StringArrayVar(&s.maildirs, "maildir", nil, "a mailbox of Maildirs at `PATH`; its junk folders are spam, the others ham")
	f.StringArrayVar(&s.indexes, "trec", nil, "an index `FILE` with lines `spam path` and `ham path`")
	addFormat(c, &s.format, "what is at --ham and --spam")
	f.StringArrayVar(&s.folders, "folders", nil, "a folder at `PATH` with a subfolder for each class")
	f.StringArrayVar(&s.lists, "list", nil, "a list `FILE` with lines `ham:path` and `spam:path`; a path is anything that --ham accepts")
	f.StringArrayVar(&s.tables, "table", nil, "a table `FILE` of short messages in CSV, TSV or JSON, with a message and its label in each row")
	f.StringVar(&s.textColumn, "text-column", "", "the column of the texts in a table, by `NAME` or number; default: a usual name")
	f.StringVar(&s.labelColumn, "label-column", "", "the column of the labels in a table, by `NAME` or number; default: a usual name")
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
	opened  []corpus.Source
}

// spamClasses returns the classes of a spam filter. In this order, the score is that of spam over ham.
func spamClasses() []string { return []string{sources.Ham.String(), sources.Spam.String()} }

// open opens all sources. Their messages come in the order ham, spam, mailboxes, indexes, lists, tables, folders.
func (s *sourceFlags) open() (labelled, error) {
	all := labelled{classes: spamClasses()}
	if s.format != "" && len(s.ham)+len(s.spam) == 0 {
		return all, errors.New("--format needs --ham or --spam")
	}
	if len(s.tables) == 0 && s.textColumn+s.labelColumn != "" {
		return all, errors.New("--text-column and --label-column need --table")
	}
	for _, kind := range []struct {
		paths []string
		open  func(path string) error
	}{
		{s.ham, func(path string) error { return all.openPath(path, sources.Ham, s.format) }},
		{s.spam, func(path string) error { return all.openPath(path, sources.Spam, s.format) }},
		{s.maildirs, all.openMaildirs},
		{s.indexes, func(path string) error { return all.openList(path, "index", sources.OpenTREC) }},
		{s.lists, func(path string) error { return all.openList(path, "list", sources.OpenList) }},
		{s.tables, func(path string) error {
			return all.openTable(path, sources.TableOptions{Text: s.textColumn, Label: s.labelColumn})
		}},
		{s.folders, all.openFolders},
	} {
		for _, path := range kind.paths {
			if err := kind.open(path); err != nil {
				return all, err
			}
		}
	}
	if len(all.opened) == 0 {
		return all, hint.With(errors.New("no mail given"), "name some: --maildir ~/Maildir, or --ham PATH and --spam PATH")
	}
	all.source = corpus.Concat(all.opened...)
	return all, nil
}

// add adds a source, unless opening it failed.
func (l *labelled) add(source corpus.Source, err error, notes ...string) error {
	if err == nil {
		l.opened, l.notes = append(l.opened, source), append(l.notes, notes...)
	}
	return err
}

func (l *labelled) openPath(path string, label sources.Role, format string) error {
	source, found, err := sources.Open(path, label.String(), sources.Format(format))
	return l.add(source, err, fmt.Sprintf("%s: %s (%s), all %s", path, found.Format, found.Why, label))
}

func (l *labelled) openMaildirs(path string) error {
	plan, err := sources.MaildirTree(path)
	return l.add(plan.Source(), err, planNotes(path, plan)...)
}

func (l *labelled) openList(path, kind string, open func(path string) (corpus.Source, error)) error {
	source, err := open(path)
	return l.add(source, err, path+": "+kind)
}

func (l *labelled) openTable(path string, o sources.TableOptions) error {
	table, err := sources.OpenTable(path, o)
	if errors.Is(err, sources.ErrColumns) {
		err = hint.With(err, "name them: --text-column NAME and --label-column NAME, or their numbers")
	}
	if err == nil {
		err = l.setClasses(path, table.Classes)
	}
	return l.add(table.Source(), err, tableNote(path, table))
}

func (l *labelled) openFolders(path string) error {
	classes, err := sources.ClassFolders(path)
	if err == nil {
		err = l.setClasses(path, classes.Names)
	}
	return l.add(classes.Source(), err, fmt.Sprintf("%s: classes %q; files beside them, left out: %d", path, classes.Names, classes.LeftOut))
}

// setClasses sets the classes to those of the mail at path. Mail that is open already must have the same classes.
func (l *labelled) setClasses(path string, classes []string) error {
	if sameClasses(classes, l.classes) {
		return nil
	}
	if len(l.opened) > 0 {
		return fmt.Errorf("%s has the classes %q, the other mail %q: they cannot be trained together", path, classes, l.classes)
	}
	l.classes = classes
	return nil
}

// match returns an error if the model at path has other classes than the mail.
func (l labelled) match(path string, f *filter.Filter) error {
	if classes := f.Settings().Classes; !sameClasses(l.classes, classes) {
		return fmt.Errorf("the mail has the classes %q, the model %s has %q", l.classes, path, classes)
	}
	return nil
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

func (l labelled) print(w io.Writer) {
	for _, note := range l.notes {
		screen.Printf(w, "%s\n", screen.Quoted(note))
	}
}

func tableNote(path string, t sources.Table) string {
	note := fmt.Sprintf("%s: table, text in %q, label in %q", path, t.Text, t.Label)
	if t.Subject != "" {
		note += fmt.Sprintf(", subject in %q", t.Subject)
	}
	return note + fmt.Sprintf(", classes %q", t.Classes)
}
