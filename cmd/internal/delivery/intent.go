package delivery

import (
	"strings"

	"chaff/internal/hint"
)

// Guard is called first by a program that classifies a message by these arguments: a crash, or a signal, is never mistaken for a
// verdict, and with --pass the message comes out.
func Guard(args []string) {
	pass, code := intent(args)
	guard(pass, code)
}

// Misunderstood deals with a command line that was refused before stdin was read, and returns the exit code. With --pass
// the message comes out all the same, and a code that was asked for is never mistaken for a verdict.
func Misunderstood(args []string, s Streams) (code int) {
	pass, code := intent(args)
	if pass {
		if err := write(s.Out, s.In); err != nil {
			hint.Print(s.Err, err)
		}
	}
	return code
}

// intent makes out of arguments that may be wrong whether the message is to be passed, and the exit code in trouble.
func intent(args []string) (pass bool, code int) {
	var r Request
	flags := r.Flags()
	set := make(map[string]bool)
	for len(args) > 0 && args[0] != "--" {
		var err error
		switch arg := args[0]; {
		case strings.HasPrefix(arg, "--"):
			args, err = parseLong(flags, arg, args[1:], set)
			if err != nil && strings.HasPrefix(arg, "--pass=") {
				r.Pass = true // whatever it means
			}
		case len(arg) > 1 && arg[0] == '-':
			args, _ = parseShort(flags, arg[1:], args[1:], set)
		default:
			args = args[1:]
		}
	}
	if r.Pass {
		return true, exitTempFail
	}
	codes, err := presets(r.Preset)
	if err != nil {
		return false, 3 // as bogofilter
	}
	return false, codes.trouble
}
