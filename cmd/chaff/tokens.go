package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"chaff/cmd/internal/delivery"
	"chaff/corpus"
	"chaff/corpus/sources"
	"chaff/filter"
	"chaff/internal/screen"
	"chaff/message"
	"chaff/tokenize"
)

func (p *program) tokensCommand() *cobra.Command {
	var settings settingFlags
	var model, format string
	var asJSON bool
	c := &cobra.Command{
		Use:        "tokens [PATH...]",
		Short:      "Show the terms of a message",
		SuggestFor: []string{"tokenize", "terms"},
		Long: `Tokens decodes the message on stdin, or the messages at each PATH. It prints the
header fields, the parts with their visible and hidden text, the links, the
repairs, and the terms with the words that they stand for. A term of two words
is a pair of neighbours; ^ is the start of the text or of the header. Tokens
uses the settings in force, or those of a model.`,
		Example: `  chaff tokens < message
  chaff tokens -m spam.model Maildir/cur/1700000000.1.host:2,S`,
		RunE: func(c *cobra.Command, args []string) error {
			if format != "" && len(args) == 0 {
				return errors.New("--format needs a path")
			}
			cfg, err := p.load(c, &settings)
			if err != nil {
				return err
			}
			reading := readingOf(cfg.Config)
			if model != "" {
				f, err := delivery.OpenModel(model, p.stderr)
				if err != nil {
					return err
				}
				reading = f.Settings().Reading()
			}
			return p.tokens(reading, args, sources.Format(format), asJSON)
		},
	}
	settings.add(p, c)
	c.Flags().StringVarP(&model, "model-file", "m", "", "read the message with the settings of the model in `FILE`")
	addFormat(c, &format, "what is at PATH")
	addJSON(c, &asJSON, "print one JSON object for each message")
	c.MarkFlagsMutuallyExclusive("model-file", "set")
	c.MarkFlagsMutuallyExclusive("model-file", "config")
	return c
}

func (p *program) tokens(reading filter.Reading, paths []string, format sources.Format, asJSON bool) error {
	delivery.LimitMemory()
	show := func(origin string, raw []byte) error {
		original := message.Original(raw)
		view, err := reading.View(original)
		if err != nil {
			return err
		}
		if !asJSON && len(original) < len(raw) {
			screen.Printf(p.stdout, "This is the original in a report of SpamAssassin, which a model learns. A verdict counts the report as well.\n\n")
		}
		if asJSON {
			return printViewJSON(p.stdout, origin, view)
		}
		out := bufio.NewWriter(p.stdout)
		printView(out, view)
		return out.Flush()
	}
	if len(paths) == 0 {
		paths = []string{stdinPath}
	}
	for _, path := range paths {
		if path == stdinPath && format == "" {
			raw, err := delivery.ReadMail(p.streams())
			if err == nil {
				err = show(stdinPath, raw)
			}
			if err != nil {
				return err
			}
			continue
		}
		var source corpus.Source
		var err error
		if path == stdinPath {
			source = p.stdinSource(string(format))
		} else if source, _, err = sources.Open(path, "", format); err != nil {
			return err
		}
		err = p.readEach(source, fmt.Errorf("no messages in %s", path), func(origin string, raw []byte) error {
			if !asJSON && (origin != path || len(paths) > 1) {
				screen.Printf(p.stdout, "== %s\n\n", origin)
			}
			return show(origin, raw)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func printView(w io.Writer, view filter.View) {
	m := view.Message
	t := newTable(w)
	printHeader(t, view)
	t.Flush()
	for i, part := range m.Parts {
		screen.Printf(w, "Part %d: %s\n", i+1, describePart(part))
		printText(w, part.Text)
		if len(part.Hidden) > 0 {
			fmt.Fprintln(w, "  hidden:")
			printText(w, part.Hidden)
		}
	}
	if len(m.Links) > 0 {
		fmt.Fprintln(t, "Links")
	}
	for i, link := range m.Links {
		flushSome(t, i)
		screen.Printf(t, "  %s\t%s", link.Kind, link.URL)
		if len(link.Text) > 0 {
			screen.Printf(t, "\t%s", link.Text)
		}
		fmt.Fprintln(t)
	}
	for mark := range m.Marks.All() {
		screen.Printf(t, "Marked: %s\n", mark)
	}
	for repair := range view.Repairs.All() {
		if phrase, cut := strings.CutPrefix(repair.String(), "cut: "); cut {
			screen.Printf(t, "Cut: %s\n", phrase)
			continue
		}
		screen.Printf(t, "Repaired: %s\n", repair)
	}
	t.Flush()
	screen.Printf(w, "%s, %d of them distinct:\n", plural(view.Tokens, "term"), len(view.Terms))
	for i, term := range view.Terms {
		flushSome(t, i)
		printTerm(t, term)
	}
	t.Flush()
	if n := len(view.Grams); n > 0 {
		screen.Printf(w, "%s in the header and the text\n", pluralOf(n, "run of four bytes", "runs of four bytes"))
	}
}

// termWidth is the width of the column of terms.
const termWidth = 28

func printTerm(w io.Writer, term filter.SeenTerm) {
	if len(term.Tokens) == 0 {
		screen.Printf(w, "  %d\t%s\n", term.Count, term.Term)
		return
	}
	padding := strings.Repeat(" ", max(termWidth-screen.Width(screen.Printable(term.Term)), 0))
	screen.Printf(w, "  %d\t%s%s  %s\n", term.Count, term.Term, padding, strings.Join(term.Tokens, " "))
}

// printHeader prints the header fields. It notes which fields of the message are ignored or used only in part.
func printHeader(w io.Writer, view filter.View) {
	if len(view.Message.Header) > 0 {
		fmt.Fprintln(w, "Header")
	}
	for i, f := range view.Message.Header {
		note := ""
		if use := view.Uses[i]; use != tokenize.FieldUsed {
			note = fmt.Sprintf("  (%v)", use)
		}
		screen.Printf(w, "  %s:\t%s%s\n", f.Name, f.Value, note)
	}
	if len(view.Message.Attached) > 0 {
		fmt.Fprintln(w, "Header of attached messages")
	}
	for _, f := range view.Message.Attached {
		screen.Printf(w, "  %s:\t%s\n", f.Name, f.Value)
	}
}

func describePart(part message.Part) string {
	about := []string{string(part.Type)}
	for _, b := range [][]byte{part.Charset, part.Encoding, part.Filename} {
		if len(b) > 0 {
			about = append(about, string(b))
		}
	}
	switch {
	case part.Text == nil:
		about = append(about, "not read")
	case part.Markup > 0:
		about = append(about, fmt.Sprintf("%d bytes of text, %d hidden, %d of markup, %d images", len(part.Text), len(part.Hidden), part.Markup, part.Images))
	default:
		about = append(about, fmt.Sprintf("%d bytes of text", len(part.Text)))
	}
	return strings.Join(about, ", ")
}

// printText prints the lines of a text that are not blank.
func printText(w io.Writer, text []byte) {
	for line := range bytes.Lines(text) {
		if line = bytes.TrimSpace(line); len(line) > 0 {
			fmt.Fprint(w, "  | ")
			screen.Print(w, line)
			fmt.Fprintln(w)
		}
	}
}

// viewJSON is one message of chaff tokens --json.
type viewJSON struct {
	Path     string            `json:"path"`
	Header   []fieldJSON       `json:"header"`
	Attached []fieldJSON       `json:"attached_header,omitempty"`
	Parts    []partJSON        `json:"parts"`
	Links    []linkJSON        `json:"links"`
	Marks    []string          `json:"marks"`
	Repairs  []string          `json:"repairs"`
	Tokens   int               `json:"tokens"`
	Terms    []filter.SeenTerm `json:"terms"`
}

type fieldJSON struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type partJSON struct {
	Type       string  `json:"type"`
	Charset    string  `json:"charset,omitempty"`
	Encoding   string  `json:"encoding,omitempty"`
	Filename   string  `json:"filename,omitempty"`
	Attachment bool    `json:"attachment"`
	Text       *string `json:"text"` // null: not read
	Hidden     string  `json:"hidden,omitempty"`
	Markup     int     `json:"markup_bytes"`
	Images     int     `json:"images"`
}

type linkJSON struct {
	Kind string `json:"kind"`
	URL  string `json:"url"`
	Text string `json:"text,omitempty"`
}

func printViewJSON(w io.Writer, origin string, view filter.View) error {
	m := view.Message
	out := viewJSON{Path: origin, Header: fieldsJSON(m.Header), Attached: fieldsJSON(m.Attached), Tokens: view.Tokens, Terms: view.Terms,
		Parts: []partJSON{}, Links: []linkJSON{}, Marks: []string{}, Repairs: []string{}}
	for _, p := range m.Parts {
		part := partJSON{
			Type: string(p.Type), Charset: string(p.Charset), Encoding: string(p.Encoding), Filename: string(p.Filename),
			Attachment: p.Attachment, Hidden: string(p.Hidden), Markup: p.Markup, Images: p.Images,
		}
		if p.Text != nil {
			text := string(p.Text)
			part.Text = &text
		}
		out.Parts = append(out.Parts, part)
	}
	for _, l := range m.Links {
		out.Links = append(out.Links, linkJSON{l.Kind.String(), string(l.URL), string(l.Text)})
	}
	for mark := range m.Marks.All() {
		out.Marks = append(out.Marks, mark.String())
	}
	for repair := range view.Repairs.All() {
		out.Repairs = append(out.Repairs, repair.String())
	}
	return screen.PrintJSON(w, out, "")
}

func fieldsJSON(fields []message.Field) []fieldJSON {
	all := []fieldJSON{}
	for _, f := range fields {
		all = append(all, fieldJSON{string(f.Name), string(f.Value)})
	}
	return all
}
