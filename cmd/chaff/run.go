package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
)

// Exit codes. Classify has its own when it is asked for them.
const (
	exitDone     = 0
	exitError    = 1
	exitTempFail = 75 // EX_TEMPFAIL of sysexits.h: the mail system keeps the message and tries again
)

// program is what a command works with: tests give it other streams than main does.
type program struct {
	environ        []string
	stdin          io.Reader
	stdout, stderr io.Writer
	code           int // exit code of a command that did its work
}

// run is the whole program; it returns the exit code.
func run(ctx context.Context, args, environ []string, stdin io.Reader, stdout, stderr io.Writer) int {
	p := &program{environ: environ, stdin: stdin, stdout: stdout, stderr: stderr}
	root := p.root(args)
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	command, err := root.ExecuteContextC(ctx)
	if err == nil {
		return p.code
	}
	return p.fail(command, args, err)
}

// fail reports an error on one line, with a hint if there is one, and returns the exit code.
func (p *program) fail(command *cobra.Command, args []string, err error) int {
	code := exitError
	var failed classifyError
	switch {
	case errors.As(err, &failed):
		code = failed.code
	case command.Name() == "classify":
		code = p.misunderstood(args)
	}
	if errors.Is(err, context.Canceled) {
		err = errors.New("interrupted")
	}
	for line := range strings.Lines(err.Error()) {
		fmt.Fprintf(p.stderr, "chaff: %s\n", strings.TrimSpace(line))
	}
	var hinted hintedError
	if errors.As(err, &hinted) {
		fmt.Fprintf(p.stderr, "chaff: hint: %s\n", hinted.hint)
	}
	return code
}

// hintedError is an error together with a guess at what the user can do.
type hintedError struct {
	error
	hint string
}

func (e hintedError) Unwrap() error { return e.error }

// root is the program with its commands; if args begin with the name of one, with that one only, since to make them all
// takes as long as to classify a message.
func (p *program) root(args []string) *cobra.Command {
	root := &cobra.Command{
		Use:   "chaff",
		Short: "A spam filter you train on your own mail",
		Long: `Chaff is a spam filter you train on your own mail. It reads Maildirs, mbox files, folders
and archives of messages, trains linear classifiers on their words, says how accurate they are on mail
they have not seen, and then classifies new messages from stdin.`,
		Example: `  chaff demo                                      see it work on the mail that is part of it
  chaff train --maildir ~/Maildir                 train on a mailbox
  chaff classify < message                        is this spam?
  chaff compare --ham inbox --spam junk.mbox      which model is best for this mail?`,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return hintedError{err, fmt.Sprintf("run `%s --help` for its flags", c.CommandPath())}
	})
	commands := p.commands()
	for _, c := range commands {
		if len(args) > 0 && args[0] == c.name {
			root.AddCommand(c.make())
			root.CompletionOptions.DisableDefaultCmd = true
			return root
		}
	}
	for _, c := range commands {
		root.AddCommand(c.make())
	}
	return root
}

// namedCommand is how a command is made.
type namedCommand struct {
	name string
	make func() *cobra.Command
}

func (p *program) commands() []namedCommand {
	return []namedCommand{
		{"demo", p.demoCommand},
		{"train", p.trainCommand},
		{"compare", p.compareCommand},
		{"tune", p.tuneCommand},
		{"classify", p.classifyCommand},
		{"evaluate", p.evaluateCommand},
		{"import", p.importCommand},
		{"export", p.exportCommand},
		{"explain", p.explainCommand},
		{"inspect", p.inspectCommand},
		{"tokens", p.tokensCommand},
		{"config", p.configCommand},
		{"version", p.versionCommand},
	}
}

// env returns an environment variable.
func (p *program) env(name string) string {
	for _, variable := range p.environ {
		if value, ok := strings.CutPrefix(variable, name+"="); ok {
			return value
		}
	}
	return ""
}

// place returns the path of one of our files by the XDG base directory rules, empty if the home directory is unknown.
func (p *program) place(variable, fallback, name string) string {
	dir := p.env(variable)
	if !filepath.IsAbs(dir) { // the rules say that a relative path counts as unset
		home := p.env("HOME")
		if home == "" {
			home, _ = os.UserHomeDir()
		}
		if home == "" {
			return ""
		}
		dir = filepath.Join(home, fallback)
	}
	return filepath.Join(dir, "chaff", name)
}

func (p *program) defaultConfig() string {
	return p.place("XDG_CONFIG_HOME", ".config", "config.toml")
}

func (p *program) defaultModel() string {
	return p.place("XDG_DATA_HOME", filepath.Join(".local", "share"), "model")
}
