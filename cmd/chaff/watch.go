package main

import (
	"errors"

	"github.com/spf13/cobra"

	"chaff/internal/hint"
	"chaff/internal/screen"
	"chaff/mailbox"
	"chaff/store"
	"chaff/train"
)

func (p *program) watchCommand() *cobra.Command {
	var settings settingFlags
	var model, path string
	c := &cobra.Command{
		Use:        "watch [-m FILE] --maildir PATH",
		Short:      "Learn from a mailbox while it changes",
		SuggestFor: []string{"follow", "daemon", "monitor"},
		Long: `Watch learns what chaff learn --maildir learns, as it happens: mail that
arrives in a folder of spam or ham, and messages that you move between them. It
prints a line for each, and changes nothing in the mailbox.

The model is fitted again when nothing has happened for half a minute and
enough was learned (store.retrain_after). The store is open only while watch
learns, so other commands work beside it. An interrupt ends it.`,
		Example: `  chaff watch --maildir ~/Maildir
  chaff watch --maildir ~/Maildir -m spam.model --quiet`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			loaded, err := p.load(&settings)
			if err != nil {
				return err
			}
			p.warnOfModelSettings(loaded)
			if path == "" {
				return needMaildir(c)
			}
			if err := hasStore(model); err != nil {
				return err
			}
			if _, err := p.openMailbox(path); err != nil {
				return err
			}
			o := p.watching(path)
			o.Model, o.Store, o.Retrain, o.Mailbox = model, loaded.Config.Store, retrainOptions(loaded.Config), loaded.Config.Mailbox
			return aboutMailbox(aboutStore(model, mailbox.Watch(c.Context(), path, o)))
		},
	}
	settings.add(p, c, "workers", "memory")
	addMaildir(c, &path)
	p.addModelFile(c, &model, "teach")
	return c
}

// addMaildir adds the flag that names a mailbox.
func addMaildir(c *cobra.Command, path *string) {
	c.Flags().Var(&onePath{path}, "maildir", "the mailbox of Maildirs at `PATH`")
	completePaths(c, "maildir")
}

// onePath is the value of a flag that names one path.
type onePath struct{ path *string }

// Set implements [pflag.Value].
func (o *onePath) Set(path string) error {
	if *o.path != "" {
		return errors.New("it was given before, and takes one path")
	}
	*o.path = path
	return nil
}

// String and Type implement [pflag.Value].
func (o *onePath) String() string {
	if o.path == nil {
		return ""
	}
	return *o.path
}

func (o *onePath) Type() string { return "string" }

func needMaildir(c *cobra.Command) error {
	return hint.With(errors.New("no mailbox given"), c.CommandPath()+" --maildir ~/Maildir")
}

// watching returns options that print what happens.
func (p *program) watching(path string) mailbox.WatchOptions {
	o := mailbox.DefaultWatchOptions()
	o.Compared = func(a mailbox.Account) {
		if !p.quiet {
			screen.Printf(p.stderr, "chaff: watching %s: %s, %d left out\n", path, plural(a.Messages, "message"), a.LeftOut)
			for _, row := range silent(a) {
				screen.Printf(p.stderr, "chaff: %s: %s\n", row[0], row[1])
			}
		}
	}
	o.Changed = func(c mailbox.Change) {
		switch {
		case c.Result == store.Refused:
			screen.Printf(p.stderr, "chaff: left out: %s\n", screen.Quoted(c.Reason))
		case p.quiet:
		case c.Result == store.Relabelled:
			screen.Printf(p.stdout, "moved from %s to %s: %s\n", c.Before, c.Label, c.Path)
		case c.Result == store.Sure:
			screen.Printf(p.stdout, "sure of %s: %s\n", c.Label, c.Path)
		default:
			screen.Printf(p.stdout, "learned %s: %s\n", c.Label, c.Path)
		}
	}
	review := "chaff review --maildir " + shellWord(path)
	o.Learned = func(a mailbox.Account) {
		if a.TakenBack > 0 && !p.quiet {
			screen.Printf(p.stdout, "forgotten: %s that you deleted soon after reading\n", plural(a.TakenBack, "message"))
		}
		p.printWorst(doubtfulChanges(a.Changes), review)
	}
	o.Retrained = func(r train.Refitted) {
		if !p.quiet {
			screen.Printf(p.stdout, "fitted to %s in %.2f CPU seconds\n", plural(r.Messages, "message"), r.Seconds)
			if n := len(r.Doubtful); n > 0 {
				screen.Printf(p.stdout, "%s: %s lists them\n", mislabelled(n), screen.Quoted(review))
			}
		}
	}
	o.Trouble = func(err error) {
		if err == nil {
			screen.Printf(p.stderr, "chaff: the trouble is over: watching %s\n", path)
			return
		}
		p.warn(screen.Printable(err.Error()))
	}
	return o
}
