package delivery

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"chaff/internal/hint"
	"chaff/internal/places"
	"chaff/internal/screen"
)

// Program is the program chaff-classify. It ends the process.
func Program() {
	Guard(os.Args[1:])
	os.Exit(Main(os.Args[1:], os.Environ(), Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}))
}

// Main runs chaff-classify with the given arguments, environment and streams. It returns the exit code.
func Main(args, environ []string, s Streams) (code int) {
	var r Request
	fs := r.newFlags()
	err := fs.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		printHelp(s.Out, fs)
		return 0
	case err != nil:
		err = hint.With(err, "run `chaff-classify --help` for its flags")
	case fs.NArg() > 0:
		err = fmt.Errorf("%s: chaff-classify reads one message from stdin; `chaff classify` takes paths", fs.Arg(0))
	default:
		err = r.Check()
	}
	if err != nil {
		hint.Print(s.Err, err)
		return RefuseArguments(args, s)
	}
	if r.Model == "" {
		r.Model = places.Model(environ)
	}
	code, err = r.Run(s)
	if err != nil {
		hint.Print(s.Err, err)
	}
	return code
}

const usage = `Chaff-classify reads one message from stdin and prints whether it is spam, as ` + "`chaff classify`" + ` does. It starts
faster, for mail systems that start a process for each message.

Usage:
  chaff-classify [-m FILE] < message

Examples:
  chaff-classify --pass < message
  chaff-classify --exit-code < message && echo spam

Flags:
`

func printHelp(w io.Writer, fs *flag.FlagSet) {
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
		screen.Printf(w, "  %-28s %s\n", "--"+f.Name+" "+value, about)
	})
}
