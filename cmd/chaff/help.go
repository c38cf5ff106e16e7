package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"chaff/internal/hint"
	"chaff/internal/replace"
	"chaff/internal/screen"
)

func helpCommand(p *program) *cobra.Command {
	var man string
	c := &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Print the help of a command, or write the manual pages",
		Example: `  chaff help train
  chaff help --man ~/.local/share/man/man1 && man chaff-train`,
		Args: atMostOne("command"),
		ValidArgsFunction: func(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			var names []string
			for _, other := range c.Root().Commands() {
				if len(args) == 0 && other.IsAvailableCommand() {
					names = append(names, cobra.CompletionWithDesc(other.Name(), other.Short))
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(c *cobra.Command, args []string) error {
			if man != "" {
				return writeManual(p.stdout, c.Root(), man)
			}
			about := c.Root()
			if len(args) == 1 {
				var rest []string
				var err error
				if about, rest, err = c.Root().Find(args); err != nil || len(rest) > 0 {
					return unknownCommand(c.Root(), args[0])
				}
			}
			about.InitDefaultHelpFlag()
			about.InitDefaultVersionFlag()
			return about.Help()
		},
	}
	c.Flags().StringVar(&man, "man", "", "write the manual pages into the folder `DIR`")
	return c
}

// hasPage reports whether a command has a manual page. Cobra leaves help out of those that it calls available.
func hasPage(c *cobra.Command) bool { return c.IsAvailableCommand() || c.Name() == "help" }

// writeManual writes a manual page for each command into the folder dir, made of the same texts as the help.
func writeManual(out io.Writer, root *cobra.Command, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("write the manual pages into %s: %w", dir, cmp.Or(errors.Unwrap(err), err))
	}
	pages := append([]*cobra.Command{root}, slices.DeleteFunc(root.Commands(), func(c *cobra.Command) bool { return !hasPage(c) })...)
	kind := replace.Kind{Name: "manual page", Start: manMark}
	var outputs []replace.Output
	for _, c := range pages {
		outputs = append(outputs, replace.Output{Path: filepath.Join(dir, manName(c)+".1"), Kind: kind})
	}
	if err := canWrite(nil, outputs...); err != nil {
		return err
	}
	for i, c := range pages {
		c.InitDefaultHelpFlag()
		c.InitDefaultVersionFlag()
		if err := writeBytes(outputs[i].Path, kind, []byte(manPage(c, pages))); err != nil {
			return err
		}
	}
	_, err := screen.Printf(out, "Wrote %d manual pages into %s: man %s shows the first.\n", len(pages), dir, filepath.Join(dir, "chaff.1"))
	return err
}

// manName returns the name of the manual page of a command: chaff-train for chaff train.
func manName(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

// manMark is a comment that begins a manual page.
const manMark = ".\\\" Written by chaff help --man\n"

// manPage returns the manual page of c in roff. It refers to all pages.
func manPage(c *cobra.Command, pages []*cobra.Command) string {
	var b strings.Builder
	section := func(title string) { fmt.Fprintf(&b, ".SH %s\n", title) }
	verbatim := func(text string) { fmt.Fprintf(&b, ".nf\n%s\n.fi\n", roff(text)) }
	b.WriteString(manMark)
	fmt.Fprintf(&b, ".TH %s 1\n", strings.ToUpper(manName(c)))
	section("NAME")
	fmt.Fprintf(&b, "%s \\- %s\n", roff(manName(c)), roff(strings.ToLower(c.Short[:1])+c.Short[1:]))
	section("SYNOPSIS")
	synopsis := c.UseLine()
	if c.HasAvailableSubCommands() {
		synopsis = c.CommandPath() + " COMMAND [flags]"
	}
	verbatim(synopsis)
	if c.Long != "" {
		section("DESCRIPTION")
		b.WriteString(strings.ReplaceAll(roff(c.Long), "\n\n", "\n.PP\n") + "\n")
	}
	if c.HasAvailableSubCommands() {
		section("COMMANDS")
		for _, other := range pages[1:] {
			fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", roff(other.Name()), roff(other.Short))
		}
	}
	if c.HasAvailableFlags() {
		section("OPTIONS")
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden {
				b.WriteString(manFlag(f))
			}
		})
	}
	if program := pagesOfPrograms[manName(c)]; program.about != "" {
		section("THE PROGRAM " + strings.ToUpper(roff(manName(c))))
		b.WriteString(roff(program.about) + "\n")
		verbatim(strings.TrimSuffix(program.flags, "\n"))
	}
	if c.Example != "" {
		section("EXAMPLES")
		verbatim(c.Example)
	}
	section("SEE ALSO")
	var also []string
	for _, other := range pages {
		if other != c {
			also = append(also, ".BR "+roff(manName(other))+" (1)")
		}
	}
	b.WriteString(strings.Join(also, ",\n") + "\n")
	return b.String()
}

// pagesOfPrograms has what the pages of two commands say of the programs of the same name. The flags are those that their help lists.
var pagesOfPrograms = map[string]struct{ about, flags string }{
	"chaff-classify": {`A program of this name does the same for one message from stdin. It takes no
path and starts faster, for mail systems that start a process for each message.
Its flags are:`, `  --exit-code[=NAME]
        exit as the filter NAME does: bogofilter (0 spam, 1 ham, 2 unsure, 3
        error) or spamassassin (1 spam, 0 else, 2 error); needs a model of ham
        and spam
  --json
        print one JSON object for each message
  --model-file FILE, -m FILE
        use the model in FILE; default $XDG_DATA_HOME/chaff/model
  --pass
        print the message with the verdict in its header
  --terms N
        with --pass: add a field X-Chaff-Term for each of the N strongest terms
  --version
        print the version of the program
`},
	"chaff-learn": {`A program of this name learns one message from stdin and starts faster, for mail
systems that start a process for each message. It reads no configuration and
prints nothing but errors. It exits with 0 if the model has learned the message,
1 if it refuses it, and 75 for trouble that may pass. Its flags are:`, `  --class NAME
        the message is of the class NAME
  --forget
        forget the message
  --ham
        the message is ham
  --model-file FILE, -m FILE
        teach the model FILE; default $XDG_DATA_HOME/chaff/model
  --spam
        the message is spam
  --version
        print the version of the program
`},
}

func manFlag(f *pflag.Flag) string {
	name, about := pflag.UnquoteUsage(f)
	flag := `\fB` + roff("--"+f.Name) + `\fR`
	if f.Shorthand != "" {
		flag = `\fB` + roff("-"+f.Shorthand) + `\fR, ` + flag
	}
	switch {
	case f.NoOptDefVal != "" && f.Value.Type() != "bool":
		flag += `[=\fI` + roff(name) + `\fR]`
	case name != "":
		flag += ` \fI` + roff(name) + `\fR`
	}
	switch f.DefValue {
	case "", "0", "false", "[]":
	default:
		about += " (default " + f.DefValue + ")"
	}
	return fmt.Sprintf(".TP\n%s\n%s\n", flag, roff(about))
}

// roff escapes text for a manual page: backslashes, hyphens that are typed, and dots and quotes that would begin a request.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "\n.", "\n\\&.", "\n'", "\n\\&'").Replace("\n" + text)
	return text[1:]
}

func completionCommand(p *program) *cobra.Command {
	write := map[string]func(c *cobra.Command, out io.Writer) error{
		"bash":       func(c *cobra.Command, out io.Writer) error { return c.GenBashCompletionV2(out, true) },
		"zsh":        (*cobra.Command).GenZshCompletion,
		"fish":       func(c *cobra.Command, out io.Writer) error { return c.GenFishCompletion(out, true) },
		"powershell": (*cobra.Command).GenPowerShellCompletionWithDesc,
	}
	shells := []string{"bash", "zsh", "fish", "powershell"}
	return &cobra.Command{
		Use:   "completion SHELL",
		Short: "Print a script that completes commands and values in a shell",
		Long: `Completion prints a script for bash, zsh, fish or powershell. With it, the tab
key completes commands, flags, names of models, settings and the folders of a
mailbox.`,
		Example: `  source <(chaff completion bash)                  in ~/.bashrc
  source <(chaff completion zsh)                   in ~/.zshrc
  chaff completion fish | source                   in ~/.config/fish/config.fish`,
		Args:      atMostOne("shell"),
		ValidArgs: shells,
		RunE: func(c *cobra.Command, args []string) error {
			list := "chaff completes for " + strings.Join(shells, ", ")
			if len(args) == 0 {
				return hint.With(errors.New("no shell given: "+list), "for example: source <(chaff completion bash)")
			}
			if write[args[0]] == nil {
				return fmt.Errorf("unknown shell %q: %s", args[0], hint.DidYouMean(args[0], shells, list))
			}
			return write[args[0]](c.Root(), screen.Lines(p.stdout))
		},
	}
}
