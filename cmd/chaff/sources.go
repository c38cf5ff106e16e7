package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
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
	f.StringArrayVar(&s.spam, "spam", nil, "spam at `PATH`: a folder, mbox, message or archive; repeatable")
	f.StringArrayVar(&s.ham, "ham", nil, "ham at `PATH`")
	f.StringArrayVar(&s.maildirs, "maildir", nil, "a mailbox of Maildirs at `PATH`: its junk folders are spam, the others ham")
	f.StringArrayVar(&s.indexes, "trec", nil, "an index `FILE` with lines \"spam path\" and \"ham path\"")
	addFormat(c, &s.format, "what is at --ham and --spam")
	f.StringArrayVar(&s.folders, "folders", nil, "a folder at `PATH` with a subfolder for each class")
	f.StringArrayVar(&s.lists, "list", nil, "a list `FILE` with lines \"ham:path\" and \"spam:path\"")
	f.StringArrayVar(&s.tables, "table", nil, "a table `FILE` (CSV, TSV): a message and its label in each row")
	s.addColumns(c)
	completePaths(c, "spam", "ham", "maildir", "folders")
	c.ValidArgsFunction = mailFolders
}

// addColumns adds the flags for the columns of a table.
func (s *sourceFlags) addColumns(c *cobra.Command) {
	c.Flags().StringVar(&s.textColumn, "text-column", "", "the column of texts in a table, by `NAME` or number")
	c.Flags().StringVar(&s.labelColumn, "label-column", "", "the column of labels in a table, by `NAME` or number")
}

// addFormat adds the flag --format for the paths that what names.
func addFormat(c *cobra.Command, format *string, what string) {
	names := sources.Formats()
	c.Flags().StringVar(format, "format", "", fmt.Sprintf("read %s as `NAME`: %s", what, strings.Join(names, ", ")))
	completeValues(c, "format", names...)
}

// labelled is mail with the names of its classes.
type labelled struct {
	source   corpus.Source
	classes  []string
	notes    []string // printed before the mail is read, as are the warnings
	warnings []string
	opened   []corpus.Source
	reads    []place
	noJunk   string // a mailbox without a folder for spam
	unread   string // a mailbox whose ham nobody has read, so that it is left out
}

// spamClasses returns the classes of a spam filter. In this order, the score is that of spam over ham.
func spamClasses() []string { return []string{sources.Ham, sources.Spam} }

// open opens all sources: those of the flags in the order ham, spam, mailboxes, indexes, lists, tables, folders, and then the paths
// without a flag.
func (s *sourceFlags) open(paths []string) (labelled, error) {
	all := labelled{classes: spamClasses()}
	if s.format != "" && len(s.ham)+len(s.spam)+len(paths) == 0 {
		return all, errors.New("--format needs --ham, --spam or a path")
	}
	if len(s.tables)+len(paths) == 0 && s.textColumn+s.labelColumn != "" {
		return all, errors.New("--text-column and --label-column need --table")
	}
	if err := s.checkBoth(); err != nil {
		return all, err
	}
	o := sources.Options{Table: sources.TableOptions{Text: s.textColumn, Label: s.labelColumn}}
	for _, path := range s.ham {
		o.Apart = append(o.Apart, sources.LabelledPath{Path: path, Label: sources.Ham})
	}
	for _, path := range s.spam {
		o.Apart = append(o.Apart, sources.LabelledPath{Path: path, Label: sources.Spam})
	}
	for _, kind := range []struct {
		paths  []string
		label  string
		format sources.Format
	}{
		{s.ham, sources.Ham, sources.Format(s.format)},
		{s.spam, sources.Spam, sources.Format(s.format)},
		{s.maildirs, "", sources.Mailbox},
		{s.indexes, "", sources.Index},
		{s.lists, "", sources.List},
		{s.tables, "", sources.CSV},
		{s.folders, "", sources.Subfolders},
		{paths, "", sources.Format(s.format)},
	} {
		for _, path := range kind.paths {
			if path == "" {
				return all, errors.New("a path is empty: the variable that should hold it may not be set")
			}
			o.Label, o.Format = kind.label, kind.format
			if err := all.open(path, o); err != nil {
				return all, err
			}
		}
	}
	if len(all.opened) == 0 {
		return all, hint.With(errors.New("no mail given"), "name some: a PATH such as ~/Maildir, or --ham PATH and --spam PATH")
	}
	all.source = corpus.Concat(all.opened...)
	return all, nil
}

// checkBoth returns an error if a path is given as ham and as spam, directly or through a link.
func (s *sourceFlags) checkBoth() error {
	spam := make([]fs.FileInfo, len(s.spam)) // nil for a path that cannot be opened, which opening it explains
	for i, path := range s.spam {
		spam[i], _ = os.Stat(path)
	}
	for _, path := range s.ham {
		info, err := os.Stat(path)
		if err != nil {
			continue
		}
		i := slices.IndexFunc(spam, func(other fs.FileInfo) bool { return other != nil && os.SameFile(info, other) })
		switch {
		case i < 0:
		case s.spam[i] == path:
			return fmt.Errorf("%s is given as ham and as spam", path)
		default:
			return fmt.Errorf("%s and %s are the same, given as ham and as spam", path, s.spam[i])
		}
	}
	return nil
}

// open opens the mail at a path.
func (l *labelled) open(path string, o sources.Options) error {
	mail, err := sources.OpenLabelled(path, o)
	if err == nil && mail.Classes != nil {
		err = l.setClasses(path, mail.Classes)
	}
	switch {
	case errors.Is(err, sources.ErrNoLabel):
		return hint.With(err, "say it with --ham PATH or --spam PATH; --folders PATH takes each subfolder for a class")
	case errors.Is(err, sources.ErrColumns):
		return hint.With(err, "name them: --text-column NAME and --label-column NAME, or their numbers")
	case err != nil && o.Format == sources.Mailbox && !errors.Is(err, fs.ErrNotExist):
		return hint.With(err, "for other mail: --ham PATH and --spam PATH, or --folders PATH for a folder with the subfolders ham and spam")
	case err != nil:
		return err
	}
	l.opened, l.notes, l.warnings = append(l.opened, mail.Source), append(l.notes, mail.Notes...), append(l.warnings, mail.Warnings...)
	l.reads = append(l.reads, place{path: path, classes: mail.Format == sources.Mailbox || mail.Format == sources.HamSpam || mail.Format == sources.Subfolders})
	if mail.NoSpam && !slices.ContainsFunc(o.Apart, func(p sources.LabelledPath) bool { return p.Label == sources.Spam }) {
		l.noJunk = path
	}
	if mail.Unread {
		l.unread = path
	}
	return nil
}

// setClasses sets the classes to those of the mail at path. Mail that is open already must have the same classes.
func (l *labelled) setClasses(path string, classes []string) error {
	if sameClasses(classes, l.classes) {
		return nil
	}
	if len(l.opened) > 0 {
		return fmt.Errorf("%s has the classes %s, the other mail %s: they cannot be trained together", path, strings.Join(classes, ", "), strings.Join(l.classes, ", "))
	}
	l.classes = classes
	return nil
}

// match returns an error if the model at path has other classes than the mail.
func (l labelled) match(path string, f *filter.Filter) error {
	if classes := f.Settings().Classes; !sameClasses(l.classes, classes) {
		return fmt.Errorf("the mail has the classes %s, the model %s has %s: measure it on mail of its own classes", strings.Join(l.classes, ", "), path, strings.Join(classes, ", "))
	}
	return nil
}

// sameClasses compares two lists of classes without order.
func sameClasses(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

// noJunkFolder adds to err, an error about mail of one class, the names that were sought in the mailbox at path.
func noJunkFolder(path string, err error) error {
	english, all := sources.SpamNames()
	return hint.With(fmt.Errorf("%s has no folder for spam: %w", path, err), fmt.Sprintf(
		"no folder is named %s, or has one of %d names in other languages; name yours: --maildir %s --spam FOLDER",
		strings.Join(english, ", "), all-len(english), shellWord(path)))
}

// printSources prints where mail is, unless quiet, and what makes it doubtful.
func (p *program) printSources(l labelled) {
	for _, note := range l.notes {
		if !p.quiet {
			screen.Printf(p.stderr, "%s\n", screen.Quoted(note))
		}
	}
	for _, warning := range l.warnings {
		p.warn(warning)
	}
}
