package main

import (
	"cmp"
	"fmt"
	"strings"

	"chaff/evaluate"
	"chaff/internal/screen"
	"chaff/metrics"
	"chaff/report"
	"chaff/train"
)

// show prints what a command has computed: as JSON of its fields, or as the text that describe prints.
func (p *program) show(computed any, describe func(a *answer)) error {
	if p.asJSON {
		return screen.PrintJSON(p.stdout, computed, "  ")
	}
	describe(&answer{program: p})
	return nil
}

// answer prints a result as text, one part after the other. Warnings go to stderr, all else to stdout.
type answer struct {
	*program
	page *report.Page // gets the labelled texts, the figures, the legends and the warnings; nil for none
}

// printable formats as [screen.Printf] does.
func printable(format string, args ...any) string {
	var text strings.Builder
	screen.Printf(&text, format, args...)
	return text.String()
}

func (a *answer) line(format string, args ...any) { screen.Printf(a.stdout, format+"\n", args...) }

func (a *answer) gap() { a.line("") }

// fact prints a labelled text, which is wrapped beside its label. Without a label it goes on about the fact before it.
func (a *answer) fact(label, format string, args ...any) {
	text := printable(format, args...)
	screen.Paragraph(a.stdout, fmt.Sprintf("%-12s", label), "%s", screen.Quoted(text))
	if a.page == nil {
		return
	}
	if last := len(a.page.Facts) - 1; label == "" && last >= 0 {
		a.page.Facts[last].Value += "; " + text
	} else {
		a.page.Facts = append(a.page.Facts, report.Fact{Name: label, Value: text})
	}
}

// unlessQuiet prints a fact that --quiet leaves out.
func (a *answer) unlessQuiet(label, format string, args ...any) {
	if !a.quiet {
		a.fact(label, format, args...)
	}
}

// count prints a fact about a number of messages, unless it is 0.
func (a *answer) count(label string, n int, format string) {
	if n > 0 {
		a.fact(label, format, n)
	}
}

// legend prints a paragraph about figures.
func (a *answer) legend(text string) {
	screen.Paragraph(a.stdout, "", "%s", text)
	if a.page != nil {
		a.page.Notes = append(a.page.Notes, text)
	}
}

func (a *answer) warn(text string) {
	a.program.warn(text)
	if a.page != nil {
		a.page.Warnings = append(a.page.Warnings, text)
	}
}

// table is rows of cells, as they are shown.
type table [][]string

// row adds a row. Each text of a list is a cell.
func (t *table) row(cells ...any) {
	var row []string
	for _, cell := range cells {
		texts, isList := cell.([]string)
		for _, text := range texts {
			row = append(row, printable("%s", text))
		}
		if !isList {
			row = append(row, printable("%v", cell))
		}
	}
	*t = append(*t, row)
}

// column adds a column below its head.
func (t *table) column(head string, cells []string) {
	for i, cell := range append([]string{head}, cells...) {
		if i == len(*t) {
			*t = append(*t, nil)
		}
		(*t)[i] = append((*t)[i], printable("%s", cell))
	}
}

// table prints a table whose rows are cut at a width; 0 is none.
func (a *answer) table(t table, width int) {
	out := &screen.Table{To: a.stdout, Columns: width}
	for _, row := range t {
		out.Write([]byte(strings.Join(row, "\t") + "\n"))
	}
	out.Flush()
}

// figureTable prints a table that a page has, too.
func (a *answer) figureTable(t table) {
	a.table(t, 0)
	if a.page != nil {
		a.page.Tables = append(a.page.Tables, t)
	}
}

// figuresOf returns the cells of a table with these heads, which name figures. An undefined figure, and one of no messages, is a dash.
func figuresOf(f *metrics.Figures, heads ...string) []string {
	var shown map[string]string
	if f != nil {
		shown = map[string]string{
			"messages": screen.Grouped(f.Messages), "accuracy": fmt.Sprintf("%.2f%%", f.Accuracy), "95% interval": fmt.Sprintf("%.2f-%.2f", f.AccuracyLow, f.AccuracyHigh),
			"0-1 loss": number(&f.ZeroOneLoss), "square loss": number(f.SquareLoss), "log loss": number(f.LogLoss), "Brier score": number(f.Brier),
			"hm%": percent(f.HM, 2), "sm%": percent(f.SM, 2), "lam%": percent(f.LAM, 2), "(1-ROCA)%": percent(f.OneMinusROCA, 4),
		}
	}
	cells := make([]string, len(heads))
	for i, head := range heads {
		cells[i] = cmp.Or(shown[head], "-")
	}
	return cells
}

func figureOf(f *metrics.Figures, name string) string { return figuresOf(f, name)[0] }

// maxWarnings is how many warnings a short answer has.
const maxWarnings = 2

// doubts prints the first warnings, or all.
func (a *answer) doubts(texts []string) {
	for i, text := range texts {
		if i == maxWarnings && !a.verbose {
			a.aside("%s: --verbose shows them", plural(len(texts)-i, "more warning"))
			return
		}
		a.warn(text)
	}
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
