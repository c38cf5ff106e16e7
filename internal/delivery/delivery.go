// Package delivery classifies one message on its way into a mailbox: from stdin, with the verdict on stdout, in the exit
// code, or in the header of the message, which comes out again whatever happens.
//
// It is what `chaff classify` does without paths, and all that `chaff-classify` does. Mail systems start a process for each
// message, so nothing may be imported here that a start has to pay for and a verdict does not need.
package delivery

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/term"

	"chaff/corpus"
	"chaff/filter"
	"chaff/internal/hint"
)

// Streams are what a program reads and writes.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}

// Request says what is wanted of one message.
type Request struct {
	Model  string // path of the model file
	Pass   bool   // print the message again, with the verdict in its header
	Terms  int    // with Pass: how many terms are shown in the header
	Preset string // whose exit codes are wanted, see Codes
	JSON   bool
}

// Check returns what is wrong with a request.
func (r Request) Check() error {
	_, err := presets(r.Preset)
	switch {
	case err != nil:
		return err
	case r.Terms < 0:
		return fmt.Errorf("--terms is %d: must be at least 0", r.Terms)
	case r.Terms > 0 && !r.Pass:
		return errors.New("--terms is about --pass; chaff explain shows the terms of a message")
	}
	return nil
}

// Run does what a request that was checked wants with the message on s.In, and returns the exit code. With Pass the message
// comes out in any trouble as well, unchanged.
func (r Request) Run(s Streams) (code int, err error) {
	codes, err := presets(r.Preset)
	if err != nil {
		return codes.trouble, err
	}
	var decision filter.Decision
	if r.Pass {
		codes.trouble = exitTempFail
		decision, err = r.pass(s)
	} else {
		decision, err = r.print(s)
	}
	if err != nil {
		return codes.trouble, err
	}
	return codes.of(decision), nil
}

// pass prints the message again, with the verdict in its header if there is one.
func (r Request) pass(s Streams) (filter.Decision, error) {
	raw, err := ReadMessage(s)
	if err != nil {
		// What came in goes out again; the mail system is told to try once more.
		err = errors.Join(err, write(s.Out, raw))
		if errors.Is(err, corpus.ErrTooLarge) {
			_, rest := io.Copy(s.Out, s.In)
			err = errors.Join(err, rest)
		}
		return "", err
	}
	out, decision, err := r.judge(raw)
	return decision, errors.Join(err, write(s.Out, out))
}

// judge returns raw with the verdict in its header, or, in any trouble, raw as it is. A bug in the program is trouble
// too: it must not cost anybody a message.
func (r Request) judge(raw []byte) (out []byte, decision filter.Decision, err error) {
	defer func() {
		if r := recover(); r != nil {
			out, err = raw, fmt.Errorf("classify: internal error: %v", r)
		}
	}()
	f, err := openModel(r.Model, filter.OpenForOne)
	if err != nil {
		return raw, "", err
	}
	if r.Terms == 0 {
		v, err := r.classify(f, raw)
		if err != nil {
			return raw, "", err
		}
		return f.Passed(raw, v), v.Decision, nil
	}
	e, err := f.Explain(raw)
	if err != nil {
		return raw, "", ModelError(r.Model, err)
	}
	// Of a large message the other terms, and all that was looked at, need not be in memory with its copy.
	verdict, terms := e.Verdict, slices.Clone(e.Contributions[:min(r.Terms, len(e.Contributions))])
	if len(raw) > corpus.LargeMessageBytes {
		runtime.GC()
	}
	return f.Passed(raw, verdict, terms...), verdict.Decision, nil
}

// print prints the verdict on the message.
func (r Request) print(s Streams) (filter.Decision, error) {
	f, err := openModel(r.Model, filter.OpenForOne)
	if err != nil {
		return "", err
	}
	raw, err := ReadMessage(s)
	if err != nil {
		return "", err
	}
	v, err := r.classify(f, raw)
	if err != nil {
		return "", err
	}
	if r.JSON {
		return v.Decision, PrintJSON(s.Out, "-", v)
	}
	_, err = fmt.Fprintf(s.Out, "%s  score %.4f  probability %.6f\n", v.Decision, v.Score, v.Probability)
	return v.Decision, err
}

// ReadMessage returns all of s.In; who types it is told how to end it. With an error comes what was read before it: with
// [corpus.ErrTooLarge] the start of a message that goes on in s.In.
func ReadMessage(s Streams) ([]byte, error) {
	if file, ok := s.In.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		fmt.Fprintln(s.Err, "chaff: reading a message from the terminal; end it with Ctrl-D")
	}
	raw, err := corpus.AppendMessage(nil, s.In)
	if len(raw) > corpus.LargeMessageBytes {
		LimitMemory()
	}
	if err != nil {
		return raw, fmt.Errorf("read the message from stdin: %w", err)
	}
	return raw, nil
}

func write(w io.Writer, message []byte) error {
	if _, err := w.Write(message); err != nil {
		return fmt.Errorf("write the message: %w", err)
	}
	return nil
}

// PrintJSON prints the verdict on a message as one line of JSON.
func PrintJSON(w io.Writer, path string, v filter.Verdict) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(struct {
		Path string `json:"path"`
		filter.Verdict
	}{path, v})
}

// Misunderstood deals with a command line that was refused before stdin was read, and returns the exit code. With --pass
// the message comes out all the same, and a code that was asked for is never mistaken for a verdict.
func Misunderstood(args []string, s Streams) (code int) {
	code = exitError
	for _, arg := range args {
		switch {
		case arg == "--":
			return code
		case isPass(arg):
			if _, err := io.Copy(s.Out, s.In); err != nil {
				hint.Print(s.Err, fmt.Errorf("pass the message through: %w", err))
			}
			return exitTempFail
		case arg == "--exit-code" || strings.HasPrefix(arg, "--exit-code="):
			_, preset, _ := strings.Cut(arg, "=")
			code = 3 // as bogofilter, also if the name is not known
			if codes, err := presets(preset); err == nil && preset != "" {
				code = codes.trouble
			}
		}
	}
	return code
}

func isPass(arg string) bool { return arg == "--pass" || arg == "--pass=true" }

// MindInterrupts sets what an interrupt does while a message is classified by these arguments. There is nothing to put in
// order, and to listen for signals would cost three threads and a twelfth of the CPU time: the process just ends, or, with
// --pass, it goes on, since the message must come out.
func MindInterrupts(args []string) {
	if slices.ContainsFunc(args, isPass) {
		signal.Ignore(os.Interrupt, syscall.SIGTERM)
	}
}
