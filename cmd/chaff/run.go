package main

import (
	"cmp"
	"context"
	"errors"
	"io"
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
	quiet   bool // no progress, no notes
	code    int  // exit code of a command that succeeds
}

func (p *program) streams() delivery.Streams {
	return delivery.Streams{In: p.stdin, Out: p.stdout.file, Err: p.stderr}
}

func run(ctx context.Context, args, environ []string, stdin io.Reader, stdout, stderr io.Writer) int {
	p := &program{environ: environ, stdin: stdin}
	p.stdout, p.stderr = &output{file: stdout}, &output{file: stderr}
	root := rootCommand(p, args)
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(screen.Lines(stdout))
	root.SetErr(screen.Lines(stderr))
	var err error
	if c, rest, unknown := root.Find(args); unknown == nil {
		err = oneDash(c, rest)
	}
	if err == nil {
		err = cmp.Or(root.ExecuteContext(ctx), p.stdout.err)
	}
	if err != nil {
		return fail(p, root, args, err)
	}
	return p.code
}

func fail(p *program, root *cobra.Command, args []string, err error) int {
	code := exitError
	var failed classifyError
	switch {
	case errors.As(err, &failed):
		code = failed.code
	case classifies(args), isUnknownCommand(err) && slices.Contains(args, "--pass"): // misspelt
		code = delivery.RefuseArguments(args, p.streams())
	}
	if errors.Is(err, context.Canceled) {
		err = errors.New("interrupted")
	}
	hint.Print(p.stderr, plainly(root, err))
	return code
}

// firstWord returns the first argument that is no flag. The flags before a command have no values.
func firstWord(args []string) string {
	for _, arg := range args {
		if !strings.HasPrefix(arg, "-") {
			return arg
		}
	}
	return ""
}

// root returns the command chaff with the commands that arguments may ask for.
func rootCommand(p *program, args []string) *cobra.Command {
	root := &cobra.Command{
		Use:   "chaff",
		Short: "A spam filter you train on your own mail",
		Long: `Chaff is a spam filter you train on your own mail. It reads Maildirs, mbox
files, folders and archives of messages, trains a linear classifier, measures
its accuracy on held-out mail, and classifies new messages from stdin.`,
		Example: `  chaff demo                       see it work on built-in sample mail
  chaff train ~/Maildir            train on a mailbox
  chaff classify < message         is this spam?
  chaff learn --ham < message      no, it is not: remember that
  chaff compare inbox junk.mbox    which model is best for this mail?`,
		Version:       version(),
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.PersistentFlags().BoolVarP(&p.quiet, "quiet", "q", false, "print only results and warnings, no progress and no notes")
	root.DisableSuggestions = true // plainly adds them
	root.CompletionOptions.DisableDefaultCmd = classifies(args)
	root.SetVersionTemplate("{{.Version}}\n")
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), ".FlagUsages ", ".FlagUsagesWrapped 80 "))
	root.SetFlagErrorFunc(flagError)
	root.AddGroup(&cobra.Group{ID: "filter", Title: "Filter mail:"}, &cobra.Group{ID: "learn", Title: "Learn from corrections:"}, &cobra.Group{ID: "measure", Title: "Measure and improve:"},
		&cobra.Group{ID: "look", Title: "Look inside:"})
	if classifies(args) { // mail systems start a process for each message, which need not make the others
		c := classifyCommand(p)
		c.GroupID = "filter"
		root.AddCommand(c)
		return root
	}
	for id, commands := range map[string][]*cobra.Command{
		"filter":  {trainCommand(p), classifyCommand(p), explainCommand(p), serveCommand(p, protocols()), imapCommand(p)},
		"learn":   {learnCommand(p), watchCommand(p), shareCommand(p), reviewCommand(p), retrainCommand(p), statusCommand(p), doctorCommand(p), collectCommand(p), mergeCommand(p), backupCommand(p), restoreCommand(p)},
		"measure": {demoCommand(p), lessonCommand(p), compareCommand(p), evaluateCommand(p), tuneCommand(p)},
		"look":    {inspectCommand(p), tokensCommand(p), configCommand(p), importCommand(p), exportCommand(p)},
	} {
		for _, c := range commands {
			c.GroupID = id
			root.AddCommand(c)
		}
	}
	root.AddCommand(versionCommand(p))
	root.SetHelpCommand(helpCommand(p))
	return root
}

func versionCommand(p *program) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version of the program",
		Args:  noArguments,
		RunE: func(*cobra.Command, []string) error {
			_, err := screen.Printf(p.stdout, "%s\n", version())
			return err
		},
	}
}

func version() string { return delivery.Version("chaff", "terms "+tokenize.Version) }
