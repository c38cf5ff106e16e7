package main

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"chaff/cmd/internal/delivery"
	"chaff/corpus"
	"chaff/corpus/sources"
	"chaff/filter"
	"chaff/internal/replace"
	"chaff/internal/screen"
	"chaff/message"
)

// What names the standard streams in place of a path.
const (
	stdinPath  = "-"
	stdoutPath = "/dev/stdout"
)

type classifyFlags struct {
	delivery.Request
	format string // of what is at paths
	list   string // a file of paths
}

func classifyCommand(p *program) *cobra.Command {
	var flags classifyFlags
	c := &cobra.Command{
		Use:   "classify [-m FILE] [PATH...]",
		Short: "Print whether messages are spam",
		Long: `Classify reads a message or an mbox from stdin, or the messages at each PATH
(files, folders, Maildirs, mbox files; - is stdin), and prints a verdict for
each: ham, unsure or spam, with the score and the probability. The model stores
its settings, so classify reads no configuration.

With --pass it prints the message with the verdict in its header: X-Spam-Flag,
X-Spam-Status and X-Chaff-*. If anything fails, it prints the message unchanged
and exits with 75, and the mail system tries again later. With --pass and with
--exit-code, stdin is one message, whatever its first line.

The program chaff-classify does the same for one message from stdin and starts
faster. It takes no path, and of the flags --exit-code, --json, --model-file,
--pass and --version.`,
		Example: `  chaff classify < message
  chaff classify --pass < message
  chaff classify --exit-code < message && echo spam
  chaff classify -m spam.model Maildir/new/*
  find Maildir -type f | chaff classify --paths-from -`,
		RunE: func(_ *cobra.Command, paths []string) error {
			flags.Model = p.model
			return classify(p, flags, paths)
		},
	}
	p.addModelFile(c, "use", "")
	flags.AddFlags(c.Flags())
	c.Flags().Lookup("exit-code").NoOptDefVal = delivery.DefaultPreset
	addFormat(c, &flags.format, "what is at each PATH")
	c.Flags().StringVar(&flags.list, "paths-from", "", "take the paths from the lines of `FILE`, or of stdin if it is -")
	_ = c.RegisterFlagCompletionFunc("exit-code", cobra.FixedCompletions([]string{delivery.DefaultPreset, delivery.LikeSpamAssassin}, cobra.ShellCompDirectiveNoFileComp))
	return c
}

func classify(p *program, flags classifyFlags, paths []string) error {
	if slices.Equal(paths, []string{stdinPath}) && flags.format == "" {
		paths = nil
	}
	isDelivery := flags.Pass || flags.Preset != ""
	switch {
	case flags.Pass && flags.JSON:
		return delivery.ErrPassJSON
	case flags.list != "" && len(paths) > 0:
		return fmt.Errorf("--paths-from %s has the paths: leave out %s", flags.list, paths[0])
	case isDelivery && len(flags.list)+len(paths) > 0:
		return errors.New("--pass and --exit-code take one message from stdin, not paths")
	case flags.format != "" && flags.list == "" && len(paths) == 0:
		return errors.New("--format needs a path")
	}
	var err error
	if flags.list != "" {
		if paths, err = p.linesOf(flags.list); err != nil {
			return fmt.Errorf("--paths-from %s: %w", flags.list, err)
		}
	} else if len(paths) == 0 && !isDelivery && p.stdinIsMbox() {
		paths = []string{stdinPath}
	}
	if flags.list != "" || len(paths) > 0 {
		if err = classifyPaths(p, flags, paths); err != nil {
			p.code = exitError
		}
		return err
	}
	streams := p.streams
	if !flags.Pass {
		streams.Out = p.stdout
	}
	p.code, err = flags.Run(streams)
	return err
}

// readEach passes each message of a source to show. It reports unreadable messages on stderr and continues, and counts there what is no mail.
// An unreadable message is its error; without messages it is what the first file is instead, or none.
func readEach(p *program, source corpus.Source, none error, show func(origin string, raw []byte) error) error {
	messages, failed, others := 0, 0, 0
	var left message.LeftOut
	var first error // held until it is not alone
	var raw []byte
	for item, err := range source {
		if first != nil {
			p.aside("%v", first)
			first = nil
		}
		if err == nil {
			raw, err = item.Read(raw)
		}
		switch {
		case corpus.IsRemark(err):
			p.warn(err.Error())
		case err == nil:
			messages++
			if err := show(item.Origin, raw); err != nil {
				return err
			}
		case item.Origin != "" && left.Count(err):
			if others++; others == 1 {
				none = err
			}
		default:
			if failed++; failed+messages == 1 {
				first = err
			} else {
				p.aside("%v", err)
			}
		}
	}
	if messages > 0 && others > 0 || others > 1 {
		p.aside("%s", left)
	}
	switch {
	case first != nil:
		return first
	case failed > 0:
		return fmt.Errorf("%d of %d messages could not be read", failed, failed+messages)
	case messages == 0:
		return none
	}
	return nil
}

// stdinIsMbox reports whether an mbox is on stdin. It does not look at what a user types.
func (p *program) stdinIsMbox() bool {
	if p.streams.IsTyped() {
		return false
	}
	head := bufio.NewReaderSize(p.streams.In, 4<<10)
	text, _ := head.Peek(head.Size())
	if len(text) == 0 {
		return false // delivery.ReadMessage finds out why
	}
	p.streams.In = head
	return sources.BeginsMbox(text)
}

// openStdin opens the messages on stdin: those of an mbox or of what is in the given format, otherwise one.
func (p *program) openStdin(format string) (corpus.Source, error) {
	if format != "" || p.stdinIsMbox() {
		return sources.OpenReader(p.streams.In, stdinPath, sources.Format(format))
	}
	return func(yield func(corpus.Item, error) bool) {
		raw, err := delivery.ReadMessage(p.streams)
		yield(corpus.Item{Origin: stdinPath, Content: inMemory(raw)}, err)
	}, nil
}

// inMemory is a message that was read. It can be read once: without a buffer to copy it to, Append gives its memory away, because a message
// of the largest size leaves no room for a copy.
type inMemory []byte

func (m inMemory) Append(dst []byte) ([]byte, error) {
	if cap(dst) == 0 {
		return m, nil
	}
	return append(dst, m...), nil
}

// openEach yields the messages at paths, each of which is opened when it is its turn; - is stdin.
func (p *program) openEach(paths []string, format string) corpus.Source {
	return func(yield func(corpus.Item, error) bool) {
		var buffer []byte
		for _, path := range paths {
			var source corpus.Source
			var err error
			if path == stdinPath {
				source, err = p.openStdin(format)
			} else {
				source, err = sources.OpenOnce(path, sources.Format(format), &buffer)
			}
			if err != nil {
				source = func(yield func(corpus.Item, error) bool) { yield(corpus.Item{}, err) }
			}
			for item, err := range source {
				if !yield(item, err) {
					return
				}
			}
		}
	}
}

// linesOf returns the lines of a list of paths: a file, or stdin for -.
func (p *program) linesOf(list string) (all []string, err error) {
	from := io.NopCloser(p.streams.In)
	if list != stdinPath {
		if from, err = os.Open(list); err != nil {
			return nil, replace.Reason(err)
		}
		defer from.Close()
	}
	lines := bufio.NewScanner(from)
	for lines.Scan() {
		if lines.Text() != "" {
			all = append(all, lines.Text())
		}
	}
	return all, replace.Reason(lines.Err())
}

func classifyPaths(p *program, flags classifyFlags, paths []string) error {
	f, err := p.openModel(paths...)
	if err != nil {
		return err
	}
	unlike, err := f.NewUnlike()
	if err != nil {
		return delivery.ModelError(flags.Model, err)
	}
	delivery.LimitMemory(delivery.MessageMemory)
	width := len(filter.Unsure)
	for _, class := range f.Settings().Classes {
		width = max(width, screen.Width(screen.Printable(class)))
	}
	var lines bytes.Buffer // written as a whole: an interrupt ends the process at once, and must cut none of them
	flush := func() error {
		_, err := lines.WriteTo(p.stdout)
		return err
	}
	const maxHeld = 3 << 10 // bytes of verdicts before they are written: with the last line fewer than a pipe takes in one piece
	isWatched := p.stdout.width > 0
	err = readEach(p, p.openEach(paths, flags.format), errNoMessages, func(origin string, raw []byte) error {
		v := f.Classify(raw)
		v.Unlike = unlike.Add(v)
		var err error
		if flags.JSON {
			err = delivery.PrintJSON(&lines, origin, v)
		} else {
			_, err = screen.Printf(&lines, "%-*s  %8.2f  %.3f  %s\n", width, string(v.Verdict), v.Score, v.Probability, origin)
		}
		if err == nil && (isWatched || lines.Len() >= maxHeld) {
			err = flush()
		}
		return err
	})
	err = cmp.Or(err, flush())
	if why := unlike.String(); why != "" {
		p.warn("these " + why)
	}
	return err
}
