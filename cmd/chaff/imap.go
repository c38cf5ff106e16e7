package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"

	"github.com/spf13/cobra"

	"chaff/cmd/internal/delivery"
	"chaff/config"
	"chaff/filter"
	"chaff/internal/hint"
	"chaff/internal/screen"
	"chaff/mailbox"
	"chaff/mailbox/imap"
	"chaff/message"
)

type mailClient struct {
	onModel
	passwordFile, passwordCommand string
	account                       imap.Account
	secret                        imap.Secret
	options                       imap.Options
	move, learn                   bool
}

func imapCommand(p *program) *cobra.Command {
	var address string
	x := mailClient{options: imap.DefaultOptions()}
	c := &cobra.Command{
		Use:   "imap [-m FILE] --account imaps://USER@HOST",
		Short: "Filter a mailbox on an IMAP server",
		Long: `Imap judges the new unseen mail in the inbox of an IMAP server, for people
without a server of their own. It deletes nothing and marks nothing as read.

Without --move and --learn it changes nothing and prints what it would move.
With --move it moves spam to the folder for spam; with --learn it learns what
the folders say, as chaff learn --maildir does. A message that you move out of
the folder for spam is not moved there again. What chaff moved teaches nothing.

The password is in a file that nobody else can read, is printed by a command, or
is in $CHAFF_IMAP_PASSWORD. The connection is encrypted by TLS, but for imap://,
which reaches servers on this machine only.

FILE.imap keeps the number of the last message that was judged, and hashes of
the messages that were moved.`,
		Example: `  chaff imap --account imaps://anna@imap.example.org --password-file ~/.imap
  chaff imap --account imaps://anna@imap.example.org --password-file ~/.imap \
    --learn --move`,
		Args: noArguments,
		RunE: func(*cobra.Command, []string) error {
			if err := x.check(address); err != nil {
				return err
			}
			return x.run()
		},
	}
	x.add(p, c, "use", "print what was done as JSON", "workers", "memory")
	f := c.Flags()
	f.StringVar(&address, "account", "", "the mailbox at `ADDRESS`: imaps://USER@HOST[:PORT]")
	f.StringVar(&x.passwordFile, "password-file", "", "read the password from `FILE`, of mode 0600")
	f.StringVar(&x.passwordCommand, "password-command", "", "read the password from what the shell command `COMMAND` prints")
	f.BoolVar(&x.secret.Token, "oauth", false, "the password is an access token of OAuth 2.0")
	f.StringVar(&x.options.Junk, "junk", "", "the folder for spam is `NAME`")
	f.BoolVar(&x.move, "move", false, "move spam to the folder for spam")
	f.BoolVar(&x.learn, "learn", false, "learn what the folders say; alone, it judges nothing")
	f.IntVar(&x.options.Limit, "limit", x.options.Limit, "judge at most `N` messages, and learn at most N of each class, at a time")
	c.MarkFlagsMutuallyExclusive("password-file", "password-command")
	return c
}

func (x *mailClient) check(address string) (err error) {
	if address == "" {
		return hint.With(errors.New("no account given"), "chaff imap --account imaps://USER@HOST --password-file FILE")
	}
	if x.account, err = imap.ParseAccount(address); err != nil {
		return fmt.Errorf("--account %w", err)
	}
	if x.options.Limit < 1 {
		return fmt.Errorf("--limit is %d: must be at least 1", x.options.Limit)
	}
	if !x.learn {
		x.warnOfMailbox("--learn")
	} else if err := x.hasStore(x.model); err != nil {
		return err
	}
	x.secret.Text, err = x.password()
	return err
}

// password returns the password, without the end of its line.
func (x *mailClient) password() (string, error) {
	var text []byte
	var err error
	switch {
	case x.passwordFile != "":
		var isShared bool
		if text, isShared, err = readSecret(x.passwordFile); isShared {
			err = hint.With(errors.New("others can read the password"), "chmod 600 "+screen.Printable(hint.Word(x.passwordFile)))
		}
		if err != nil {
			return "", fmt.Errorf("--password-file %s: %w", x.passwordFile, err)
		}
	case x.passwordCommand != "":
		shell := exec.CommandContext(x.command.Context(), "sh", "-c", x.passwordCommand)
		shell.Env, shell.Stderr = x.environ, screen.Lines{To: x.stderr}
		if text, err = shell.Output(); err != nil {
			return "", fmt.Errorf("--password-command: %w", err)
		}
	default:
		if text = []byte(delivery.Variable(x.environ, config.PasswordVariable)); len(text) == 0 {
			return "", hint.With(errors.New("no password given"), "write it into a file of mode 0600: --password-file FILE; or let a command print it: --password-command 'pass imap'")
		}
	}
	line, _, _ := strings.Cut(string(text), "\n")
	if line = strings.TrimSuffix(line, "\r"); line == "" {
		return "", errors.New("the password is empty")
	}
	return line, nil
}

type mailDone struct {
	Account string `json:"account"`
	File    string `json:"file"`
	// Junk is the folder for spam; empty for none.
	Junk string `json:"junk"`
	// DryRun reports whether nothing was to be moved.
	DryRun  bool       `json:"dry_run"`
	Inbox   *imap.Run  `json:"inbox,omitempty"`
	Learned *mailboxes `json:"learned,omitempty"`
}

func (x *mailClient) run() error {
	delivery.LimitMemory(delivery.MessageMemory)
	ctx := x.command.Context()
	c, err := imap.Dial(ctx, x.account, x.secret, x.options)
	if err != nil {
		return err
	}
	defer c.Close()
	if x.learn && c.Junk() == "" {
		x.warn(fmt.Sprintf("%s has no folder for spam, so all mail in it counts as ham: --junk NAME says which it is", screen.Printable(x.account.String())))
	}
	state, err := imap.OpenState(x.model, x.move || x.learn)
	if err != nil {
		return err
	}
	defer state.Close()
	done := mailDone{Account: x.account.String(), File: x.model, Junk: c.Junk(), DryRun: !x.move}
	if x.learn {
		if done.Learned, err = x.learnFolders(ctx, c, state); err != nil {
			return err
		}
	}
	if x.move || !x.learn {
		err = x.judge(ctx, c, state, &done)
	}
	return errors.Join(err, x.show(done, done.describe))
}

// learnFolders learns what the folders say. Messages are read before the log is locked.
func (x *mailClient) learnFolders(ctx context.Context, c *imap.Client, state *imap.State) (*mailboxes, error) {
	box, err := c.Mailbox(ctx, state)
	if err != nil {
		return nil, err
	}
	all := &mailboxes{File: x.model, review: "move each that is in the wrong folder"}
	o := mailbox.LearnOptions{Workers: 1, Limit: x.options.Limit, Filed: box.Filed}
	l := learning{onModel: x.onModel}
	for _, l.dryRun = range []bool{true, false} {
		all.Mailboxes = nil
		err = l.eachMailbox(all, []*mailbox.Mailbox{box.Mailbox}, o)
		if err = cmp.Or(err, box.Err()); err != nil || all.Mailboxes[0].Read == 0 {
			break
		}
	}
	return all, err
}

func (x *mailClient) judge(ctx context.Context, c *imap.Client, state *imap.State, done *mailDone) error {
	f, err := x.openModel()
	if err != nil {
		return err
	}
	defer f.Close()
	if !filter.IsSpamFilter(f.Settings().Classes) {
		return mailbox.ErrClasses
	}
	run, err := c.Judge(ctx, state, f.Classify, x.move)
	done.Inbox = &run
	return err
}

func (d mailDone) describe(a *answer) {
	later := func(n int) {
		if n > 0 {
			a.unlessQuiet("later", "%s over the limit (--limit)", screen.Plural(n, "message"))
		}
	}
	if d.Learned != nil {
		d.Learned.describe(a)
		later(d.Learned.Mailboxes[0].Later)
	}
	r := d.Inbox
	if r == nil {
		return
	}
	unsure := 0
	for _, m := range r.Messages {
		if m.Verdict == filter.Unsure {
			unsure++
		}
		if m.Verdict != filter.Ham {
			from, subject := screen.Cut(screen.Printable(m.From), headWidth), screen.Cut(screen.Printable(m.Subject), headWidth)
			line := fmt.Sprintf("%-6s  P(spam) %.3f  %s  %s", m.Verdict, m.Probability, from, subject)
			if m.CameBack {
				line += "  (moved back, so it stays)"
			}
			a.line("%s", screen.Quoted(line))
		}
	}
	add := a.unlessQuiet // that nothing is new
	if r.Judged > 0 {
		add = a.fact
	}
	add("judged", "%s: %d ham, %d unsure, %d spam", screen.Plural(r.Judged, "new message"), r.Judged-r.Spam-unsure, unsure, r.Spam)
	switch {
	case !d.DryRun && d.Junk != "":
		add("moved", "%d to %s", r.Moved, d.Junk)
	case r.Spam > 0 && d.Junk == "":
		a.fact("moved", "0: this is a dry run, and there is no folder for spam (--junk NAME says which it is)")
	case r.Spam > 0:
		a.fact("moved", "0: this is a dry run, --move moves spam to %s", d.Junk)
	}
	if r.TooLarge > 0 {
		a.fact("not judged", "%s larger than %d MiB", screen.Plural(r.TooLarge, "message"), message.MaxSize>>20)
	}
	later(r.Later)
}
