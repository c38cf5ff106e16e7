// Package delivery classifies one message on its way into a mailbox: from stdin, with the verdict on stdout, in the exit
// code, or in the header of the message, which comes out again whatever happens.
//
// It is what `chaff classify` does without paths, and all that `chaff-classify` does. Mail systems start a process for each
// message, so nothing may be imported here that a start has to pay for and a verdict does not need.
package delivery

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"

	"chaff/corpus"
	"chaff/filter"
	"chaff/internal/screen"
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
		return errors.New("--terms needs --pass; chaff explain lists the terms of a message")
	case r.Pass && r.JSON:
		return errors.New("--pass and --json exclude each other")
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
	var decision filter.Verdict
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
func (r Request) pass(s Streams) (filter.Verdict, error) {
	raw, err := ReadMessage(s)
	if errors.Is(err, corpus.ErrTooLarge) {
		return passLarge(s, raw)
	}
	if err != nil {
		// What came in goes out again; the mail system is told to try once more.
		return "", errors.Join(err, write(s.Out, bytes.NewReader(raw)))
	}
	hold(raw)
	out, decision, err := r.judge(raw)
	release()
	return decision, errors.Join(err, write(s.Out, bytes.NewReader(out)))
}

// passLarge prints a message that is too large to be judged, of which raw was read. If its header goes on to where it was not
// looked for verdicts, it is left to the mail system.
func passLarge(s Streams, raw []byte) (filter.Verdict, error) {
	out, whole := filter.Unjudged(raw, fmt.Sprintf("larger than %d bytes", corpus.MaxMessageBytes))
	var err error
	if !whole {
		out, err = raw, fmt.Errorf("the header of the message is larger than %d bytes", corpus.MaxMessageBytes)
	}
	return filter.Unsure, errors.Join(err, write(s.Out, io.MultiReader(bytes.NewReader(out), s.In)))
}

// judge returns raw with the verdict in its header, or, in any trouble, raw as it is. A bug in the program is trouble
// too: it must not cost anybody a message.
func (r Request) judge(raw []byte) (out []byte, decision filter.Verdict, err error) {
	defer func() {
		if r := recover(); r != nil {
			out, err = raw, fmt.Errorf("classify: internal error: %v", r)
		}
	}()
	f, err := openModel(r.Model, filter.OpenForOne)
	if err != nil {
		return raw, "", err
	}
	if !hasRoom(len(raw)) {
		out, _ := filter.Unjudged(raw, "too little memory for its size")
		return out, filter.Unsure, nil
	}
	if r.Terms == 0 {
		v, err := r.classify(f, raw)
		if err != nil {
			return raw, "", err
		}
		return f.Passed(raw, v), v.Verdict, nil
	}
	e, err := f.Explain(raw)
	if err != nil {
		return raw, "", ModelError(r.Model, err)
	}
	// Of a large message the other terms, and all that was looked at, need not be in memory with its copy.
	verdict, terms := e.Classification, slices.Clone(e.Contributions[:min(r.Terms, len(e.Contributions))])
	if len(raw) > corpus.LargeMessageBytes {
		runtime.GC()
	}
	return f.Passed(raw, verdict, terms...), verdict.Verdict, nil
}

// print prints the verdict on the message.
func (r Request) print(s Streams) (filter.Verdict, error) {
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
		return v.Verdict, PrintJSON(s.Out, "-", v)
	}
	_, err = screen.Printf(s.Out, "%s  score %.4f  probability %.6f\n", v.Verdict, v.Score, v.Probability)
	return v.Verdict, err
}

// PrintJSON prints the verdict on a message as one line of JSON.
func PrintJSON(w io.Writer, path string, v filter.Classification) error {
	return screen.PrintJSON(w, struct {
		Path string `json:"path"`
		filter.Classification
	}{path, v}, "")
}
