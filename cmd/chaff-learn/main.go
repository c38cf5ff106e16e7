// Command chaff-learn teaches a model one message from stdin, as `chaff learn` does. It is for mail systems that start a process for each
// message that a user moves, so it links nothing that learning does not need, and reads no configuration: the log has its settings.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"chaff/cmd/internal/delivery"
	"chaff/corpus"
	"chaff/internal/hint"
	"chaff/internal/screen"
	"chaff/message"
	"chaff/store"
)

// Exit codes. A mail system tries again after exitLater, the code EX_TEMPFAIL of sysexits.h.
const (
	exitDone    = 0
	exitRefused = 1
	exitLater   = 75
)

func main() {
	delivery.StartFast()
	// A signal ends the process at once: the log has the message or not. Handling signals would take two threads.
	os.Exit(run(context.Background(), os.Args[1:], os.Environ(), os.Stdin, os.Stdout, os.Stderr))
}

const usage = `Chaff-learn teaches a model one message from stdin, as chaff learn does. It
starts faster, for mail systems that start a process for each message. It reads
no configuration: the log has the settings that chaff saved it with.

It prints nothing but errors. The exit code is 0 if the model has learned the
message, now or before; 1 if it refuses the message; and 75 for trouble that
may pass.

Usage:
  chaff-learn --spam|--ham|--class NAME|--forget [-m FILE] < message

Examples:
  chaff-learn --spam < message
  chaff-learn --forget -m /var/lib/chaff/model < message

Flags:
`

func run(ctx context.Context, args, environ []string, stdin io.Reader, stdout, stderr io.Writer) int {
	model, class := delivery.Path(environ, delivery.DataHome, "model"), ""
	var spam, ham, forget, version bool
	fs := flag.NewFlagSet("chaff-learn", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.StringVar(&class, "class", "", "the message is of the class `NAME`")
	fs.BoolVar(&forget, "forget", false, "forget the message")
	fs.BoolVar(&ham, "ham", false, "the message is ham")
	fs.StringVar(&model, "m", model, "")
	fs.StringVar(&model, "model-file", model, "teach the model `FILE`; default $XDG_DATA_HOME/chaff/model")
	fs.BoolVar(&spam, "spam", false, "the message is spam")
	fs.BoolVar(&version, "version", false, "print the version of the program")
	err := fs.Parse(args)
	var labels []string // those that the flags say; "" forgets
	for _, said := range []struct {
		label string
		given bool
	}{{"spam", spam}, {"ham", ham}, {class, class != ""}, {"", forget}} {
		if said.given {
			labels = append(labels, said.label)
		}
	}
	code := exitRefused
	switch {
	case errors.Is(err, flag.ErrHelp):
		delivery.PrintHelp(stdout, usage, fs)
		return exitDone
	case version:
		screen.Printf(stdout, "%s\n", delivery.Version("chaff-learn"))
		return exitDone
	case err != nil:
		err = delivery.FlagError(fs, err)
	case fs.NArg() > 0:
		err = fmt.Errorf("%s: chaff-learn reads one message from stdin; `chaff learn` takes paths", fs.Arg(0))
	case model == "":
		code, err = exitLater, errors.New("the path of the model is empty: a variable such as HOME may not be set")
	case len(labels) != 1:
		err = errors.New("say one of --spam, --ham, --class NAME and --forget")
	default:
		code, err = learn(ctx, model, labels[0], stdin, stderr)
	}
	if err != nil {
		hint.Print(stderr, err)
	}
	return code
}

// learn teaches a model the message, or makes it forget the message if label is "".
func learn(ctx context.Context, model, label string, stdin io.Reader, stderr io.Writer) (code int, err error) {
	raw, err := corpus.AppendMessage(nil, stdin)
	if err != nil && !errors.Is(err, corpus.ErrTooLarge) { // Learn refuses a message that is too large
		return exitLater, fmt.Errorf("read stdin: %w", err)
	}
	if len(raw) == 0 {
		return exitRefused, errors.New("there is no message: stdin is empty")
	}
	if err := message.CheckMail(raw); err != nil && label != "" {
		return exitRefused, fmt.Errorf("what is on stdin %w", err)
	}
	s, err := store.OpenAsBefore(ctx, model)
	if _, noModel := os.Stat(model); noModel != nil && errors.Is(err, store.ErrNone) {
		use := delivery.Use(os.Environ(), model)
		err = hint.With(fmt.Errorf("there is no model %s", model), "begin with the mail you have: chaff train"+use+" ~/Maildir; or with none: chaff learn --begin"+use)
	}
	if err != nil {
		return exitLater, delivery.Advised(model, err)
	}
	if label != "" && !slices.Contains(s.Classes(), label) {
		return exitRefused, fmt.Errorf("the model %s has no class %s: it has %s", model, label, strings.Join(s.Classes(), ", "))
	}
	taught := [][]byte{raw}
	if attached, isReport := message.Attached(raw); isReport && len(attached) > 0 {
		taught = attached
	}
	var o store.Outcome
	for i := 0; i < len(taught) && err == nil && o.What != store.Refused; i++ {
		if label == "" {
			o, err = s.Forget(taught[i])
		} else {
			o, err = s.Learn(store.Message{Raw: taught[i], Label: label, Way: store.ByHand})
		}
	}
	if err == nil { // and the message is in the log
		var fitErr error
		if label != "" {
			_, fitErr = s.FitIfDue(ctx, store.RetrainOptions{}, false)
		}
		if problem := cmp.Or(fitErr, s.Finish()); problem != nil {
			hint.Print(stderr, problem)
		}
	}
	switch err := errors.Join(err, s.Close()); {
	case err != nil:
		return exitLater, err
	case o.What == store.Refused:
		return exitRefused, fmt.Errorf("the message is refused: %s", o.Reason)
	}
	return exitDone, nil
}
