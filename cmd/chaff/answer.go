package main

import (
	"fmt"
	"strings"

	"chaff/evaluate"
	"chaff/internal/screen"
	"chaff/metrics"
	"chaff/train"
)

// show prints what a command has computed: as JSON of its fields, or as the text that describe adds to an answer.
func (p *program) show(computed any, describe func(a *answer)) error {
	if p.asJSON {
		return screen.PrintJSON(p.stdout, computed, "  ")
	}
	var a answer
	describe(&a)
	p.say(a)
	return nil
}

// answer is the text of a result: its parts in order. Warnings go to stderr, all else to stdout.
type answer []part

// part is a labelled text of an answer, which is printable, or what prints another part. A page has figures and legends, too.
type part struct {
	label, text string
	isNote      bool
	print       func(p *program)
	figures     table
	legend      string
}

func (p *program) say(a answer) {
	for _, part := range a {
		switch {
		case part.print != nil:
			part.print(p)
		case !part.isNote || !p.quiet:
			screen.Paragraph(p.stdout, fmt.Sprintf("%-12s", part.label), "%s", screen.Quoted(part.text))
		}
	}
}

func (a *answer) add(print func(p *program)) { *a = append(*a, part{print: print}) }

func (a *answer) line(format string, args ...any) {
	a.add(func(p *program) { screen.Printf(p.stdout, format+"\n", args...) })
}

func (a *answer) gap() { a.line("") }

// fact adds a labelled text, which is wrapped beside its label. Without a label it goes on about the fact before it.
func (a *answer) fact(label, format string, args ...any) {
	var text strings.Builder
	screen.Printf(&text, format, args...)
	*a = append(*a, part{label: label, text: text.String()})
}

// unlessQuiet adds a fact that --quiet leaves out.
func (a *answer) unlessQuiet(label, format string, args ...any) {
	a.fact(label, format, args...)
	(*a)[len(*a)-1].isNote = true
}

// count adds a fact about a number of messages, unless it is 0.
func (a *answer) count(label string, n int, format string) {
	if n > 0 {
		a.fact(label, format, n)
	}
}

// legend adds a paragraph about figures.
func (a *answer) legend(text string) {
	a.add(func(p *program) { screen.Paragraph(p.stdout, "", "%s", text) })
	(*a)[len(*a)-1].legend = text
}

// aside adds a line for stderr.
func (a *answer) aside(format string, args ...any) {
	a.add(func(p *program) { screen.Printf(p.stderr, "chaff: "+format+"\n", args...) })
}

// warn adds warnings whose untrusted parts are quoted.
func (a *answer) warn(texts ...string) {
	for _, text := range texts {
		a.add(func(p *program) { p.warn(text) })
	}
}

// table is rows of cells, as they are shown.
type table [][]string

// row adds a row. Each text of a list is a cell.
func (t *table) row(cells ...any) {
	var row []string
	add := func(cell any) {
		var text strings.Builder
		screen.Printf(&text, "%v", cell)
		row = append(row, text.String())
	}
	for _, cell := range cells {
		texts, isList := cell.([]string)
		for _, text := range texts {
			add(text)
		}
		if !isList {
			add(cell)
		}
	}
	*t = append(*t, row)
}

// table adds a table whose rows are cut at a width; 0 is none.
func (a *answer) table(t table, width int) {
	a.add(func(p *program) {
		out := screen.NewTable(p.stdout, width)
		for _, row := range t {
			out.Write([]byte(strings.Join(row, "\t") + "\n"))
		}
		out.Flush()
	})
}

// figureTable adds a table that a page has, too.
func (a *answer) figureTable(t table) {
	a.table(t, 0)
	(*a)[len(*a)-1].figures = t
}

// figuresOf returns the cells of a table with these heads, which name figures. A part of the mail without messages has dashes.
func figuresOf(f *metrics.Figures, heads ...string) []string {
	cells := make([]string, len(heads))
	for i, head := range heads {
		cells[i] = figureOf(f, head)
	}
	return cells
}

func figureOf(f *metrics.Figures, name string) string {
	if f == nil {
		return "-"
	}
	switch name {
	case "messages":
		return screen.Grouped(f.Messages)
	case "errors":
		return screen.Grouped(f.Messages - f.Confusion.Correct())
	case "accuracy":
		return fmt.Sprintf("%.2f%%", f.Accuracy)
	case "95% interval":
		return fmt.Sprintf("%.2f-%.2f", f.AccuracyLow, f.AccuracyHigh)
	case "0-1 loss":
		return number(&f.ZeroOneLoss)
	case "square loss":
		return number(f.SquareLoss)
	case "log loss":
		return number(f.LogLoss)
	case "Brier score":
		return number(f.Brier)
	case "hm%":
		return percent(f.HM, 2)
	case "sm%":
		return percent(f.SM, 2)
	case "lam%":
		return percent(f.LAM, 2)
	}
	return percent(f.OneMinusROCA, 4) // (1-ROCA)%
}

// maxWarnings is how many warnings a short answer has.
const maxWarnings = 2

// doubts adds the first warnings, or all.
func (a *answer) doubts(texts []string, fully bool) {
	if more := len(texts) - maxWarnings; more > 0 && !fully {
		a.warn(texts[:maxWarnings]...)
		a.aside("%s: --verbose shows them", plural(more, "more warning"))
		return
	}
	a.warn(texts...)
}

// doubts collects the warnings about models, one for all that share it, and then those about leaks: terms that the senders may not have written.
func doubts(results []train.Result, classes []string, leaks []evaluate.Leak) []string {
	var texts []string
	of := make(map[string][]string) // models by warning
	for _, r := range results {
		for _, text := range r.Warnings {
			if len(of[text]) == 0 {
				texts = append(texts, text)
			}
			of[text] = append(of[text], r.Model)
		}
	}
	for i, text := range texts {
		if len(results) > 1 {
			texts[i] = strings.Join(of[text], ", ") + ": " + text
		}
	}
	for _, l := range leaks {
		about, of := "", []string(nil)
		if l.Setting == "" && l.Alike > 0 {
			about = ", like " + plural(l.Alike, "other term") + " of the text,"
		}
		for c, n := range l.Messages {
			of = append(of, screen.Sprintf("%d of %d %s", n, l.Of[c], classes[c]))
		}
		texts = append(texts, screen.Printable(fmt.Sprintf("possible leak: %s%s is in %s (training messages): %s", l.Term, about, strings.Join(of, ", "), l.Advice)))
	}
	return texts
}
