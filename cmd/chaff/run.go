package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"chaff/cmd/internal/delivery"
	"chaff/internal/hint"
	"chaff/internal/screen"
	"chaff/tokenize"
)

// exitError is the exit code of an error. Classify has others with --exit-code.
const exitError = 1

// program is the environment of a command.
type program struct {
	environ []string
	stdin   io.Reader
	stdout  *output
	stderr  io.Writer
	colour  colourFlag
	code    int // exit code of a command that succeeds
}

func (p *program) streams() delivery.Streams {
	return delivery.Streams{In: p.stdin, Out: p.stdout.file, Err: p.stderr}
}

// run runs the program and returns its exit code.
func run(ctx context.Context, args, environ []string, stdin io.Reader, stdout, stderr io.Writer) int {
	p := &program{environ: environ, stdin: stdin, colour: colourAuto}
	p.stdout = &output{file: stdout, colours: func() bool { return p.hasColours(stdout) }}
	p.stderr = &output{file: stderr, colours: func() bool { return p.hasColours(stderr) }}
	root := p.root()
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(screen.Lines(stdout))
	root.SetErr(screen.Lines(stderr))
	err := root.ExecuteContext(ctx)
	if err := cmp.Or(err, p.stdout.err); err != nil {
		return p.fail(root, args, err)
	}
	return p.code
}

// fail prints an error and its hint, and returns the exit code.
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

// firstWord returns the first argument that is not a flag.
func firstWord(args []string) string {
	for _, arg := range args {
		if !strings.HasPrefix(arg, "-") {
			return arg
		}
	}
	return ""
}

func (p *program) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "chaff",
		Short: "A spam filter you train on your own mail",
		Long: `Chaff is a spam filter you train on your own mail. It reads Maildirs, mbox files, folders
and archives of messages, trains a linear classifier, measures its accuracy on held-out mail, and
classifies new messages from stdin.`,
		Example: `  chaff demo                                      see it work on built-in sample mail
  chaff train --maildir ~/Maildir                 train on a mailbox
  chaff classify < message                        is this spam?
  chaff compare --ham inbox --spam junk.mbox      which model is best for this mail?`,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.PersistentFlags().Var(&p.colour, "color", "show colours `WHEN`: auto (on a terminal), always or never")
	root.DisableSuggestions = true // fail adds them as a hint
	root.SuggestionsMinimumDistance = 2
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return hint.With(err, fmt.Sprintf("run `%s --help` for its flags", c.CommandPath()))
	})
	root.AddCommand(
		p.demoCommand(), p.trainCommand(), p.compareCommand(), p.tuneCommand(), p.classifyCommand(), p.evaluateCommand(), p.importCommand(),
		p.exportCommand(), p.explainCommand(), p.inspectCommand(), p.tokensCommand(), p.configCommand(), p.versionCommand(),
	)
	return root
}

func (p *program) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version of the program",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			version := "unknown"
			if info, ok := debug.ReadBuildInfo(); ok {
				version = info.Main.Version
			}
			_, err := screen.Printf(p.stdout, "chaff %s, terms %q, %s %s/%s\n",
				version, tokenize.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		},
	}
}
