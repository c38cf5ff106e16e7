package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"chaff/cmd/internal/delivery"
	"chaff/config"
	"chaff/corpus"
	"chaff/corpus/sources"
	"chaff/internal/hint"
	"chaff/internal/screen"
	"chaff/message"
	"chaff/store"
	"chaff/train"
)

// learning is the command learn: its flags, and the settings in force.
type learning struct {
	command    *cobra.Command
	paths      []string
	sources    sourceFlags // of what a path is
	settings   settingFlags
	model      string // path of the model file
	spam, ham  bool
	class      string
	forget     bool
	relabel    bool
	onError    bool
	begin      bool
	attached   bool
	yes        bool // learn what contradicts the filter
	maildirs   []string
	origin     string // who teaches, or whose messages are forgotten
	since      string // the time from which on they are
	dryRun     bool
	asJSON     bool
	classOfAll string // the class that a flag names; empty if the paths say it
	config.Config
}

func (p *program) learnCommand() *cobra.Command {
	var x learning
	c := &cobra.Command{
		Use:        "learn --spam|--ham|--class NAME [-m FILE] [PATH...]",
		Short:      "Learn messages, move them to another class, or forget them",
		SuggestFor: []string{"teach", "correct", "register", "forget", "unlearn", "relabel"},
		Long: `Learn teaches a model messages that it got wrong or has not seen: a message or
an mbox from stdin, or all at each PATH. The next message is judged with them. A
message that is known is not learned twice; with another class it moves over.

Without --spam, --ham or --class, a PATH must show what it holds, as for chaff
train: a mailbox, folders ham and spam, an index, a list, a table, junk.mbox.

With --maildir it learns what a mailbox says now that it did not say the last
time: mail that is new in folders of spam and ham, and messages that you moved
between them. Drafts, the trash and unread mail outside of spam say nothing. The
mailbox is not changed.

With --attached it learns the messages that are attached to each message, such
as spam that a colleague forwards, and not the message itself. Of a complaint
in the format of RFC 5965 it always does, and of a report that SpamAssassin has
put around a message (report_safe) it learns that message.

If the filter is sure that most of ten or more messages are of another class,
the flag is probably wrong: learn refuses, and --yes learns them all the same.

With --forget the model forgets messages. With --origin NAME, the messages are
noted as taught by NAME, and --forget --origin NAME forgets all that NAME has
taught, --since TIME only from then on. With --begin there is no model yet:
learn begins an empty one with the configured settings.

Learn writes the model's log, which chaff train saves as FILE.log. It keeps the
words and pairs of words of each message, but not the message. The words of what
was forgotten leave it at the next chaff retrain. The exit code is 1 if a
message was refused; with --maildir refused messages are only listed.`,
		Example: `  chaff learn --spam < message
  chaff learn --ham ~/Maildir/.Lists
  chaff learn --spam junk.mbox -m spam.model
  chaff learn --spam --attached forwarded.eml
  chaff learn --maildir ~/Maildir
  chaff learn --forget < message
  chaff learn --forget --origin web --since 2026-11-01
  chaff learn --begin --ham < message`,
		RunE: func(_ *cobra.Command, paths []string) error {
			x.paths = paths
			if err := x.load(p); err != nil {
				return err
			}
			if len(x.maildirs) > 0 {
				return p.learnMaildirs(&x)
			}
			return p.learn(&x)
		},
	}
	x.command = c
	f := c.Flags()
	f.BoolVar(&x.spam, "spam", false, "the messages are spam")
	f.BoolVar(&x.ham, "ham", false, "the messages are ham")
	f.StringVar(&x.class, "class", "", "the messages are of the class `NAME`")
	f.BoolVar(&x.forget, "forget", false, "forget the messages")
	f.StringVar(&x.origin, "origin", "", fmt.Sprintf("note that `NAME` teaches them, of at most %d bytes; with --forget: forget what NAME taught", store.MaxOrigin))
	f.StringVar(&x.since, "since", "", "with --forget --origin: only what was taught from `TIME` on, such as 2026-11-25 or 2026-11-25T13:00:00Z")
	f.BoolVar(&x.relabel, "relabel", false, "learn only messages that are known, if their class is another one")
	f.BoolVar(&x.onError, "on-error", false, "learn only what the model gets wrong or is not sure of, as store.on_error=true")
	f.BoolVar(&x.attached, "attached", false, "learn or forget what is attached to each message instead")
	f.BoolVar(&x.yes, "yes", false, "learn even if most of the messages contradict the filter")
	f.BoolVar(&x.begin, "begin", false, "begin an empty model of ham and spam")
	f.StringArrayVar(&x.maildirs, "maildir", nil, "learn what has changed in the mailbox of Maildirs at `PATH`; repeatable")
	f.BoolVar(&x.dryRun, "dry-run", false, "with --maildir: print what would be learned, and learn nothing")
	completePaths(c, "maildir")
	addFormat(c, &x.sources.format, "what is at each PATH")
	x.sources.addColumns(c)
	x.settings.add(p, c, "model")
	p.addModelFile(c, &x.model, "teach")
	addJSON(c, &x.asJSON, "print what happened to each message as JSON")
	c.MarkFlagsMutuallyExclusive("spam", "ham", "class", "forget")
	for _, flag := range []string{"spam", "ham", "class", "forget", "relabel", "begin", "attached", "yes", "format", "origin", "since"} {
		c.MarkFlagsMutuallyExclusive("maildir", flag)
	}
	c.MarkFlagsMutuallyExclusive("relabel", "forget")
	c.MarkFlagsMutuallyExclusive("begin", "forget")
	c.MarkFlagsMutuallyExclusive("on-error", "forget")
	c.MarkFlagsMutuallyExclusive("yes", "forget")
	c.ValidArgsFunction = mailFolders
	return c
}

// load loads the settings, and checks the flags.
func (x *learning) load(p *program) error {
	loaded, err := p.load(&x.settings)
	if err != nil {
		return err
	}
	x.Config = loaded.Config
	if !x.begin {
		p.warnOfModelSettings(loaded)
	}
	switch {
	case x.spam:
		x.classOfAll = sources.Spam
	case x.ham:
		x.classOfAll = sources.Ham
	case x.class != "":
		x.classOfAll = x.class
	case x.command.Flags().Changed("class"):
		return errors.New("--class is empty: name a class of the model")
	}
	if x.begin && !slices.Contains(append(spamClasses(), ""), x.classOfAll) {
		return hint.With(errors.New("--begin begins a model of ham and spam"), "for other classes: chaff train --folders PATH, with a subfolder for each class")
	}
	switch {
	case len(x.origin) > store.MaxOrigin:
		return fmt.Errorf("--origin %s is longer than %d bytes", x.origin, store.MaxOrigin)
	case x.since != "" && (!x.forget || x.origin == ""):
		return errors.New("--since needs --forget and --origin")
	case x.forget && x.origin != "" && len(x.paths) > 0:
		return hint.With(fmt.Errorf("--forget --origin forgets all that %s taught: leave out %s", x.origin, x.paths[0]), "chaff learn --forget PATH forgets messages")
	case len(x.maildirs) > 0 && len(x.paths) > 0:
		return hint.With(fmt.Errorf("--maildir takes the mailbox alone: leave out %s", x.paths[0]), "chaff learn PATH learns other mail")
	case len(x.maildirs) > 0:
		return nil
	case x.dryRun:
		return errors.New("--dry-run needs --maildir")
	}
	onStdin := len(x.paths) == 0 && !x.begin && !(x.forget && x.origin != "") || slices.Contains(x.paths, stdinPath)
	if onStdin && x.classOfAll == "" && !x.forget {
		return hint.With(errors.New("nothing says what the message on stdin is"), "say it with --spam, --ham or --class NAME")
	}
	if x.sources.format != "" && len(x.paths) == 0 {
		return errors.New("--format needs a path")
	}
	return nil
}

func (p *program) learn(x *learning) error {
	ctx := x.command.Context()
	if x.begin && len(x.paths) == 0 && x.classOfAll == "" {
		if err := p.beginStore(x); err != nil {
			return err
		}
		return p.printBegun(x)
	}
	if x.forget && x.origin != "" {
		return p.forgetOrigin(x)
	}
	mail, err := x.open(p)
	if err != nil {
		return err
	}
	if x.begin {
		if err := p.beginStore(x); err != nil {
			return err
		}
	}
	if err := hasStore(x.model); err != nil {
		return err
	}
	p.printSources(mail)
	messages := p.listAll(mail.source)
	for i := range messages {
		messages[i].Text = messages[i].Text || x.forget // what is no mail may be forgotten
	}
	s, err := x.openStore()
	if err != nil {
		return err
	}
	a := newAccount(x.model, s.Classes())
	a.keeps = x.asJSON || len(messages) == 1
	if err = x.match(mail, s.Classes()); err == nil && !x.forget {
		a.Contradicting, err = p.checkContradictions(ctx, s, messages, x)
	}
	if err == nil {
		err = p.learnEach(ctx, s, messages, x, a)
	}
	err = a.end(p, x, s, err)
	if err == nil || a.messages() > 0 { // what was learned stays learned
		err = errors.Join(err, p.printAccount(x, a))
	}
	return cmp.Or(err, a.complaint())
}

// forgetOrigin forgets what one origin has taught.
func (p *program) forgetOrigin(x *learning) error {
	var since time.Time
	if x.since != "" {
		var err error
		if since, err = time.Parse(time.RFC3339, x.since); err != nil {
			if since, err = time.ParseInLocation(time.DateOnly, x.since, time.Local); err != nil {
				return fmt.Errorf("--since %s is no time such as 2026-11-25 or 2026-11-25T13:00:00Z", x.since)
			}
		}
	}
	s, err := x.openStore()
	if err != nil {
		return err
	}
	n, err := s.ForgetOrigin(x.origin, since)
	err = errors.Join(p.warnOfStore(s, err), s.Close())
	if err == nil && x.asJSON {
		return printJSON(p.stdout, map[string]int{"forgotten": n})
	}
	if err == nil {
		field(p.stdout, "forgotten", "%s that %s taught", plural(n, "message"), x.origin)
	}
	return err
}

// openStore opens the log of the model.
func (x *learning) openStore() (*store.Store, error) {
	s, err := openStore(x.command.Context(), x.model, x.Store)
	if err == nil && x.onError {
		s.LearnOnErrors()
	}
	return s, err
}

// warnOfStore warns of a fit or of a model that could not be written after the log took what was learned or forgotten. It returns the error of a context that
// ended.
func (p *program) warnOfStore(s *store.Store, err error) error {
	if errors.Is(err, context.Canceled) {
		return err
	}
	if err = cmp.Or(err, s.Finish()); err != nil {
		p.warn(err.Error())
	}
	return nil
}

func (p *program) printAccount(x *learning, a *account) error {
	if x.asJSON {
		return printJSON(p.stdout, a)
	}
	if x.begin {
		if err := p.printBegun(x); err != nil {
			return err
		}
	}
	a.print(p)
	a.afterwards.print(p, x.command, x.model, x.Store.RetrainAfter)
	return nil
}

// useOf returns the flag that names a model in a command, if it is needed.
func useOf(c *cobra.Command, path string) string {
	if c.Flags().Changed("model-file") {
		return " -m " + screen.Printable(shellWord(path))
	}
	return ""
}

// open opens the mail to learn or to forget.
func (x *learning) open(p *program) (labelled, error) {
	all := labelled{classes: spamClasses()}
	paths := x.paths
	if len(paths) == 0 {
		paths = []string{stdinPath}
	}
	for _, path := range paths {
		var err error
		switch {
		case path == "":
			err = errors.New("a path is empty: the variable that should hold it may not be set")
		case path == stdinPath:
			all.opened = append(all.opened, labelledAs(p.stdinSource(x.sources.format), x.classOfAll))
		case x.forget && x.classOfAll == "":
			var source corpus.Source
			source, _, err = sources.Open(path, "", sources.Format(x.sources.format))
			all.opened = append(all.opened, source)
		default:
			err = all.open(path, sources.Options{
				Label: x.classOfAll, Format: sources.Format(x.sources.format),
				Table: x.sources.table,
			})
		}
		if errors.Is(err, sources.ErrNoLabel) {
			err = hint.With(fmt.Errorf("%s: neither its name nor its contents say what these messages are", path), "say it with --spam, --ham or --class NAME")
		}
		if err != nil {
			return all, err
		}
	}
	if x.classOfAll != "" {
		all.notes = nil // they say nothing that the command does not
	}
	all.source = corpus.Concat(all.opened...)
	return all, nil
}

// labelledAs returns a source with a label for all messages.
func labelledAs(source corpus.Source, label string) corpus.Source {
	return func(yield func(corpus.Item, error) bool) {
		for item, err := range source {
			item.Label = label
			if !yield(item, err) {
				return
			}
		}
	}
}

// match returns an error if the mail has a class that the model does not have.
func (x *learning) match(mail labelled, classes []string) error {
	given := mail.classes
	if x.classOfAll != "" {
		given = []string{x.classOfAll}
	}
	for _, class := range given {
		if !x.forget && !slices.Contains(classes, class) {
			return hint.With(fmt.Errorf("the model %s has no class %s: it has %s", x.model, class, strings.Join(classes, ", ")),
				"name one of these with --class NAME")
		}
	}
	return nil
}

// teaching does something with a message of a log.
type teaching func(item corpus.Item, raw []byte) (store.Outcome, error)

// how returns what to do with each message.
func (x *learning) how(s *store.Store) teaching {
	learn := func(item corpus.Item, raw []byte) (store.Outcome, error) {
		return s.Learn(store.Message{Raw: raw, Label: item.Label, Way: store.ByHand, Time: item.Time, Origin: x.origin})
	}
	switch {
	case x.forget:
		return func(_ corpus.Item, raw []byte) (store.Outcome, error) { return s.Forget(raw) }
	case x.relabel:
		return func(item corpus.Item, raw []byte) (store.Outcome, error) {
			if known, err := s.Knows(raw); err != nil || !known {
				return store.Outcome{What: unknown}, err
			}
			return learn(item, raw)
		}
	}
	return learn
}

// unwrap returns the messages that a message teaches: those attached to it if the flags say so or it is a complaint about them, else itself.
func (x *learning) unwrap(item corpus.Item, raw []byte) ([][]byte, error) {
	attached, isReport := message.Attached(raw)
	if !x.attached && (!isReport || len(attached) == 0) {
		return [][]byte{raw}, nil
	}
	if len(attached) == 0 {
		return nil, hint.With(fmt.Errorf("%s: no message is attached", nameOf(item.Origin)), "without --attached chaff learns the message itself")
	}
	return attached, nil
}

// unknown is what happened to a message that was not to be learned because the log does not know it.
const unknown store.What = "unknown"

// listing is a message of a source, or the reason why it cannot be read.
type listing struct {
	corpus.Item
	err error
}

func (p *program) listAll(source corpus.Source) []listing {
	var all []listing
	for item, err := range source {
		if corpus.IsRemark(err) {
			p.warn(err.Error())
			continue
		}
		all = append(all, listing{item, err})
	}
	return all
}

// learnEach does something with each message and enters it into an account. Only an error about the log or the context ends it.
func (p *program) learnEach(ctx context.Context, s *store.Store, messages []listing, x *learning, a *account) error {
	do := x.how(s)
	if len(messages) == 0 {
		return errors.New("no messages at the paths given: the files or folders are empty")
	}
	step, done := func(int, int) {}, func() {}
	if len(messages) > 1 {
		if shown, end := p.progress("learning"); shown != nil {
			step, done = shown, end
		}
	}
	defer done()
	var raw []byte
	for i, listed := range messages {
		if err := ctx.Err(); err != nil {
			return err
		}
		err := listed.err
		if err == nil {
			raw, err = listed.Read(raw)
		}
		var taught [][]byte
		if err == nil {
			taught, err = x.unwrap(listed.Item, raw)
		}
		if a.NoMail.Count(err) {
			a.noMail = cmp.Or(a.noMail, err)
			continue
		}
		if err != nil {
			why := store.Unreadable
			if errors.Is(err, corpus.ErrTooLarge) {
				why = store.TooLarge
			}
			a.refuse(listed.Origin, why, err)
			if err := s.Refuse(why); err != nil {
				return err
			}
			continue
		}
		undo := func() {}
		if len(raw) > corpus.LargeMessageBytes {
			undo = delivery.LimitMemory()
		}
		for _, raw := range taught {
			o, err := do(listed.Item, raw)
			if err != nil {
				return err
			}
			a.add(listed.Item, o)
		}
		undo()
		step(i+1, len(messages))
	}
	return nil
}

// beginStore begins an empty model and its log. A model that is there is an error.
func (p *program) beginStore(x *learning) error {
	reads := []place{{path: x.settings.file}}
	for _, path := range x.paths {
		reads = append(reads, place{path: path})
	}
	if err := p.canSaveModel(x.model, reads); err != nil {
		return err
	}
	reading, keepKey, err := p.secretReading(x.Config)
	if err != nil {
		return err
	}
	if err := makeFolder(x.model); err != nil {
		return err
	}
	err = store.Begin(x.command.Context(), x.model, spamClasses(), x.Model, collectOptions(x.Config, reading), train.Options{Models: x.Models, Thresholds: x.Thresholds}, x.Store)
	if errors.Is(err, fs.ErrExist) {
		return hint.With(fmt.Errorf("there is a model %s already", x.model), "leave out --begin to teach it")
	}
	return errors.Join(err, keepKey())
}

func (p *program) printBegun(x *learning) error {
	if x.asJSON {
		return printJSON(p.stdout, begun{x.model, true})
	}
	_, err := screen.Printf(p.stdout, "Began %s with the model %s: it knows no message yet.\n", x.model, x.Model)
	return err
}

// begun is the JSON of learn --begin without a message.
type begun struct {
	File  string `json:"file"`
	Began bool   `json:"began"`
}
