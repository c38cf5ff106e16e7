// Package delivery classifies one message on its way into a mailbox. It reads the message from stdin and reports the verdict
// on stdout, in the exit code, or in the header of the message, which it always passes on.
//
// It is `chaff-classify`, and `chaff classify` without paths. Mail systems start a process for each message, so the package
// imports only what a verdict needs.
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

// Streams are the standard streams of a program.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}

// Request is what a user asks of one message.
type Request struct {
	Model  string // path of the model file
	Pass   bool   // print the message with the verdict in its header
	Terms  int    // with Pass: the number of terms in the header
	Preset string // the filter whose exit codes to use, or empty
	JSON   bool
}

// Check returns an error if the request is invalid.
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

// Run carries out a valid request for the message on s.In, and returns the exit code. With Pass, it writes the message
// unchanged if anything fails.
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

// pass writes the message with the verdict in its header.
func (r Request) pass(s Streams) (filter.Verdict, error) {
	raw, err := ReadMessage(s)
	if errors.Is(err, corpus.ErrTooLarge) {
		return passLarge(s, raw)
	}
	if err != nil {
		// The message goes out as it came in, and the mail system tries again later.
		return "", errors.Join(err, write(s.Out, bytes.NewReader(raw)))
	}
	hold(raw)
	out, decision, err := r.judge(raw)
	release()
	return decision, errors.Join(err, write(s.Out, bytes.NewReader(out)))
}

// passLarge writes a message above the size limit, of which raw is the start. It leaves the message to the mail system if the
// header exceeds the limit, since forged verdict fields may follow.
func passLarge(s Streams, raw []byte) (filter.Verdict, error) {
	out, whole := filter.Unjudged(raw, fmt.Sprintf("larger than %d bytes", corpus.MaxMessageBytes))
	var err error
	if !whole {
		out, err = raw, fmt.Errorf("the header of the message is larger than %d bytes", corpus.MaxMessageBytes)
	}
	return filter.Unsure, errors.Join(err, write(s.Out, io.MultiReader(bytes.NewReader(out), s.In)))
}

// judge returns raw with the verdict in its header, or raw itself if anything fails. A bug in the program must not lose a
// message, so a panic is an error, too.
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
	// Free the other terms of a large message before its copy is made.
	verdict, terms := e.Classification, slices.Clone(e.Contributions[:min(r.Terms, len(e.Contributions))])
	if len(raw) > corpus.LargeMessageBytes {
		runtime.GC()
	}
	return f.Passed(raw, verdict, terms...), verdict.Verdict, nil
}

// print prints the verdict.
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

// PrintJSON prints a verdict as one line of JSON.
func PrintJSON(w io.Writer, path string, v filter.Classification) error {
	return screen.PrintJSON(w, struct {
		Path string `json:"path"`
		filter.Classification
	}{path, v}, "")
}
