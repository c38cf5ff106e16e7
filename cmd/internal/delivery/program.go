package delivery

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"chaff/internal/hint"
	"chaff/internal/places"
	"chaff/internal/screen"
)

// Program is the program chaff-classify. It ends the process.
func Program() {
	Guard(os.Args[1:])
	os.Exit(Main(os.Args[1:], os.Environ(), Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}))
}

// Main is the program chaff-classify with given arguments, environment and streams; it returns the exit code.
func Main(args, environ []string, s Streams) (code int) {
	var r Request
	help := false
	flags := append(r.Flags(), Flag{Name: "help", Short: "h", Bare: "true", Value: (*truth)(&help), Usage: "help for chaff-classify"})
	if err := r.understand(flags, args, &help); err != nil {
		hint.Print(s.Err, err)
		return Misunderstood(args, s)
	}
	if help {
		printHelp(s.Out, flags)
		return 0
	}
	if r.Model == "" {
		r.Model = places.Model(environ)
	}
	code, err := r.Run(s)
	if err != nil {
		hint.Print(s.Err, err)
	}
	return code
}

// understand reads the command line.
func (r *Request) understand(flags []Flag, args []string, help *bool) error {
	set, paths, err := parse(flags, args)
	switch {
	case err != nil:
		return hint.With(err, "run `chaff-classify --help` for its flags")
	case *help:
		return nil
	case set["pass"] && set["json"]:
		return errors.New("if any flags in the group [pass json] are set none of the others can be; [json pass] were all set")
	case len(paths) > 0:
		return fmt.Errorf("%s: one message comes from stdin; `chaff classify` takes paths", paths[0])
	}
	return r.Check()
}

const usage = `Chaff-classify reads one message from stdin and says whether it is spam, as ` + "`chaff classify`" + ` does, in less
CPU time: it is for mail systems, which start a process for each message.

Usage:
  chaff-classify [-m FILE] < message

Examples:
  chaff-classify --pass < message
  chaff-classify --exit-code < message && echo spam

Flags:
`

func printHelp(w io.Writer, flags []Flag) {
	fmt.Fprint(w, usage)
	for _, f := range flags {
		name := "--" + f.Name
		if f.Short != "" {
			name = "-" + f.Short + ", " + name
		}
		about := f.Usage
		if before, value, found := strings.Cut(about, "`"); found {
			value, after, _ := strings.Cut(value, "`")
			name, about = name+" "+value, before+value+after
		}
		screen.Printf(w, "  %-22s %s\n", name, about)
	}
}
