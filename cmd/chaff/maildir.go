package main

import (
	"errors"
	"io/fs"
	"slices"

	"github.com/spf13/cobra"

	"chaff/corpus/sources"
	"chaff/internal/hint"
	"chaff/internal/screen"
	"chaff/mailbox"
	"chaff/store"
	"chaff/train"
)

// mailboxes is the result of learn --maildir.
type mailboxes struct {
	File      string            `json:"file"`
	Mailboxes []mailbox.Account `json:"mailboxes"`
	afterwards
	// Doubtful is how many of the messages learned look mislabelled.
	Doubtful int  `json:"doubtful"`
	DryRun   bool `json:"dry_run,omitempty"`

	doubts []doubtful // the worst of them
	review string     // the command that lists them
}

// learnMaildirs learns what mailboxes say that the log does not know. With a dry run it only prints it.
func (x *learning) learnMaildirs() error {
	if err := x.hasStore(x.model); err != nil {
		return err
	}
	var boxes []*mailbox.Mailbox
	for _, path := range x.maildirs {
		box, err := openMailbox(x.program, path)
		if err != nil {
			return err
		}
		boxes = append(boxes, box)
	}
	all := mailboxes{File: x.model, Mailboxes: []mailbox.Account{}, DryRun: x.dryRun}
	err := x.eachMailbox(&all, boxes, mailbox.LearnOptions{Workers: x.Workers})
	all.review = "chaff review" + x.use()
	for _, path := range x.maildirs {
		all.review += " --maildir " + hint.Word(path)
	}
	return errors.Join(err, x.show(&all, all.describe))
}

func (all *mailboxes) describe(a *answer) {
	for _, m := range all.Mailboxes {
		addMailbox(a, m, all.DryRun)
	}
	a.doubtful(all.Doubtful, all.review)
	a.worst(all.doubts)
	all.afterwards.describe(a)
}

// eachMailbox compares the mailboxes with the log, and enters what they say. What was learned before an error counts.
func (x *learning) eachMailbox(all *mailboxes, boxes []*mailbox.Mailbox, o mailbox.LearnOptions) (err error) {
	o.Options, o.Progress = x.Config.Mailbox, x.progress("reading mail", "messages")
	ctx := x.command.Context()
	var learned mailbox.Account
	each := func(compare func(box *mailbox.Mailbox) (mailbox.Account, error)) error {
		for _, box := range boxes {
			account, err := compare(box)
			if err == nil || len(account.Changes) > 0 {
				all.Mailboxes = append(all.Mailboxes, account)
				learned.Changes = append(learned.Changes, account.Changes...)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
	if x.dryRun {
		view, err := x.look()
		if err != nil {
			return err
		}
		defer view.Close()
		return each(func(box *mailbox.Mailbox) (mailbox.Account, error) { return box.Preview(ctx, view, o) })
	}
	all.afterwards, err = x.change(true, func(s *store.Store) error {
		return each(func(box *mailbox.Mailbox) (mailbox.Account, error) { return box.Learn(ctx, s, o) })
	})
	doubtful := learned.Doubtful()
	all.Doubtful, all.doubts = len(doubtful), worstOf(doubtful)
	return err
}

// openMailbox opens a mailbox of Maildirs. It warns of one without a folder for spam.
func openMailbox(p *program, path string) (*mailbox.Mailbox, error) {
	box, err := mailbox.Open(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		err = hint.With(err, "chaff learn"+p.use()+" --ham PATH or --spam PATH learns other mail")
	}
	if err != nil {
		return nil, err
	}
	if !box.Has(sources.Spam) {
		p.warn(path + " has no folder for spam: " + noSpamFolder + "; chaff learn" + p.use() + " --spam FOLDER learns from another one")
	}
	return box, nil
}

// addMailbox adds what a mailbox says, with what cannot be read and refused messages on stderr.
func addMailbox(a *answer, m mailbox.Account, dryRun bool) {
	counts, problems := outcomes{}, slices.Clone(m.Problems)
	for _, c := range m.Changes {
		counts.add(c.Result, c.Label, c.Before, c.Reason)
		if c.Result == store.Refused {
			problems = append(problems, c.Reason)
		}
	}
	a.first("left out", problems, len(problems))
	if left := m.NoMail.String(); left != "" {
		a.aside("%s", left)
	}
	changed := len(m.Changes) - counts.of(store.Refused)
	if changed > 0 {
		addLearned(a, counts, dryRun)
		a.fact("known", "%d already; left out: %d", m.Known(), m.LeftOut)
	} else {
		a.unlessQuiet("nothing new", "in %s: %s known, %d left out", m.Path, screen.Plural(m.Known(), "message is", "messages are"), m.LeftOut)
	}
	addSilent(a, m)
	if m.Ambiguous > 0 {
		a.warn(screen.Plural(m.Ambiguous, "message is", "messages are") + " both in a folder of ham and in one of spam, and not learned: delete one of the copies")
	}
}

// addSilent describes the messages that do not count yet, or that were taken back, unless quiet.
func addSilent(a *answer, m mailbox.Account) {
	if a.quiet {
		return
	}
	a.count("waiting", m.Waiting, "%d that you have read count as ham later (mailbox.read_days), or at once when you answer, flag or move them")
	a.count("filed", m.Filed, "%d that the filter calls spam itself say nothing until you move them")
	a.count("forgotten", m.TakenBack, "%d that you deleted soon after reading them")
}

func watchCommand(p *program) *cobra.Command {
	var x onModel
	var path string
	c := &cobra.Command{
		Use:   "watch [-m FILE] --maildir PATH",
		Short: "Learn from a mailbox while it changes",
		Long: `Watch learns what chaff learn --maildir learns, as it happens: mail that
arrives in a folder of spam or ham, and messages that you move between them. It
prints a line for each, and changes nothing in the mailbox.

The model is fitted again when nothing has happened for half a minute and
enough was learned (store.retrain_after). An interrupt ends it.`,
		Example: `  chaff watch --maildir ~/Maildir
  chaff watch --maildir ~/Maildir -m spam.model --quiet`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			if path == "" {
				return hint.With(errors.New("no mailbox given"), "chaff watch --maildir ~/Maildir")
			}
			if err := x.hasStore(x.model); err != nil {
				return err
			}
			if _, err := openMailbox(p, path); err != nil {
				return err
			}
			o := watching(p, path)
			o.Model, o.Store, o.Retrain, o.Mailbox = x.model, x.Store, retrainOptions(x.Config), x.Config.Mailbox
			return mailbox.Watch(c.Context(), path, o)
		},
	}
	x.add(p, c, "teach", "", "workers", "memory")
	c.Flags().StringVar(&path, "maildir", "", "the mailbox of Maildirs at `PATH`")
	return c
}

// watching returns options that print what happens.
func watching(p *program, path string) mailbox.WatchOptions {
	o := mailbox.DefaultWatchOptions()
	say := func(line string, args ...any) {
		if !p.quiet {
			screen.Printf(p.stdout, line+"\n", args...)
		}
	}
	o.Compared = func(found mailbox.Account) {
		if a := (answer{program: p}); !p.quiet {
			a.aside("watching %s: %s, %d left out", path, screen.Plural(found.Messages, "message"), found.LeftOut)
			addSilent(&a, found)
		}
	}
	o.Changed = func(c mailbox.Change) {
		switch c.Result {
		case store.Refused:
			p.aside("left out: %s", screen.Quoted(c.Reason))
		case store.Relabelled:
			say("moved from %s to %s: %s", c.Before, c.Label, c.Path)
		default:
			say("learned %s: %s", c.Label, c.Path)
		}
	}
	doubt := func(n int) {
		if n > 0 {
			say("%s: %s lists them", mislabelled(n), screen.Quoted("chaff review"+p.use()+" --maildir "+hint.Word(path)))
		}
	}
	o.Learned = func(learned mailbox.Account) {
		if learned.TakenBack > 0 {
			say("forgotten: %s that you deleted soon after reading", screen.Plural(learned.TakenBack, "message"))
		}
		doubtful := learned.Doubtful()
		doubt(len(doubtful))
		if !p.quiet {
			a := answer{program: p}
			a.worst(worstOf(doubtful))
		}
	}
	o.Retrained = func(r train.Refitted) {
		say("fitted to %s in %.2f CPU seconds", screen.Plural(r.Messages, "message"), r.Seconds)
		doubt(r.Doubtful)
	}
	o.Trouble = func(err error) {
		if err == nil {
			p.aside("the trouble is over: watching %s", path)
			return
		}
		p.warn(screen.Printable(err.Error()))
	}
	return o
}
