package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"chaff/cmd/internal/delivery"
	"chaff/filter"
	"chaff/internal/screen"
	"chaff/message"
)

func tokensCommand(p *program) *cobra.Command {
	var x onModel
	var format string
	c := &cobra.Command{
		Use:   "tokens [PATH...]",
		Short: "Show the terms of a message",
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
			if len(args) == 0 {
				args = []string{stdinPath}
			}
			reading := collectOptions(x.Config).Reading
			if p.model != "" {
				f, err := p.openModel(args...)
				if err != nil {
					return err
				}
				reading = f.Settings().Reading
			}
			return showTokens(p, reading, args, format)
		},
	}
	x.add(p, c, "", "print one JSON object for each message")
	c.Flags().StringVarP(&p.model, "model-file", "m", "", "read the message with the settings of the model in `FILE`")
	addFormat(c, &format, "what is at PATH")
	exclude(c, "model-file", "set", "config")
	return c
}

func showTokens(p *program, reading filter.Reading, paths []string, format string) error {
	delivery.LimitMemory(delivery.MessageMemory)
	show := func(origin string, raw []byte) error {
		original := message.Original(raw)
		view, err := reading.View(original)
		if err != nil {
			return err
		}
		m := view.Message
		seen := seen{
			Path: origin, Header: append([]message.Field{}, m.Header...), Attached: m.Attached, Parts: m.Parts, Links: append([]message.Link{}, m.Links...),
			Marks: mapped(slices.Collect(m.Marks.All()), message.Mark.String), Repairs: mapped(slices.Collect(view.Repairs.All()), message.Repair.String),
			Tokens: view.Tokens, Terms: view.Terms, notes: view.Notes, grams: len(view.Grams),
		}
		if p.asJSON {
			return screen.PrintJSON(p.stdout, seen, "")
		}
		if len(original) < len(raw) {
			screen.Printf(p.stdout, "This is the original in a report of SpamAssassin, which a model learns. A verdict counts the report as well.\n\n")
		}
		out := bufio.NewWriter(p.stdout)
		seen.print(out)
		return out.Flush()
	}
	if len(paths) == 1 && paths[0] == stdinPath && format == "" {
		raw, err := delivery.ReadMail(p.streams)
		if err != nil {
			return err
		}
		return show(stdinPath, raw)
	}
	none := fmt.Errorf("no messages in %s", strings.Join(paths, ", "))
	return readEach(p, p.openEach(paths, format), none, func(origin string, raw []byte) error {
		if !p.asJSON && (len(paths) > 1 || origin != paths[0]) {
			screen.Printf(p.stdout, "== %s\n\n", origin)
		}
		return show(origin, raw)
	})
}

// seen is what chaff tokens shows of a message.
type seen struct {
	Path     string            `json:"path"`
	Header   []message.Field   `json:"header"`
	Attached []message.Field   `json:"attached_header,omitempty"`
	Parts    []message.Part    `json:"parts"`
	Links    []message.Link    `json:"links"`
	Marks    []string          `json:"marks"`
	Repairs  []string          `json:"repairs"`
	Tokens   int               `json:"tokens"`
	Terms    []filter.SeenTerm `json:"terms"`

	notes []string // on the fields of the header
	grams int
}

// print prints the message as text. It notes which fields of the header are ignored or used only in part.
func (s seen) print(w io.Writer) {
	t := &screen.Table{To: w}
	for i, fields := range [][]message.Field{s.Header, s.Attached} {
		if len(fields) > 0 {
			t.Row([...]string{"Header", "Header of attached messages"}[i])
		}
		for n, f := range fields {
			note := ""
			if i == 0 && s.notes[n] != "" {
				note = "  (" + s.notes[n] + ")"
			}
			t.Row("  "+string(f.Name)+":", string(f.Value)+note)
		}
	}
	t.Flush()
	for i, part := range s.Parts {
		screen.Printf(w, "Part %d: %s\n", i+1, aboutPart(part))
		printText(w, part.Text)
		if len(part.Hidden) > 0 {
			fmt.Fprintln(w, "  hidden:")
			printText(w, part.Hidden)
		}
	}
	if len(s.Links) > 0 {
		t.Row("Links")
	}
	for _, link := range s.Links {
		cells := []any{"  " + link.Kind.String(), string(link.URL), string(link.Text)}
		if len(link.Text) == 0 {
			cells = cells[:2]
		}
		t.Row(cells...)
	}
	for _, mark := range s.Marks {
		t.Row("Marked: " + mark)
	}
	for _, repair := range s.Repairs {
		if phrase, cut := strings.CutPrefix(repair, "cut: "); cut {
			t.Row("Cut: " + phrase)
		} else {
			t.Row("Repaired: " + repair)
		}
	}
	t.Flush()
	screen.Printf(w, "%s, %d of them distinct:\n", screen.Plural(s.Tokens, "term"), len(s.Terms))
	const termWidth = 28
	for _, term := range s.Terms {
		words := strings.Join(term.Tokens, " ")
		if words != "" {
			words = strings.Repeat(" ", max(termWidth-screen.Width(screen.Printable(term.Term)), 0)) + "  " + words
		}
		t.Row(screen.Text("  %d", term.Count), term.Term+words)
	}
	t.Flush()
	if s.grams > 0 {
		screen.Printf(w, "%s in the header and the text\n", screen.Plural(s.grams, "run of four bytes", "runs of four bytes"))
	}
}

func aboutPart(p message.Part) string {
	var about []string
	for _, text := range []message.Text{p.Type, p.Charset, p.Encoding, p.Filename} {
		if len(text) > 0 {
			about = append(about, string(text))
		}
	}
	switch {
	case p.Text == nil:
		about = append(about, "not read")
	case len(p.Hidden)+p.Images > 0:
		about = append(about, screen.Sprintf("%d bytes of text, %d hidden, ", len(p.Text), len(p.Hidden))+screen.Plural(p.Images, "image"))
	default:
		about = append(about, screen.Sprintf("%d bytes of text", len(p.Text)))
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
