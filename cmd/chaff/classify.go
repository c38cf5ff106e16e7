package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"chaff/corpus"
	"chaff/filter"
)

// classifyError is an error of classify with the exit code that was asked for.
type classifyError struct {
	error
	code int
}

func (e classifyError) Unwrap() error { return e.error }

type classifyFlags struct {
	model  string
	pass   bool
	preset string
	json   bool
	terms  int
	format string
}

func (p *program) classifyCommand() *cobra.Command {
	var flags classifyFlags
	c := &cobra.Command{
		Use:   "classify [-m FILE] [PATH...]",
		Short: "Say whether messages are spam",
		Long: `Classify reads one message from stdin, or the messages at each PATH (files, folders, Maildirs, mbox
files), and prints a verdict for each: ham, unsure or spam, with the score, on the scale of the model, and
the probability. What mail is read and tokenised with is stored in the model, so no configuration
is looked at.

With --pass the message comes out again with the verdict in its header: X-Spam-Flag, X-Spam-Status and
X-Chaff-*. It always comes out; in trouble it comes out unchanged and the exit code is 75, upon which
mail systems try again later.`,
		Example: `  chaff classify < message
  chaff classify --pass < message
  chaff classify --exit-code < message && echo spam
  chaff classify -m spam.model Maildir/new/*`,
		RunE: func(c *cobra.Command, paths []string) error {
			if flags.model == "" {
				flags.model = p.defaultModel()
			}
			return p.classify(flags, paths)
		},
	}
	f := c.Flags()
	f.StringVarP(&flags.model, "model-file", "m", "", "use the model in `FILE`; default $XDG_DATA_HOME/chaff/model")
	f.BoolVar(&flags.pass, "pass", false, "print the message again with the verdict in its header")
	f.IntVar(&flags.terms, "terms", 0, "with --pass: add the `N` terms that made the score, a field X-Chaff-Term for each")
	f.StringVar(&flags.preset, "exit-code", "", "exit as another filter does: bogofilter (0 spam, 1 ham, 2 unsure, 3 error) or spamassassin (1 spam, 0 else, 2 error)")
	f.Lookup("exit-code").NoOptDefVal = "bogofilter"
	f.BoolVar(&flags.json, "json", false, "print one JSON object for each message")
	addFormat(c, &flags.format, "what is at each PATH")
	c.MarkFlagsMutuallyExclusive("pass", "json")
	return c
}

// exitCodes is how a filter tells its verdict by its exit code.
type exitCodes struct{ ham, unsure, spam, trouble int }

// presets returns the exit codes of the filters whose place chaff can take; without a preset the code says only whether
// all went well.
func presets(name string) (exitCodes, error) {
	switch name {
	case "":
		return exitCodes{trouble: exitError}, nil
	case "bogofilter":
		return exitCodes{spam: 0, ham: 1, unsure: 2, trouble: 3}, nil
	case "spamassassin":
		return exitCodes{spam: 1, ham: 0, unsure: 0, trouble: 2}, nil
	}
	return exitCodes{}, fmt.Errorf("--exit-code=%s is not known: must be bogofilter or spamassassin", name)
}

func (e exitCodes) of(d filter.Decision) int {
	switch d {
	case filter.Spam:
		return e.spam
	case filter.Unsure:
		return e.unsure
	}
	return e.ham
}

func (p *program) classify(flags classifyFlags, paths []string) error {
	codes, err := presets(flags.preset)
	switch {
	case err != nil:
		return err
	case flags.pass && len(paths) > 0:
		return errors.New("--pass takes one message from stdin, not paths")
	case flags.preset != "" && len(paths) > 0:
		return errors.New("--exit-code takes one message from stdin, not paths")
	case flags.terms < 0:
		return fmt.Errorf("--terms is %d: must be at least 0", flags.terms)
	case flags.terms > 0 && !flags.pass:
		return errors.New("--terms is about --pass; chaff explain shows the terms of a message")
	case flags.format != "" && len(paths) == 0:
		return errors.New("--format is about paths, and none is given")
	case flags.pass:
		codes.trouble = exitTempFail
		err = p.passThrough(flags.model, flags.terms, codes)
	case len(paths) == 0:
		err = p.classifyStdin(flags, codes)
	default:
		err = p.classifyPaths(flags, paths)
	}
	if err != nil {
		return classifyError{err, codes.trouble}
	}
	return nil
}

func openModel(path string) (*filter.Filter, error) {
	if path == "" {
		return nil, hintedError{errors.New("no model: the home directory is unknown"), "say where it is: -m FILE"}
	}
	f, err := filter.Open(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = hintedError{err, "train one first: chaff train --maildir ~/Maildir, or say where it is: -m FILE"}
	case errors.Is(err, filter.ErrVersion), errors.Is(err, filter.ErrDamaged), errors.Is(err, filter.ErrTruncated):
		err = hintedError{err, "train it again with chaff train"}
	}
	return f, err
}

// modelError is an error about a model that was opened.
func modelError(path string, err error) error {
	err = fmt.Errorf("open model %s: %w", path, err)
	if errors.Is(err, filter.ErrNoTexts) {
		return hintedError{err, "train it again with --set features.texts=true"}
	}
	return err
}

// passThrough prints the message on stdin again, with the verdict in its header if there is one.
func (p *program) passThrough(model string, terms int, codes exitCodes) error {
	raw, err := p.readStdin()
	if err != nil {
		// What came in goes out again; the mail system is told to try once more.
		return errors.Join(err, p.write(raw))
	}
	out, decision, err := judge(model, raw, terms)
	if writeErr := p.write(out); err != nil || writeErr != nil {
		return errors.Join(err, writeErr)
	}
	p.code = codes.of(decision)
	return nil
}

// judge returns raw with the verdict in its header, or, in any trouble, raw as it is. A bug in the program is trouble
// too: it must not cost anybody a message.
func judge(model string, raw []byte, terms int) (out []byte, decision filter.Decision, err error) {
	defer func() {
		if r := recover(); r != nil {
			out, err = raw, fmt.Errorf("classify: internal error: %v", r)
		}
	}()
	f, err := openModel(model)
	if err != nil {
		return raw, "", err
	}
	if terms == 0 {
		v := f.Classify(raw)
		return f.Passed(raw, v), v.Decision, nil
	}
	e, err := f.Explain(raw)
	if err != nil {
		return raw, "", modelError(model, err)
	}
	return f.Passed(raw, e.Verdict, e.Contributions[:min(terms, len(e.Contributions))]...), e.Decision, nil
}

func (p *program) readStdin() ([]byte, error) {
	if file, ok := p.stdin.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		fmt.Fprintln(p.stderr, "chaff: reading a message from the terminal; end it with Ctrl-D")
	}
	raw, err := io.ReadAll(p.stdin)
	if err != nil {
		return raw, fmt.Errorf("read the message from stdin: %w", err)
	}
	return raw, nil
}

func (p *program) write(out []byte) error {
	if _, err := p.stdout.Write(out); err != nil {
		return fmt.Errorf("write the message: %w", err)
	}
	return nil
}

func (p *program) classifyStdin(flags classifyFlags, codes exitCodes) error {
	f, err := openModel(flags.model)
	if err != nil {
		return err
	}
	raw, err := p.readStdin()
	if err != nil {
		return err
	}
	v := f.Classify(raw)
	p.code = codes.of(v.Decision)
	if flags.json {
		return p.printVerdictJSON("-", v)
	}
	_, err = fmt.Fprintf(p.stdout, "%s  score %.4f  probability %.6f\n", v.Decision, v.Score, v.Probability)
	return err
}

// classifyPaths prints a verdict for each message at the paths. One that cannot be read is reported, and the others go
// on.
func (p *program) classifyPaths(flags classifyFlags, paths []string) error {
	f, err := openModel(flags.model)
	if err != nil {
		return err
	}
	var raw []byte
	messages, failed := 0, 0
	for _, path := range paths {
		source, _, err := corpus.Open(path, "", corpus.Format(flags.format))
		if err != nil {
			failed++
			fmt.Fprintf(p.stderr, "chaff: %v\n", err)
			continue
		}
		for item, err := range source {
			if err == nil {
				raw, err = item.Read(raw)
			}
			if err != nil {
				failed++
				fmt.Fprintf(p.stderr, "chaff: %v\n", err)
				continue
			}
			messages++
			if err := p.printVerdict(flags, item.Origin, f.Classify(raw)); err != nil {
				return err
			}
		}
	}
	switch {
	case failed > 0:
		return fmt.Errorf("%d of %d messages could not be read", failed, failed+messages)
	case messages == 0:
		return errors.New("no messages at the paths given")
	}
	return nil
}

func (p *program) printVerdict(flags classifyFlags, path string, v filter.Verdict) error {
	if flags.json {
		return p.printVerdictJSON(path, v)
	}
	_, err := fmt.Fprintf(p.stdout, "%-6s  %10.4f  %.6f  %s\n", v.Decision, v.Score, v.Probability, path)
	return err
}

func (p *program) printVerdictJSON(path string, v filter.Verdict) error {
	e := json.NewEncoder(p.stdout)
	e.SetEscapeHTML(false)
	return e.Encode(struct {
		Path string `json:"path"`
		filter.Verdict
	}{path, v})
}

// misunderstood deals with a command line of classify that was refused before stdin was read, and returns the exit code.
// In pass-through mode the message comes out all the same, and a code that was asked for is never mistaken for a verdict.
func (p *program) misunderstood(args []string) int {
	code := exitError
	for _, arg := range args {
		switch {
		case arg == "--":
			return code
		case arg == "--pass" || arg == "--pass=true":
			if _, err := io.Copy(p.stdout, p.stdin); err != nil {
				fmt.Fprintf(p.stderr, "chaff: pass the message through: %v\n", err)
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
