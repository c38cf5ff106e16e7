package delivery

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"chaff/internal/hint"
	"chaff/internal/screen"
)

// Flags is a [flag.FlagSet], or one of package pflag, which chaff has and chaff-classify has no time for.
type Flags interface {
	BoolFunc(name, usage string, set func(string) error)
	BoolVar(p *bool, name string, value bool, usage string)
}

// AddFlags adds the flags of a request, except that of the model.
func (r *Request) AddFlags(fs Flags) {
	fs.BoolFunc("exit-code", "exit as the filter `NAME` does: bogofilter (0 spam, 1 ham, 2 unsure, 3 error) or spamassassin (1 spam, 0 else, 2 error); needs a model of ham and spam",
		func(name string) error {
			if r.Preset = name; name == "true" { // what package flag sets for none
				r.Preset = DefaultPreset
			}
			if r.Preset != DefaultPreset && r.Preset != LikeSpamAssassin {
				return errors.New("must be " + DefaultPreset + " or " + LikeSpamAssassin)
			}
			return nil
		})
	fs.BoolVar(&r.JSON, "json", false, "print one JSON object for each message")
	fs.BoolFunc("pass", "print the message with the verdict in its header", func(text string) error {
		is, err := strconv.ParseBool(text)
		if r.Pass = is || err != nil; err != nil { // an invalid value is an error, and the message must come out
			return errors.New("must be true or false")
		}
		return nil
	})
}

// arguments are what a command line of chaff-classify asks for.
type arguments struct {
	Request
	version bool
	flags   *flag.FlagSet
	rest    []string // what is no flag
	err     error    // about a flag
}

// parse reads arguments, with package flag because pflag links package net, which slows every start. It reads flags behind mistakes and
// paths, too, to find out whether they ask for the message.
func parse(args []string) (a arguments) {
	a.flags = flag.NewFlagSet("chaff-classify", flag.ContinueOnError)
	a.flags.SetOutput(io.Discard)
	a.AddFlags(a.flags)
	a.flags.StringVar(&a.Model, "m", "", "")
	a.flags.StringVar(&a.Model, "model-file", "", "use the model in `FILE`; default $XDG_DATA_HOME/chaff/model")
	a.flags.BoolVar(&a.version, "version", false, "print the version of the program")
	a.err = a.flags.Parse(args)
	a.rest = a.flags.Args()
	for len(args) > 0 {
		if rest := a.flags.Args(); len(rest) < len(args) {
			args = rest
		} else {
			args = args[1:]
		}
		_ = a.flags.Parse(args) // stops at the next mistake
	}
	return a
}

// refuse handles a command line that is wrong, before stdin is read. With --pass it copies the message to stdout.
func (a arguments) refuse(s Streams) (code int) {
	if a.Pass {
		if err := write(s.Out, s.In); err != nil {
			hint.Print(s.Err, err)
		}
	}
	return a.codes().trouble
}

// RefuseArguments handles a command line of chaff classify that is wrong, before stdin is read, as chaff-classify does.
func RefuseArguments(args []string, s Streams) (code int) { return parse(args).refuse(s) }

// FlagError returns the error about a flag as one line, like those of chaff.
func FlagError(fs *flag.FlagSet, err error) error {
	list := fs.Name() + " --help lists the flags"
	text := err.Error()
	if name, found := strings.CutPrefix(text, "flag provided but not defined: -"); found {
		var names []string
		fs.VisitAll(func(f *flag.Flag) { names = append(names, "--"+f.Name) })
		if len(name) == 1 {
			return fmt.Errorf("unknown flag -%s: %s", name, list)
		}
		return fmt.Errorf("unknown flag --%s: %s", name, hint.DidYouMean("--"+name, names, list))
	}
	if value, name, found := strings.Cut(strings.TrimPrefix(text, "invalid boolean value "), " for -"); found {
		name, why, _ := strings.Cut(name, ": ")
		if name != "exit-code" {
			why = "must be true or false"
		}
		return fmt.Errorf("--%s is %s: %s", name, value, why)
	}
	if name, found := strings.CutPrefix(text, "flag needs an argument: -"); found {
		return fmt.Errorf("%s%s needs a value: %s", "--"[:min(len(name), 2)], name, list)
	}
	return fmt.Errorf("%w: %s", err, list)
}

const usage = `Chaff-classify reads one message from stdin and prints whether it is spam, as
chaff classify does. It starts faster, for mail systems that start a process for
each message.

Usage:
  chaff-classify [-m FILE] < message

Examples:
  chaff-classify --pass < message
  chaff-classify --exit-code < message && echo spam

Flags:
`

// PrintHelp prints how a program is used and its flags.
func PrintHelp(w io.Writer, usage string, fs *flag.FlagSet) {
	fmt.Fprint(w, usage)
	fs.VisitAll(func(f *flag.Flag) {
		value, about := flag.UnquoteUsage(f)
		switch f.Name {
		case "m":
			return
		case "model-file":
			value = "FILE, -m FILE"
		case "exit-code":
			value = "[=NAME]"
		}
		screen.Printf(w, "  %s\n", strings.ReplaceAll(strings.TrimSpace("--"+f.Name+" "+value), " [", "["))
		for _, line := range screen.Wrap(strings.Fields(about), 72) {
			screen.Printf(w, "        %s\n", line)
		}
	})
}

// The values of --exit-code; the first one is that without a value.
const DefaultPreset, LikeSpamAssassin = "bogofilter", "spamassassin"

// The variables of the XDG base directory specification that name the folders of [Path].
const (
	ConfigHome = "XDG_CONFIG_HOME"
	DataHome   = "XDG_DATA_HOME"
)

// Path returns the default path of a file in the folder of a variable, "" if the home directory is unknown.
func Path(environ []string, variable, name string) string {
	dir := Variable(environ, variable)
	if !filepath.IsAbs(dir) { // the specification ignores relative paths
		home := Variable(environ, "HOME")
		if home == "" {
			home, _ = os.UserHomeDir()
		}
		if home == "" {
			return ""
		}
		dir = filepath.Join(home, map[string]string{ConfigHome: ".config", DataHome: ".local/share"}[variable])
	}
	return filepath.Join(dir, "chaff", name)
}

// Variable returns the value of an environment variable, the last one if it has several.
func Variable(environ []string, name string) string {
	for _, entry := range slices.Backward(environ) {
		if value, found := strings.CutPrefix(entry, name+"="); found {
			return value
		}
	}
	return ""
}
