package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"chaff/corpus"
	"chaff/corpus/sources"
	"chaff/internal/hint"
	"chaff/store"
	"chaff/train"
)

type learning struct {
	onModel
	paths            []string
	format           string // of what is at each path
	spam, ham        bool
	class            string // of all messages; empty if the paths say it
	begin, forget    bool
	attached, dryRun bool
	yes              bool // learn what contradicts the filter
	maildirs         []string
	origin           string // who teaches, or whose messages are forgotten
	since            string // the time from which on they are
}

func learnCommand(p *program) *cobra.Command {
	var x learning
	c := &cobra.Command{
		Use:   "learn --spam|--ham|--class NAME [-m FILE] [PATH...]",
		Short: "Learn messages, move them to another class, or forget them",
		Long: `Learn teaches a model messages that it got wrong or has not seen: a message or
an mbox from stdin, or all at each PATH. The next message is judged with them. A
message that is known is not learned twice; with another class it moves over.
Without --spam, --ham or --class, a PATH must show what it holds, as for chaff
train.

With --maildir it learns what has changed in a mailbox since the last time: mail
that is new in folders of spam and ham, and messages that you moved between
them. Drafts, the trash and unread mail outside of spam teach nothing. The
mailbox is not changed.

If the filter is sure that most of ten or more messages are of another class,
the flag is probably wrong: learn refuses, and --yes learns them anyway.

Learn writes the model's log, which chaff train saves as FILE.log. The exit code
is 1 if a message was refused; with --maildir refused messages are only listed.

The program chaff-learn learns one message from stdin and starts faster. It
reads no configuration and prints nothing but errors. It exits with 0 if the
model has learned the message, 1 if it refuses it, and 75 for trouble that may
pass. It takes of the flags --class, --forget, --ham, --model-file, --spam and
--version.`,
		Example: `  chaff learn --spam < message
  chaff learn --ham ~/Maildir/.Lists
  chaff learn --spam junk.mbox -m spam.model
  chaff learn --spam --attached forwarded.eml
  chaff learn --maildir ~/Maildir
  chaff learn --forget < message
  chaff learn --forget --origin web --since 2026-11-01
  chaff learn --begin --ham -m new.model < message`,
		RunE: func(_ *cobra.Command, paths []string) error {
			x.paths = paths
			if err := x.check(); err != nil {
				return err
			}
			if x.begin && x.class == "" && len(paths) == 0 {
				if err := x.beginStore(); err != nil {
					return err
				}
				return x.show(map[string]any{"file": x.model, "began": true}, func(a *answer) {
					a.line("Began %s with the model %s: it knows no message yet.", x.model, x.Model)
				})
			}
			if !x.begin {
				x.warnOfSettings()
			}
			if len(x.maildirs) > 0 {
				return x.learnMaildirs()
			}
			x.warnOfMailbox("--maildir")
			if x.forgetsOrigin() {
				return x.forgetOrigin()
			}
			return x.learn()
		},
	}
	x.add(p, c, "teach", "print what happened to each message as JSON", "model")
	f := c.Flags()
	f.BoolVar(&x.spam, "spam", false, "the messages are spam")
	f.BoolVar(&x.ham, "ham", false, "the messages are ham")
	f.StringVar(&x.class, "class", "", "the messages are of the class `NAME`")
	f.BoolVar(&x.forget, "forget", false, "forget the messages")
	f.StringVar(&x.origin, "origin", "", fmt.Sprintf("note that `NAME` teaches them, of at most %d bytes; with --forget: forget what NAME taught", store.MaxOrigin))
	f.StringVar(&x.since, "since", "", "with --forget --origin: only what was taught from `TIME` on, such as 2026-11-25 or 2026-11-25T13:00:00Z")
	f.BoolVar(&x.attached, "attached", false, "learn or forget the messages attached to each message instead, such as spam that a colleague forwards")
	f.BoolVar(&x.yes, "yes", false, "learn even if most of the messages contradict the filter")
	f.BoolVar(&x.begin, "begin", false, "begin an empty model of ham and spam")
	f.StringArrayVar(&x.maildirs, "maildir", nil, "learn what has changed in the mailbox of Maildirs at `PATH`; repeatable")
	f.BoolVar(&x.dryRun, "dry-run", false, "with --maildir: print what would be learned, and learn nothing")
	addFormat(c, &x.format, "what is at each PATH")
	c.MarkFlagsMutuallyExclusive("spam", "ham", "class", "forget", "maildir")
	exclude(c, "begin", "forget", "maildir")
	exclude(c, "yes", "forget")
	exclude(c, "maildir", "attached", "yes", "format", "origin", "since")
	return c
}

func (x *learning) check() error {
	switch {
	case x.spam:
		x.class = sources.Spam
	case x.ham:
		x.class = sources.Ham
	}
	onStdin := len(x.paths) == 0 && !x.forgetsOrigin() || slices.Contains(x.paths, stdinPath)
	ofMaildirs := len(x.maildirs) > 0
	switch {
	case x.begin && x.class != "" && !slices.Contains(spamClasses(), x.class):
		return hint.With(errors.New("--begin begins a model of ham and spam"), "for other classes: chaff train --folders PATH, with a subfolder for each class")
	case len(x.origin) > store.MaxOrigin:
		return fmt.Errorf("--origin %s is longer than %d bytes", x.origin, store.MaxOrigin)
	case x.since != "" && !x.forgetsOrigin():
		return errors.New("--since needs --forget and --origin")
	case x.forgetsOrigin() && len(x.paths) > 0:
		return hint.With(fmt.Errorf("--forget --origin forgets all that %s taught: leave out %s", x.origin, x.paths[0]), "chaff learn --forget PATH forgets messages")
	case ofMaildirs && len(x.paths) > 0:
		return hint.With(fmt.Errorf("--maildir takes the mailbox alone: leave out %s", x.paths[0]), "chaff learn PATH learns other mail")
	case !ofMaildirs && x.dryRun:
		return errors.New("--dry-run needs --maildir")
	case !ofMaildirs && !x.begin && onStdin && x.class == "" && !x.forget:
		return hint.With(errors.New("nothing says what the message on stdin is"), "say it with --spam, --ham or --class NAME")
	}
	return nil
}

// forgetsOrigin reports whether the command forgets what one origin has taught.
func (x *learning) forgetsOrigin() bool { return x.forget && x.origin != "" }

func (x *learning) learn() error {
	mail, err := x.open()
	if err != nil {
		return err
	}
	if !x.begin {
		if err := x.hasStore(x.model); err != nil {
			if slices.Contains(x.paths, stdinPath) {
				x.streams.Drain()
			}
			return err
		}
	}
	printSources(x.program, mail)
	messages := listAll(x.program, mail.source)
	if x.begin {
		if len(messages) == 1 && messages[0].err != nil {
			return messages[0].err // an empty stdin begins no model
		}
		if err := x.beginStore(); err != nil {
			return err
		}
	}
	for i := range messages {
		messages[i].Text = messages[i].Text || x.forget // what is no mail may be forgotten
		if x.forget || x.class != "" {
			messages[i].Label = x.class
		}
	}
	a := &account{File: x.model, Counts: outcomes{}}
	a.afterwards, err = x.change(!x.forget, func(s *store.Store) error {
		a.classes = s.Classes()
		err := x.match(mail, a.classes)
		if err == nil && !x.forget {
			err = x.checkContradictions(s, messages)
		}
		if err == nil {
			err = x.learnEach(s, messages, a)
		}
		return err
	})
	if err == nil || len(a.Results) > 0 { // what was learned stays learned
		err = errors.Join(err, x.show(a, a.describe))
	}
	return cmp.Or(err, a.complaint())
}

func (x *learning) forgetOrigin() error {
	var since time.Time
	if x.since != "" {
		var err error
		if since, err = time.Parse(time.RFC3339, x.since); err != nil {
			if since, err = time.ParseInLocation(time.DateOnly, x.since, time.Local); err != nil {
				return fmt.Errorf("--since %s is no time such as 2026-11-25 or 2026-11-25T13:00:00Z", x.since)
			}
		}
	}
	n := 0
	_, err := x.change(false, func(s *store.Store) (err error) {
		n, err = s.ForgetOrigin(x.origin, since)
		return err
	})
	if err != nil {
		return err
	}
	return x.show(map[string]int{"forgotten": n}, func(a *answer) {
		a.fact("forgotten", "%s that %s taught", plural(n, "message"), x.origin)
	})
}

func (x *learning) open() (labelled, error) {
	all := labelled{classes: spamClasses()}
	o := sources.Options{Label: x.class, Format: sources.Format(x.format)}
	if x.forget {
		o.Label = "any" // what the messages were learned as is in the log
	}
	if len(x.paths) == 0 {
		x.paths = []string{stdinPath}
	}
	for _, path := range x.paths {
		var err error
		if path == stdinPath {
			var source corpus.Source
			source, err = x.openStdin(x.format)
			all.opened = append(all.opened, source)
		} else {
			err = all.open(path, o)
		}
		if errors.Is(err, sources.ErrNoLabel) {
			err = hint.With(fmt.Errorf("%s: neither its name nor its contents say what these messages are", path), "say it with --spam, --ham or --class NAME")
		}
		if err != nil {
			return all, err
		}
	}
	if o.Label != "" {
		all.notes = nil // they say nothing that the command does not
	}
	all.source = corpus.Concat(all.opened...)
	return all, nil
}

// match returns an error if the mail has a class that the model does not have.
func (x *learning) match(mail labelled, classes []string) error {
	given := mail.classes
	if x.class != "" {
		given = []string{x.class}
	}
	for _, class := range given {
		if !x.forget && !slices.Contains(classes, class) {
			return hint.With(fmt.Errorf("the model %s has no class %s: it has %s", x.model, class, strings.Join(classes, ", ")),
				"name one of these with --class NAME")
		}
	}
	return nil
}

// beginStore begins an empty model and its log. A model that is there is an error.
func (x *learning) beginStore() error {
	x.replace = true // a model that is there is an error
	o, keepKey, err := x.forNewModel(x.paths)
	if err != nil {
		return err
	}
	err = store.Begin(x.command.Context(), x.model, spamClasses(), x.Model, o, train.Options{Models: x.Models, Thresholds: x.Thresholds}, x.Store)
	if errors.Is(err, fs.ErrExist) {
		return hint.With(fmt.Errorf("there is a model %s or its log already", x.model), "leave out --begin to teach it")
	}
	return errors.Join(err, keepKey())
}
