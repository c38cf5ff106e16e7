package delivery

import (
	"fmt"
	"strconv"
	"strings"
)

// Flag is one flag of the command line.
type Flag struct {
	Name, Short string // --name; -s, if it is not empty
	Usage       string // with the name of its value in backquotes
	Bare        string // its value where none is given; empty where one must be
	Value       Value
}

// Value is where the value of a flag goes. It is that of package pflag, by which chaff reads its command line; this package
// reads its own, since pflag is linked with package net, which every start pays for.
type Value interface {
	Set(text string) error
	String() string
	Type() string // bool, int or string
}

// Flags are the flags that set a request.
func (r *Request) Flags() []Flag {
	return []Flag{
		{Name: "exit-code", Bare: "bogofilter", Value: (*text)(&r.Preset),
			Usage: "exit as another filter does: bogofilter (0 spam, 1 ham, 2 unsure, 3 error) or spamassassin (1 spam, 0 else, 2 error)"},
		{Name: "json", Bare: "true", Value: (*truth)(&r.JSON),
			Usage: "print one JSON object for each message"},
		{Name: "model-file", Short: "m", Value: (*text)(&r.Model),
			Usage: "use the model in `FILE`; default $XDG_DATA_HOME/chaff/model"},
		{Name: "pass", Bare: "true", Value: (*truth)(&r.Pass),
			Usage: "print the message again with the verdict in its header"},
		{Name: "terms", Value: (*number)(&r.Terms),
			Usage: "with --pass: add the `N` terms that made the score, a field X-Chaff-Term for each"},
	}
}

type text string

func (t *text) Set(s string) error { *t = text(s); return nil }
func (t *text) String() string     { return string(*t) }
func (t *text) Type() string       { return "string" }

type truth bool

func (t *truth) Set(s string) error {
	v, err := strconv.ParseBool(s)
	*t = truth(v)
	return err
}
func (t *truth) String() string { return strconv.FormatBool(bool(*t)) }
func (t *truth) Type() string   { return "bool" }

type number int

func (n *number) Set(s string) error {
	v, err := strconv.ParseInt(s, 0, 64)
	*n = number(v)
	return err
}
func (n *number) String() string { return strconv.Itoa(int(*n)) }
func (n *number) Type() string   { return "int" }

// parse sets flags by a command line, as package pflag does and with its errors: a differential test holds the two together.
// It returns the names of the flags that were set, and what is no flag.
func parse(flags []Flag, args []string) (set map[string]bool, rest []string, err error) {
	set = make(map[string]bool)
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		switch {
		case arg == "--":
			return set, append(rest, args...), nil
		case strings.HasPrefix(arg, "--"):
			args, err = parseLong(flags, arg, args, set)
		case len(arg) > 1 && arg[0] == '-':
			args, err = parseShort(flags, arg[1:], args, set)
		default:
			rest = append(rest, arg)
		}
		if err != nil {
			return set, rest, err
		}
	}
	return set, rest, nil
}

// parseLong sets the flag of arg, --name or --name=value, and returns what is left of the arguments after it.
func parseLong(flags []Flag, arg string, args []string, set map[string]bool) (left []string, err error) {
	name, value, given := strings.Cut(arg[2:], "=")
	if name == "" || name[0] == '-' {
		return args, fmt.Errorf("bad flag syntax: %s", arg)
	}
	for _, f := range flags {
		switch {
		case f.Name != name:
			continue
		case given:
		case f.Bare != "":
			value = f.Bare
		case len(args) == 0:
			return args, fmt.Errorf("flag needs an argument: --%s", name)
		default:
			value, args = args[0], args[1:]
		}
		return args, f.set(value, set)
	}
	return args, fmt.Errorf("unknown flag: --%s", name)
}

// parseShort sets the flags of a group of letters, of which the last may have its value behind it: -m=FILE or -mFILE.
func parseShort(flags []Flag, letters string, args []string, set map[string]bool) (left []string, err error) {
	for letters != "" && err == nil {
		letters, args, err = parseLetter(flags, letters, args, set)
	}
	return args, err
}

func parseLetter(flags []Flag, letters string, args []string, set map[string]bool) (rest string, left []string, err error) {
	for _, f := range flags {
		if f.Short != letters[:1] {
			continue
		}
		value, rest := "", ""
		switch {
		case len(letters) > 2 && letters[1] == '=':
			value = letters[2:]
		case f.Bare != "":
			value, rest = f.Bare, letters[1:]
		case len(letters) > 1:
			value = letters[1:]
		case len(args) == 0:
			return "", args, fmt.Errorf("flag needs an argument: %q in -%s", rune(letters[0]), letters)
		default:
			value, args = args[0], args[1:]
		}
		return rest, args, f.set(value, set)
	}
	return "", args, fmt.Errorf("unknown shorthand flag: %q in -%s", rune(letters[0]), letters)
}

func (f Flag) set(value string, set map[string]bool) error {
	if err := f.Value.Set(value); err != nil {
		name := "--" + f.Name
		if f.Short != "" {
			name = "-" + f.Short + ", " + name
		}
		return fmt.Errorf("invalid argument %q for %q flag: %w", value, name, err)
	}
	set[f.Name] = true
	return nil
}
