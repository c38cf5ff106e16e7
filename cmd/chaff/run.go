package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"chaff/cmd/internal/delivery"
	"chaff/internal/hint"
	"chaff/internal/screen"
)

// Exit codes. Classify has its own when it is asked for them.
const (
	exitDone  = 0
	exitError = 1
)

// program is what a command works with: tests give it other streams than main does.
type program struct {
	environ        []string
	stdin          io.Reader
	stdout, stderr io.Writer
	code           int // exit code of a command that did its work
}

func (p *program) streams() delivery.Streams {
	return delivery.Streams{In: p.stdin, Out: p.stdout, Err: p.stderr}
}

// run is the whole program; it returns the exit code.
func run(ctx context.Context, args, environ []string, stdin io.Reader, stdout, stderr io.Writer) int {
	p := &program{environ: environ, stdin: stdin, stdout: stdout, stderr: stderr}
	root := p.root(args)
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(screen.Lines(stdout))
	root.SetErr(screen.Lines(stderr))
	if err := root.ExecuteContext(ctx); err != nil {
		return p.fail(root, args, err)
	}
	return p.code
}

// fail reports an error on one line, with a hint if there is one, and returns the exit code.
func (p *program) fail(root *cobra.Command, args []string, err error) int {
	code := exitError
	var failed classifyError
	switch {
	case errors.As(err, &failed):
		code = failed.code
	case classifies(args), strings.HasPrefix(err.Error(), "unknown command") && slices.Contains(args, "--pass"): // misspelt
		code = delivery.RefuseArguments(args, p.streams())
	}
	if strings.HasPrefix(err.Error(), "unknown command") {
		if names := root.SuggestionsFor(firstWord(args)); len(names) > 0 {
			err = hint.With(err, "did you mean `chaff "+names[0]+"`?")
		}
	}
	if errors.Is(err, context.Canceled) {
		err = errors.New("interrupted")
	}
	hint.Print(p.stderr, err)
	return code
}

// firstWord returns the first argument that is no flag, which should be a command.
func firstWord(args []string) string {
	for _, arg := range args {
		if !strings.HasPrefix(arg, "-") {
			return arg
		}
	}
	return ""
}

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
	root.DisableSuggestions = true // they come as lines of the error; a hint has them
	root.SuggestionsMinimumDistance = 2
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return hint.With(err, fmt.Sprintf("run `%s --help` for its flags", c.CommandPath()))
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
