// Command chaff is a spam filter that you train on your own mail.
//
// Run `chaff help` for its commands, and `chaff demo` to see it work on built-in sample mail.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"chaff/cmd/internal/delivery"
	"chaff/corpus/sources"
	"chaff/internal/garbage"
	"chaff/internal/hint"
	"chaff/internal/screen"
	"chaff/tokenize"
)

// maxGarbage is about how much garbage commands that read a collection may have, in bytes. Documents hold no pointers, so
// frequent collections cost little, and less garbage is a smaller process.
const maxGarbage = 16 << 20

func main() {
	ctx, args := context.Background(), os.Args[1:]
	command := firstWord(args)
	hasLimit := os.Getenv("GOGC")+os.Getenv("GOMEMLIMIT") != ""
	if !hasLimit && command != "classify" && command != "serve" { // which have a small heap
		garbage.Limit(maxGarbage)
	}
	if command == "classify" {
		delivery.Guard(args) // an interrupt does not end it before its message is out
	} else {
		var stop func()
		ctx, stop = signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
		if command == "serve" { // which judges what it has accepted, however often it is told to end
			signal.Ignore(syscall.SIGPIPE) // and when nobody reads its log
		} else {
			context.AfterFunc(ctx, stop) // a second signal ends it at once: nothing else ends what waits for input
		}
	}
	os.Exit(run(ctx, args, os.Environ(), os.Stdin, os.Stdout, os.Stderr))
}

// exitError is the exit code of an error. Classify has others with --exit-code.
const exitError = 1

// program is the environment of a command, and what the flags that many commands have say.
type program struct {
	environ []string
	streams delivery.Streams
	stdout  *output
	stderr  *output
	quiet   bool   // no progress, no notes
	asJSON  bool   // the result as JSON
	verbose bool   // all of the result
	model   string // path of the model file
	code    int    // exit code that the command has set
}

func run(ctx context.Context, args, environ []string, stdin io.Reader, stdout, stderr io.Writer) int {
	p := &program{environ: environ, stdout: newOutput(stdout), stderr: newOutput(stderr)}
	p.stdout.progress, p.stderr.progress = p.stderr, p.stderr
	defer p.stderr.clear()
	p.streams = delivery.Streams{In: stdin, Out: stdout, Err: p.stderr}
	root := rootCommand(p, args)
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(screen.Lines{To: p.stdout})
	root.SetErr(screen.Lines{To: stderr})
	root.InitDefaultCompletionCmd()
	if c, _, err := root.Find([]string{"completion"}); err == nil { // no other command was asked for
		c.Use, c.DisableFlagsInUseLine = "completion SHELL", true
		c.Example = "  chaff completion bash > ~/.local/share/bash-completion/completions/chaff"
		c.Args = func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return fmt.Errorf("unknown shell %q: must be bash, fish, powershell or zsh", args[0])
			}
			return nil
		}
		c.RunE = func(c *cobra.Command, _ []string) error { return c.Help() } // the arguments of a command that runs are checked
	}
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
	word := firstWord(args)
	if _, isCommand := commands[word]; p.code == 0 && (word == "classify" || !isCommand && slices.Contains(args, "--pass")) { // misspelt or forgotten
		code = delivery.RefuseArguments(args, p.streams)
	}
	if errors.Is(err, context.Canceled) {
		err = errors.New("interrupted")
	}
	hint.Print(p.stderr, advised(plainly(root, err)))
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

// rootCommand returns the command chaff with the commands that arguments may ask for.
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
	_, isCommand := commands[firstWord(args)]
	root.CompletionOptions.DisableDefaultCmd = isCommand
	for name, of := range commands { // a start for one command need not make the others
		if !isCommand || name == firstWord(args) {
			c := of.make(p)
			c.GroupID = of.group
			root.AddCommand(c)
		}
	}
	if !isCommand {
		root.Version = delivery.Version("chaff", "terms "+tokenize.Version)
		root.AddCommand(&cobra.Command{
			Use:   "version",
			Short: "Print the version of the program",
			Args:  noArguments,
			Run:   func(*cobra.Command, []string) { screen.Printf(p.stdout, "%s\n", root.Version) },
		})
		root.SetHelpCommand(helpCommand(p))
	}
	return root
}

// commands has what makes each command, and the group of the help that it is in.
var commands = map[string]struct {
	group string
	make  func(*program) *cobra.Command
}{
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

// oneDash returns an error if args have a long flag of c with one dash: pflag takes -maildir for -m aildir.
func oneDash(c *cobra.Command, args []string) error {
	for _, arg := range args {
		if arg == "--" {
			return nil
		}
		name, isOne := strings.CutPrefix(arg, "-")
		name, _, _ = strings.Cut(name, "=")
		if isOne && len(name) > 1 && name[0] != '-' && c.Flags().Lookup(name) != nil {
			return fmt.Errorf("unknown flag -%s: did you mean --%s?", name, name)
		}
	}
	return nil
}

// refuseEmpty refuses arguments and values of flags that are empty, as a script makes them.
func refuseEmpty(c *cobra.Command, args []string) (err error) {
	const says = "is empty: the variable that should hold it may not be set"
	if slices.Contains(args, "") && !c.Hidden { // completion is hidden
		return errors.New("a path " + says)
	}
	c.Flags().Visit(func(f *pflag.Flag) {
		list, isList := f.Value.(pflag.SliceValue)
		if f.Value.Type() == "string" && f.Value.String()+f.NoOptDefVal == "" || isList && (len(list.GetSlice()) == 0 || slices.Contains(list.GetSlice(), "")) {
			err = fmt.Errorf("--%s %s", f.Name, says)
		}
	})
	return err
}

// addModelFile adds the flags for the model, which the verb is done to, and for JSON, as json describes it, if there are such.
func (p *program) addModelFile(c *cobra.Command, verb, json string) {
	if verb != "" {
		c.Flags().StringVarP(&p.model, "model-file", "m", delivery.Path(p.environ, delivery.DataHome, "model"), verb+" the model `FILE`; default $XDG_DATA_HOME/chaff/model")
		c.Flags().Lookup("model-file").DefValue = "" // which the usage says
	}
	if json != "" {
		c.Flags().BoolVar(&p.asJSON, "json", false, json)
	}
}

// use returns the flag that names the model in another command, if it is needed.
func (p *program) use() string { return delivery.Use(p.environ, p.model) }

// exclude makes a flag of c exclude each of some others.
func exclude(c *cobra.Command, flag string, others ...string) {
	for _, other := range others {
		c.MarkFlagsMutuallyExclusive(flag, other)
	}
}

// addFormat adds the flag --format for the paths that what names.
func addFormat(c *cobra.Command, format *string, what string) {
	names := sources.Formats()
	c.Flags().StringVar(format, "format", "", fmt.Sprintf("read %s as `NAME`: %s", what, strings.Join(names, ", ")))
	_ = c.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp))
}
