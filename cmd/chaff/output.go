package main

import (
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"text/tabwriter"
	"time"
	"unicode/utf8"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"chaff/evaluate"
	"chaff/internal/screen"
	"chaff/metrics"
	"chaff/models"
	"chaff/train"
)

// output is a file that keeps its first error, so that commands print without checking each line. It drops everything after.
type output struct {
	file io.Writer
	err  error
}

func (o *output) Write(text []byte) (n int, err error) {
	if o.err == nil {
		n, o.err = o.file.Write(text)
	}
	return n, o.err
}

// terminal returns stderr if it is a terminal for progress, else nil.
func (p *program) terminal() *os.File {
	if file, isFile := p.stderr.(*os.File); isFile && !p.quiet && term.IsTerminal(int(file.Fd())) {
		return file
	}
	return nil
}

func newBar(w io.Writer, all int, what string) *progressbar.ProgressBar {
	return progressbar.NewOptions(all, progressbar.OptionSetWriter(w), progressbar.OptionSetDescription(what), progressbar.OptionShowCount(),
		progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish())
}

// progress returns a function that draws a bar on a terminal, and one that removes it.
func (p *program) progress(what string) (step func(read, all int), done func()) {
	file := p.terminal()
	if file == nil {
		return nil, func() {}
	}
	var bar atomic.Pointer[progressbar.ProgressBar]
	step = func(read, all int) {
		if bar.Load() == nil {
			bar.CompareAndSwap(nil, newBar(file, all, what))
		}
		_ = bar.Load().Add(1) // a bar that cannot be drawn must not stop the work
	}
	return step, func() {
		if b := bar.Load(); b != nil {
			_ = b.Finish()
		}
	}
}

// epochs returns a function that prints each epoch on a terminal, and one that ends the output. Several models share one line.
func (p *program) epochs(several bool) (tell func(model string, e models.Epoch), done func()) {
	file := p.terminal()
	if file == nil {
		return nil, func() {}
	}
	if !several {
		return showEpochs(file), func() {}
	}
	width, _, err := term.GetSize(int(file.Fd()))
	if err != nil {
		width = 80
	}
	return showInPlace(file, width)
}

func showEpochs(w io.Writer) func(model string, e models.Epoch) {
	return func(model string, e models.Epoch) { screen.Printf(w, "%s %s\n", model, epochLine(e)) }
}

// clearLine empties the current line of a terminal.
const clearLine = "\r\x1b[K"

// showInPlace prints each epoch over the previous one, cut to the width of the terminal.
func showInPlace(w io.Writer, width int) (tell func(model string, e models.Epoch), done func()) {
	told := false
	tell = func(model string, e models.Epoch) {
		line := model + " " + epochLine(e)
		screen.Printf(w, clearLine+"%s", line[:min(len(line), max(width-1, 0))])
		told = true
	}
	return tell, func() {
		if told {
			fmt.Fprint(w, clearLine)
		}
	}
}

func printJSON(w io.Writer, v any) error { return screen.PrintJSON(w, v, "  ") }

// newTable returns a table with the given headings. Flush prints it.
func newTable(w io.Writer, headings ...string) *tabwriter.Writer {
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	if len(headings) > 0 {
		screen.Lines(t).Write([]byte(strings.Join(headings, "\t") + "\n"))
	}
	return t
}

// flushSome prints the rows of a table in blocks: a table keeps its rows in memory to align them. The next row is i.
func flushSome(t *tabwriter.Writer, i int) {
	if i%1000 == 999 {
		t.Flush()
	}
}

// threshold formats a threshold. A tiny one is 0.
func threshold(score float64) string {
	if math.Abs(score) < 1e-9 {
		return "0"
	}
	return fmt.Sprintf("%.4g", score)
}

// percent formats a percentage. An undefined one is a dash.
func percent(v *float64, digits int) string {
	if v == nil {
		return "-"
	}
	return fmt.Sprintf("%.*f", digits, *v)
}

// number formats a figure with four digits. An undefined one is a dash.
func number(v *float64) string {
	switch {
	case v == nil:
		return "-"
	case *v == 0:
		return "0"
	case math.Abs(*v) >= 1e6 || math.Abs(*v) < 1e-4:
		return fmt.Sprintf("%.1e", *v)
	case math.Abs(*v) >= 100:
		return fmt.Sprintf("%.0f", *v)
	}
	return fmt.Sprintf("%.4f", *v)
}

func accuracyOf(f *metrics.Figures) string {
	if f == nil {
		return "-"
	}
	return fmt.Sprintf("%.2f%%", f.Accuracy)
}

// lossOf formats a loss. A part without messages has none.
func lossOf(f *metrics.Figures, loss func(*metrics.Figures) *float64) string {
	if f == nil {
		return "-"
	}
	return number(loss(f))
}

// chance is the significance level.
const chance = 0.05

func isBetter(m metrics.McNemar) bool { return m.P < chance && m.Better > m.Worse }

// against describes whether the errors of a model differ from those of the best by more than chance.
func against(m *metrics.McNemar) string {
	if m == nil {
		return "-"
	}
	verdict := "chance"
	switch {
	case isBetter(*m):
		verdict = "better"
	case m.P < chance:
		verdict = "worse"
	}
	return fmt.Sprintf("+%d -%d %s (p %s)", m.Better, m.Worse, verdict, probability(m.P))
}

func probability(p float64) string {
	if p < 0.001 {
		return "<0.001"
	}
	return fmt.Sprintf("%.3f", p)
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// shorten makes the value of a header field fit on a line.
func shorten(value []byte) string {
	if utf8.RuneCount(value) <= 70 {
		return string(value)
	}
	end := 0
	for range 69 {
		_, size := utf8.DecodeRune(value[end:])
		end += size
	}
	return string(value[:end]) + "…"
}

func (p *program) printProblems(s train.Summary) {
	for _, problem := range s.Problems {
		screen.Printf(p.stderr, "chaff: left out: %s\n", screen.Quoted(problem))
	}
	if more := s.Unreadable - len(s.Problems); more > 0 {
		screen.Printf(p.stderr, "chaff: left out: %d more\n", more)
	}
}

// doubt is a warning about models.
type doubt struct{ models, text string }

// doubts collects the warnings about models. A warning about several models is one doubt.
func doubts(results []train.Result) []doubt {
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
	var all []doubt
	for _, text := range texts {
		d := doubt{strings.Join(of[text], ", "), text}
		if len(results) > 1 && len(of[text]) == len(results) {
			d.models = "all models"
		}
		all = append(all, d)
	}
	return all
}

func (p *program) printWarnings(results []train.Result) {
	for _, d := range doubts(results) {
		screen.Printf(p.stderr, "chaff: %s: warning: %s\n", d.models, d.text)
	}
}

// printLeaks warns of terms that the senders may not have written.
func (p *program) printLeaks(classes []string, leaks []evaluate.Leak) {
	for _, l := range leaks {
		term := l.Term
		if l.Setting == "" && l.Alike > 0 {
			term += ", like " + plural(l.Alike, "other term") + " of the text,"
		}
		var of []string
		for c, n := range l.Messages {
			of = append(of, fmt.Sprintf("%d of %d %s", n, l.Of[c], classes[c]))
		}
		screen.Printf(p.stderr, "chaff: warning: possible leak: %s is in %s (training messages): %s\n", term, strings.Join(of, ", "), l.Advice)
	}
	if all := settingsAgainst(leaks); len(all) > 0 {
		screen.Printf(p.stderr, "chaff: hint: to exclude all of them: %s\n", strings.Join(all, " "))
	}
}

// settingsAgainst returns the flags that exclude all leaks together, or none if one leak names them. Each leak lists all
// fields to ignore, its own last.
func settingsAgainst(leaks []evaluate.Leak) []string {
	const ignore = "tokenize.ignore_headers="
	var fields, flags, distinct []string
	for _, l := range leaks {
		if l.Setting == "" || slices.Contains(distinct, l.Setting) {
			continue
		}
		distinct = append(distinct, l.Setting)
		list, isList := strings.CutPrefix(l.Setting, ignore)
		if !isList {
			flags = append(flags, "--set "+l.Setting)
			continue
		}
		for field := range strings.SplitSeq(list, ",") {
			if !slices.Contains(fields, field) {
				fields = append(fields, field)
			}
		}
	}
	if len(distinct) < 2 {
		return nil
	}
	if len(fields) > 0 {
		flags = append(flags, "--set "+ignore+strings.Join(fields, ","))
	}
	return flags
}
