package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"chaff/internal/hint"
)

func unknownCommand(root *cobra.Command, word string) error {
	var names []string
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() || c.Name() == "help" {
			names = append(names, c.Name())
		}
	}
	meant := hint.Nearest(word, names)
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

func isUnknownCommand(err error) bool { return strings.HasPrefix(err.Error(), "unknown command") }

// exclusive matches what cobra says of flags that exclude each other.
var exclusive = regexp.MustCompile(`^if any flags in the group .* none of the others can be; \[(.*)\] were all set$`)

// plainly returns an error of cobra in chaff's words.
func plainly(root *cobra.Command, err error) error {
	if quoted, isOfCobra := strings.CutSuffix(err.Error(), ` for "chaff"`); isOfCobra && isUnknownCommand(err) {
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
