package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"chaff/config"
	"chaff/corpus"
	"chaff/corpus/sources"
	"chaff/features"
	"chaff/filter"
	"chaff/filter/weights"
	"chaff/internal/hint"
	"chaff/internal/replace"
	"chaff/internal/screen"
	"chaff/mailbox"
	"chaff/mailbox/imap"
	"chaff/models"
	"chaff/train"
)

func unknownCommand(root *cobra.Command, word string) error {
	meant := hint.Nearest(word, mapped(withPages(root), (*cobra.Command).Name))
	_, noFile := os.Stat(word)
	switch {
	case strings.EqualFold(word, "report"):
		return fmt.Errorf("unknown command %q: chaff train, compare and evaluate draw a page with --report FILE.html", word)
	case meant != "":
		return fmt.Errorf("unknown command %q: did you mean chaff %s?", word, meant)
	case noFile == nil:
		return fmt.Errorf("%s is no command: chaff train PATH learns from mail, chaff classify PATH judges it", word)
	}
	return fmt.Errorf("unknown command %q: chaff help lists the commands", word)
}

// flagError returns the error about a wrong flag of c as one line that says what to type.
func flagError(c *cobra.Command, err error) error {
	list := c.CommandPath() + " --help lists the flags"
	if e, ok := errors.AsType[*pflag.NotExistError](err); ok {
		if e.GetSpecifiedShortnames() != "" {
			return fmt.Errorf("unknown flag -%s: %s", e.GetSpecifiedName(), list)
		}
		var names []string
		c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
		name := "--" + e.GetSpecifiedName()
		return fmt.Errorf("unknown flag %s: %s", name, hint.DidYouMean(name, names, list))
	}
	if e, ok := errors.AsType[*pflag.ValueRequiredError](err); ok {
		value, _ := pflag.UnquoteUsage(e.GetFlag())
		return fmt.Errorf("--%s needs a value: --%s %s", e.GetFlag().Name, e.GetFlag().Name, value)
	}
	if e, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		wanted := map[string]string{"int": "must be a whole number", "uint": "must be a whole number from 0 on", "float64": "must be a number", "bool": "must be true or false"}[e.GetFlag().Value.Type()]
		return fmt.Errorf("--%s is %q: %s", e.GetFlag().Name, e.GetValue(), cmp.Or(wanted, e.Unwrap().Error()))
	}
	return fmt.Errorf("%w: %s", err, list)
}

// exclusive matches what cobra says of flags that exclude each other.
var exclusive = regexp.MustCompile(`^if any flags in the group .* none of the others can be; \[(.*)\] were all set$`)

// plainly returns an error of cobra in chaff's words.
func plainly(root *cobra.Command, err error) error {
	if quoted, isOfCobra := strings.CutSuffix(err.Error(), ` for "chaff"`); isOfCobra && strings.HasPrefix(quoted, "unknown command") {
		word, _ := strconv.Unquote(strings.TrimPrefix(quoted, "unknown command "))
		return unknownCommand(root, word)
	}
	if found := exclusive.FindStringSubmatch(err.Error()); found != nil {
		return fmt.Errorf("--%s exclude each other: leave out one of them", strings.Join(strings.Fields(found[1]), " and --"))
	}
	return err
}

func noArguments(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	err := fmt.Errorf("%s takes no arguments: leave out %s", c.CommandPath(), args[0])
	switch {
	case c.Flags().Lookup("maildir") != nil:
		return hint.With(err, "-m FILE names a model, --maildir PATH a mailbox")
	case c.Flags().Lookup("model-file") != nil:
		return hint.With(err, "-m FILE names a model")
	}
	return err
}

// oneArgument refuses a second argument, which is what, and fewer than least.
func oneArgument(what string, least int) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		switch {
		case len(args) < least:
			return fmt.Errorf("%s takes one %s: name it", c.CommandPath(), what)
		case len(args) > 1:
			return fmt.Errorf("%s takes one %s: leave out %s", c.CommandPath(), what, args[1])
		}
		return nil
	}
}

// advised adds to an error what the user can do about it, if it does not say so.
func advised(err error) error {
	for _, known := range []struct {
		err  error
		hint string
	}{
		{filter.ErrPart, "chaff merge PART... -o FILE"},
		{train.ErrTooMuch, "chaff merge --sample 1/2 -o FILE fits a model to half of them, chaff collect --sample 1/2 reads half"},
		{corpus.ErrTooMuchText, "chaff merge --sample 1/2 fits a model to half of them, or --set split.method=hash looks for none"},
		{features.ErrTooManyTerms, "chaff collect --sample 1/2 reads half of the mail"},
		{models.ErrFull, "chaff merge --sample 1/2 -o FILE fits a model to half of the messages"},
		{models.ErrDiverged, "lower the learning rate; if that does not help, check the labels"},
		{models.ErrNoDocuments, "give more mail of that class, of which near-duplicates stay in one part; chaff train --quick learns what there is, and measures nothing"},
		{weights.ErrNotAffine, "train another one: chaff train --model softmax"},
		{sources.ErrColumns, "name them in the first row: text and label"},
		{config.ErrNoSearch, "docs/tuning.md has an example of a search; give the file with --config"},
		{mailbox.ErrClasses, "teach such a model with chaff learn --class NAME PATH"},
		{imap.ErrRefused, "many providers want a password made for one program, or an access token (--oauth)"},
		{imap.ErrPlain, "use imaps://"},
		{imap.ErrNoJunk, "make one in your mail program, or name it: --junk NAME"},
	} {
		if errors.Is(err, known.err) {
			return hint.Or(err, known.hint)
		}
	}
	if _, is := errors.AsType[replace.OtherError](err); is {
		return hint.Or(err, "name another file, or remove this one first if nobody needs it")
	}
	return err
}

func helpCommand(p *program) *cobra.Command {
	var man string
	c := &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Print the help of a command, or write the manual pages",
		Example: `  chaff help train
  chaff help --man ~/.local/share/man/man1 && man chaff-train`,
		Args: oneArgument("command", 0),
		RunE: func(c *cobra.Command, args []string) error {
			if man != "" {
				return writeManual(p.stdout, c.Root(), man)
			}
			about, rest, err := c.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return unknownCommand(c.Root(), args[0])
			}
			about.InitDefaultHelpFlag()
			about.InitDefaultVersionFlag()
			return about.Help()
		},
	}
	c.Flags().StringVar(&man, "man", "", "write the manual pages into the folder `DIR`")
	return c
}

// withPages returns the commands that have a manual page. Cobra leaves help out of those that it calls available.
func withPages(root *cobra.Command) []*cobra.Command {
	return slices.DeleteFunc(slices.Clone(root.Commands()), func(c *cobra.Command) bool { return !c.IsAvailableCommand() && c.Name() != "help" })
}

// writeManual writes a manual page for each command into the folder dir, made of the same texts as the help.
func writeManual(out io.Writer, root *cobra.Command, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("write the manual pages into %s: %w", dir, cmp.Or(errors.Unwrap(err), err))
	}
	pages := append([]*cobra.Command{root}, withPages(root)...)
	kind := replace.Kind{Name: "manual page", Start: manMark}
	for _, c := range pages {
		c.InitDefaultHelpFlag()
		c.InitDefaultVersionFlag()
		if err := writeBytes(filepath.Join(dir, manName(c)+".1"), kind, []byte(manPage(c))); err != nil {
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

// manPage returns the manual page of c in roff: the text of its help.
func manPage(c *cobra.Command) string {
	name := roff(manName(c))
	text := strings.TrimSpace(cmp.Or(c.Long, c.Short+".")) + "\n\n" + c.UsageString()
	page := manMark + fmt.Sprintf(".TH %s 1\n.SH NAME\n%s \\- %s\n.SH DESCRIPTION\n.nf\n.in 0\n%s.fi\n.SH SEE ALSO\n",
		strings.ToUpper(manName(c)), name, roff(strings.ToLower(c.Short[:1])+c.Short[1:]), roff(text))
	also := []*cobra.Command{c.Root()}
	if !c.HasParent() {
		also = withPages(c)
	}
	for _, other := range also {
		page += ".BR " + roff(manName(other)) + " (1)\n"
	}
	return page
}

// roff escapes text for a manual page: backslashes, hyphens that are typed, and dots and quotes that would begin a request.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "\n.", "\n\\&.", "\n'", "\n\\&'").Replace("\n" + text)
	return text[1:]
}
