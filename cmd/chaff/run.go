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

// program is the environment of a command, and what the flags that many commands have say.
type program struct {
	environ []string
	stdin   io.Reader
	stdout  *output
	stderr  io.Writer
	quiet   bool   // no progress, no notes
	asJSON  bool   // the result as JSON
	verbose bool   // all of the result
	model   string // path of the model file
	code    int    // exit code that the command has set
}

func (p *program) streams() delivery.Streams {
	return delivery.Streams{In: p.stdin, Out: p.stdout.file, Err: p.stderr}
}

func run(ctx context.Context, args, environ []string, stdin io.Reader, stdout, stderr io.Writer) int {
	p := &program{environ: environ, stdin: stdin}
	p.stdout, p.stderr = &output{file: stdout}, &output{file: stderr, width: widthOf(stderr)}
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
	code := cmp.Or(p.code, exitError)
	if p.code == 0 && (firstWord(args) == "classify" || isUnknownCommand(err) && slices.Contains(args, "--pass")) { // misspelt
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
		Version:       delivery.Version("chaff", "terms "+tokenize.Version),
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.PersistentFlags().BoolVarP(&p.quiet, "quiet", "q", false, "print only results and warnings, no progress and no notes")
	root.PersistentPreRunE = refuseEmpty
	root.DisableSuggestions = true // plainly adds them
	root.SetVersionTemplate("{{.Version}}\n")
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), ".FlagUsages ", ".FlagUsagesWrapped 80 "))
	root.SetFlagErrorFunc(flagError)
	root.AddGroup(&cobra.Group{ID: "filter", Title: "Filter mail:"}, &cobra.Group{ID: "learn", Title: "Learn from corrections:"}, &cobra.Group{ID: "measure", Title: "Measure and improve:"},
		&cobra.Group{ID: "look", Title: "Look inside:"})
	all := commands()
	_, isCommand := all[firstWord(args)]
	root.CompletionOptions.DisableDefaultCmd = isCommand
	for name, of := range all { // a start for one command need not make the others
		if !isCommand || name == firstWord(args) {
			c := of.make(p)
			c.GroupID = of.group
			root.AddCommand(c)
		}
	}
	if !isCommand {
		root.AddCommand(versionCommand(p))
		root.SetHelpCommand(helpCommand(p))
	}
	return root
}

// grouped is what makes a command, and the group of the help that it is in.
type grouped struct {
	group string
	make  func(*program) *cobra.Command
}

// commands returns the commands of chaff by name.
func commands() map[string]grouped {
	return map[string]grouped{
		"train": {"filter", trainCommand}, "classify": {"filter", classifyCommand}, "explain": {"filter", explainCommand},
		"serve": {"filter", func(p *program) *cobra.Command { return serveCommand(p, protocols()) }}, "imap": {"filter", imapCommand},
		"learn": {"learn", learnCommand}, "watch": {"learn", watchCommand}, "share": {"learn", shareCommand}, "review": {"learn", reviewCommand},
		"retrain": {"learn", retrainCommand}, "status": {"learn", statusCommand}, "doctor": {"learn", doctorCommand},
		"collect": {"learn", collectCommand}, "merge": {"learn", mergeCommand}, "backup": {"learn", backupCommand}, "restore": {"learn", restoreCommand},
		"demo": {"measure", demoCommand}, "lesson": {"measure", lessonCommand}, "compare": {"measure", compareCommand},
		"evaluate": {"measure", evaluateCommand}, "tune": {"measure", tuneCommand},
		"inspect": {"look", inspectCommand}, "tokens": {"look", tokensCommand}, "config": {"look", configCommand},
		"import": {"look", importCommand}, "export": {"look", exportCommand},
	}
}

func versionCommand(p *program) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version of the program",
		Args:  noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			_, err := screen.Printf(p.stdout, "%s\n", c.Root().Version)
			return err
		},
	}
}
