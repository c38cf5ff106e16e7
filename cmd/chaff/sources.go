package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
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
	names := make([]string, 0, len(sources.Formats()))
	for _, known := range sources.Formats() {
		names = append(names, string(known))
	}
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
func spamClasses() []string { return []string{sources.Ham.String(), sources.Spam.String()} }

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
	for _, kind := range []struct {
		paths []string
		open  func(path string) error
	}{
		{s.ham, func(path string) error { return all.openPath(path, sources.Ham, s.format) }},
		{s.spam, func(path string) error { return all.openPath(path, sources.Spam, s.format) }},
		{s.maildirs, s.mailbox(&all)},
		{s.indexes, func(path string) error { return all.openList(path, "index", sources.OpenTREC) }},
		{s.lists, func(path string) error { return all.openList(path, "list", sources.OpenList) }},
		{s.tables, func(path string) error {
			return all.openTable(path, sources.TableOptions{Text: s.textColumn, Label: s.labelColumn})
		}},
		{s.folders, all.openFolders},
		{paths, func(path string) error { return s.openRecognised(&all, path) }},
	} {
		for _, path := range kind.paths {
			if path == "" {
				return all, errors.New("a path is empty: the variable that should hold it may not be set")
			}
			if err := kind.open(path); err != nil {
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

// add adds a source, unless opening it failed.
func (l *labelled) add(source corpus.Source, err error, notes ...string) error {
	if err == nil {
		l.opened, l.notes = append(l.opened, source), append(l.notes, notes...)
	}
	return err
}

func (l *labelled) openPath(path string, label sources.Role, format string) error {
	l.reads = append(l.reads, place{path: path})
	source, found, err := sources.Open(path, label.String(), sources.Format(format))
	if err == nil {
		err = l.warnOfGmail(path, label.String())
	}
	return l.add(source, err, fmt.Sprintf("%s: %s (%s), all %s", path, found.Format, found.Why, label))
}

// warnOfGmail warns if the mail at path, all of which is to have one label, has labels of Gmail that say otherwise.
func (l *labelled) warnOfGmail(path, label string) error {
	source, roles, err := sources.OpenGmail(path)
	if source == nil || !slices.Contains(spamClasses(), label) {
		return err
	}
	var others []string
	for _, role := range []sources.Role{sources.Ham, sources.Spam, sources.LeftOut} {
		if n := roles[role.String()]; n > 0 && role.String() != label {
			others = append(others, fmt.Sprintf("%d %s", n, gmailWords[role]))
		}
	}
	if len(others) > 0 {
		l.warnings = append(l.warnings, fmt.Sprintf("%s: X-Gmail-Labels has %s, and --%s takes them for %s; the path without a flag goes by the labels",
			path, strings.Join(others, " and "), label, label))
	}
	return nil
}

// gmailWords are what the roles of labels of Gmail mean.
var gmailWords = [...]string{sources.LeftOut: "in Sent, Drafts or Trash", sources.Ham: "ham", sources.Spam: "spam"}

func (l *labelled) openGmail(path string) error {
	l.reads = append(l.reads, place{path: path})
	source, roles, err := sources.OpenGmail(path)
	note := path + ": mbox with X-Gmail-Labels"
	for role, words := range gmailWords {
		note += fmt.Sprintf(", %d %s", roles[sources.Role(role).String()], words)
	}
	return l.add(source, err, note)
}

// mailbox returns a function that opens a mailbox of Maildirs, without the folders that --ham and --spam name.
func (s *sourceFlags) mailbox(l *labelled) func(path string) error {
	return func(path string) error {
		l.reads = append(l.reads, place{path: path, classes: true})
		plan, err := sources.MaildirTree(path)
		if errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err != nil {
			return hint.With(err, "for other mail: --ham PATH and --spam PATH, or --folders PATH for a folder with the subfolders ham and spam")
		}
		for _, named := range s.ham {
			plan.LeaveOut(named, "named by --ham")
		}
		for _, named := range s.spam {
			plan.LeaveOut(named, "named by --spam")
		}
		if !plan.Has(sources.Spam) && len(s.spam) == 0 {
			l.noJunk = path
		}
		if plan.Unread() {
			l.unread = path
		}
		return l.add(plan.Source(), nil, planNotes(path, plan)...)
	}
}

// openRecognised opens a path that no flag explains.
func (s *sourceFlags) openRecognised(l *labelled, path string) error {
	means, err := sources.Recognise(path)
	if err != nil {
		return err
	}
	switch means {
	case sources.MeansMailbox:
		return s.mailbox(l)(path)
	case sources.MeansFolders:
		return l.openHamAndSpam(path)
	case sources.MeansLabels:
		return l.openGmail(path)
	case sources.MeansIndex:
		return l.openList(path, "index", sources.OpenTREC)
	case sources.MeansList:
		return l.openList(path, "list", sources.OpenList)
	case sources.MeansTable:
		return l.openTable(path, sources.TableOptions{Text: s.textColumn, Label: s.labelColumn})
	case sources.MeansHam:
		return l.openPath(path, sources.Ham, s.format)
	case sources.MeansSpam:
		return l.openPath(path, sources.Spam, s.format)
	}
	return hint.With(fmt.Errorf("%s: neither its name nor its contents say whether this is ham or spam", path),
		"say it with --ham PATH or --spam PATH; --folders PATH takes each subfolder for a class")
}

func (l *labelled) openList(path, kind string, open func(path string) (corpus.Source, error)) error {
	l.reads = append(l.reads, place{path: path})
	source, err := open(path)
	return l.add(source, err, path+": "+kind)
}

func (l *labelled) openTable(path string, o sources.TableOptions) error {
	l.reads = append(l.reads, place{path: path})
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
	l.reads = append(l.reads, place{path: path, classes: true})
	classes, err := sources.ClassFolders(path)
	if err == nil {
		err = l.setClasses(path, classes.Names)
	}
	return l.add(classes.Source(), err, classNote(path, classes))
}

func classNote(path string, c sources.Classes) string {
	note := fmt.Sprintf("%s: a folder for each class: %s", path, strings.Join(c.Names, ", "))
	if c.LeftOut > 0 {
		note += fmt.Sprintf("; left out: %s beside them", plural(c.LeftOut, "file"))
	}
	return note
}

// openHamAndSpam opens a folder that is recognised as one of ham and spam.
func (l *labelled) openHamAndSpam(path string) error {
	c, _ := sources.HamAndSpam(path)
	notes := []string{classNote(path, c)}
	for _, f := range c.Folders {
		if len(c.Folders) > 2 || filepath.Base(f.Path) != f.Class {
			notes = append(notes, fmt.Sprintf("  %-9s %s", f.Class, f.Path))
		}
	}
	return l.add(c.Source(), l.setClasses(path, c.Names), notes...)
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

func tableNote(path string, t sources.Table) string {
	note := fmt.Sprintf("%s: table, text in %q, label in %q", path, t.Text, t.Label)
	if t.Subject != "" {
		note += fmt.Sprintf(", subject in %q", t.Subject)
	}
	return note + ", classes " + strings.Join(t.Classes, ", ")
}
