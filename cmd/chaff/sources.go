package main

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"chaff/corpus"
	"chaff/corpus/sources"
	"chaff/filter"
	"chaff/internal/hint"
	"chaff/internal/screen"
)

// sourceFlag is a flag that names labelled mail, and what it says of the mail.
type sourceFlag struct {
	name, usage string
	label       string
	format      sources.Format
}

// sourceTable has the flags that name labelled mail, in the order in which the mail is opened.
var sourceTable = []sourceFlag{
	{"ham", "ham at `PATH`", sources.Ham, ""},
	{"spam", "spam at `PATH`: a folder, mbox, message or archive; repeatable", sources.Spam, ""},
	{"maildir", "a mailbox of Maildirs at `PATH`: its junk folders are spam, the others ham; repeatable", "", sources.Mailbox},
	{"trec", "an index `FILE` with lines \"spam path\" and \"ham path\"", "", sources.Index},
	{"table", "a table `FILE` (CSV, TSV): a message and its label in each row", "", sources.CSV},
	{"folders", "a folder at `PATH` with a subfolder for each class", "", sources.Subfolders},
}

// sourceFlags are the flags and the arguments of a command that name labelled mail.
type sourceFlags struct {
	flags  *pflag.FlagSet
	format string
}

func (s *sourceFlags) add(c *cobra.Command) {
	s.flags = c.Flags()
	for _, flag := range sourceTable {
		s.flags.StringArray(flag.name, nil, flag.usage)
	}
	addFormat(c, &s.format, "what is at --ham and --spam")
}

var errNoMailGiven = errors.New("no mail given")

// errNoMessages is the error about paths without messages.
var errNoMessages = errors.New("no messages at the paths given: the files or folders are empty")

// labelled is mail with the names of its classes.
type labelled struct {
	source   corpus.Source
	classes  []string
	notes    []string // printed before the mail is read, as are the warnings
	warnings []string
	opened   []corpus.Source
	reads    []string
	noJunk   string // a mailbox without a folder for spam
	unread   string // a mailbox whose ham nobody has read, so that it is left out
	isPart   bool   // which may have no message
}

// spamClasses returns the classes of a spam filter. In this order, the score is that of spam over ham.
func spamClasses() []string { return []string{sources.Ham, sources.Spam} }

// open opens the mail at the paths of all flags, and then that at the paths without a flag.
func (s *sourceFlags) open() (labelled, error) {
	all := labelled{classes: spamClasses()}
	given := map[string][]string{"": s.flags.Args()} // by flag
	for _, flag := range sourceTable {
		given[flag.name] = s.flags.Lookup(flag.name).Value.(pflag.SliceValue).GetSlice()
	}
	ham, spam := given["ham"], given["spam"]
	if s.format != "" && len(ham)+len(spam)+s.flags.NArg() == 0 {
		return all, errors.New("--format needs --ham, --spam or a path")
	}
	for _, path := range ham {
		if i := slices.IndexFunc(spam, func(other string) bool { return isSame(path, other) }); i >= 0 {
			return all, fmt.Errorf("--ham %s and --spam %s are the same mail", path, spam[i])
		}
	}
	o := sources.Options{Apart: slices.Concat(ham, spam)}
	for _, flag := range slices.Concat(sourceTable, []sourceFlag{{}}) {
		if o.Label, o.Format = flag.label, flag.format; o.Format == "" {
			o.Format = sources.Format(s.format)
		}
		for _, path := range given[flag.name] {
			if err := all.open(path, o); err != nil {
				return all, err
			}
		}
	}
	all.source = corpus.Concat(all.opened...)
	if len(all.opened) == 0 {
		return all, hint.With(errNoMailGiven, "name some: a PATH such as ~/Maildir, or --ham PATH and --spam PATH")
	}
	return all, nil
}

func (l *labelled) open(path string, o sources.Options) error {
	mail, err := sources.OpenLabelled(path, o)
	switch {
	case err == nil && mail.Classes != nil && !sameClasses(mail.Classes, l.classes):
		if len(l.opened) > 0 {
			return fmt.Errorf("%s has the classes %s, the other mail %s: they cannot be trained together", path, strings.Join(mail.Classes, ", "), strings.Join(l.classes, ", "))
		}
		l.classes = mail.Classes
	case errors.Is(err, sources.ErrNoLabel):
		return hint.With(err, "say it with --ham PATH or --spam PATH; --folders PATH takes each subfolder for a class")
	case err != nil && o.Format == sources.Mailbox && !errors.Is(err, fs.ErrNotExist):
		return hint.With(err, "for other mail: --ham PATH and --spam PATH, or --folders PATH for a folder with the subfolders ham and spam")
	case err != nil:
		return err
	}
	l.opened, l.notes, l.warnings = append(l.opened, mail.Source), append(l.notes, mail.Notes...), append(l.warnings, mail.Warnings...)
	l.reads = append(l.reads, path)
	if mail.NoSpam {
		l.noJunk = path
	}
	if mail.Unread {
		l.unread = path
	}
	return nil
}

// match gives the classes of the mail the order of those of the model at path, or returns an error if they are others.
func (l *labelled) match(path string, f *filter.Filter) error {
	classes := f.Settings().Classes
	if !sameClasses(l.classes, classes) {
		return fmt.Errorf("the mail has the classes %s, the model %s has %s: measure it on mail of its own classes", strings.Join(l.classes, ", "), path, strings.Join(classes, ", "))
	}
	l.classes = classes
	return nil
}

// sameClasses compares two lists of classes without order.
func sameClasses(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

// noSpamFolder says which names of folders for spam were sought.
const noSpamFolder = "no folder is named " + sources.SpamNames + " or so, in any of 50 languages"

// printSources prints where mail is, unless quiet, and what makes it doubtful.
func printSources(p *program, l labelled) {
	for _, note := range l.notes {
		if !p.quiet {
			screen.Printf(p.stderr, "%s\n", screen.Quoted(note))
		}
	}
	for _, warning := range l.warnings {
		p.warn(warning)
	}
}
