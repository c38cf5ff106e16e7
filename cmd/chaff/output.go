package main

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	"chaff/internal/screen"
	"chaff/report"
)

// output is a file that keeps its first error, so that commands print without checking each line. It writes on after an error, since a full disk may have room
// again before the daemon ends.
type output struct {
	file  io.Writer
	err   error
	width int // of a terminal, where errors, warnings and hints are wrapped; else 0

	progress *output // shows how far the work is, until anything else is printed; nil for none
	mu       sync.Mutex
	isShown  bool
}

func newOutput(w io.Writer) *output {
	o := &output{file: w}
	if file, isFile := w.(*os.File); isFile && term.IsTerminal(int(file.Fd())) {
		if o.width, _, _ = term.GetSize(int(file.Fd())); o.width <= 0 {
			o.width = defaultWidth
		}
	}
	return o
}

func (o *output) Write(text []byte) (n int, err error) {
	wrapped := text
	if o.width > 0 && bytes.HasPrefix(text, []byte("chaff: ")) {
		var lines []string
		for line := range strings.SplitSeq(string(text), "\n") {
			lines = append(lines, screen.Wrap(strings.Split(line, " "), o.width)...)
		}
		wrapped = []byte(strings.Join(lines, "\n"))
	}
	if o.progress != nil {
		o.progress.clear()
	}
	_, err = o.file.Write(wrapped)
	o.err = cmp.Or(o.err, err)
	return len(text), err
}

// defaultWidth is the width of what is not printed on a terminal.
const defaultWidth = 80

const clearLine = "\r\x1b[K"

// show shows on the line of the terminal how far the work is, cut to the width, until anything else is printed.
func (o *output) show(text string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	screen.Printf(o.file, clearLine+"%s", text[:min(len(text), o.width-1)])
	o.isShown = true
}

func (o *output) clear() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.isShown {
		_, _ = io.WriteString(o.file, clearLine)
	}
	o.isShown = false
}

// How often progress is shown on a terminal, and told elsewhere.
const (
	shownEvery = 100 * time.Millisecond
	toldEvery  = 10 * time.Second
)

// isWatched reports whether a terminal shows how far the work is.
func (p *program) isWatched() bool { return p.stderr.width > 0 && !p.quiet }

// progress returns a function that prints how far the work is. Any goroutine may call it.
func (p *program) progress(what, unit string) (step func(read, all int)) {
	switch {
	case p.quiet:
		return func(int, int) {}
	case p.isWatched():
		return progressEvery(shownEvery, what, unit, p.stderr.show)
	}
	return progressEvery(toldEvery, what, unit, func(text string) { p.aside("%s", text) })
}

// progressEvery returns a function that prints how far the work is, at most once in an interval. Work that follows begins again with 1.
func progressEvery(every time.Duration, what, unit string, tell func(text string)) func(read, all int) {
	began := time.Now()
	next, before := every, 0
	var mu sync.Mutex
	return func(read, all int) {
		mu.Lock()
		defer mu.Unlock()
		if read == 1 && before > 1 {
			began, next = time.Now(), every
		}
		before = read
		took := time.Since(began)
		if took < next {
			return
		}
		next = (took/every + 1) * every
		left := time.Duration(float64(took) / float64(max(read, 1)) * float64(all-read)).Round(time.Second)
		tell(fmt.Sprintf("%s: %s of %s %s, %v left", what, screen.Grouped(read), screen.Grouped(all), unit, left))
	}
}

// threshold formats a threshold. A tiny one is 0.
func threshold(score float64) string {
	if math.Abs(score) < 1e-9 {
		return "0"
	}
	return screen.Figure(score)
}

// percent formats a percentage with three significant digits, and no more than the given number after the point. An undefined one is a
// dash. Only 100 is 100.
func percent(v *float64, digits int) string {
	switch {
	case v == nil:
		return "-"
	case *v == 0 || *v == 100:
		return fmt.Sprintf("%.0f", *v)
	case *v > 99.9:
		return ">99.9"
	}
	before := 1 + int(math.Floor(math.Log10(math.Abs(*v))))
	text := fmt.Sprintf("%.*f", min(max(3-before, 0), digits), *v)
	if strings.Trim(text, "0.") == "" {
		return "<" + text[:len(text)-1] + "1"
	}
	return text
}

// shareOf formats the share of n messages of all.
func shareOf(n, all int) string {
	if all == 0 {
		return "-"
	}
	return percent(new(100*float64(n)/float64(all)), 2) + "%"
}

// number formats a figure with three significant digits. An undefined one is a dash.
func number(v *float64) string {
	if v == nil {
		return "-"
	}
	return screen.Figure(*v)
}

func sizeOf(n int64) string {
	if n < 1e6 {
		return fmt.Sprintf("%d kB", (n+999)/1000)
	}
	unit, mb := " MB", float64(n)/1e6
	if mb >= 1e4 {
		unit, mb = " GB", mb/1e3
	}
	return screen.Figure(mb) + unit
}

// mapped returns what a function makes of each element.
func mapped[T, U any](all []T, of func(T) U) []U {
	made := make([]U, len(all))
	for i, one := range all {
		made[i] = of(one)
	}
	return made
}

// headWidth is how much of the value of a header field is shown on a line, in columns.
const headWidth = 70

// aside prints a line on stderr.
func (p *program) aside(format string, args ...any) {
	screen.Printf(p.stderr, "chaff: "+format+"\n", args...)
}

// warn prints a warning. Its untrusted parts are quoted.
func (p *program) warn(text string) { p.aside("warning: %s", screen.Quoted(text)) }

// first prints the first ten of all quoted reasons why messages and folders are left out or refused.
func (p *program) first(what string, reasons []string, all int) {
	shown := reasons[:min(len(reasons), 10)]
	for _, reason := range shown {
		p.aside("%s: %s", what, screen.Quoted(reason))
	}
	if more := all - len(shown); more > 0 {
		p.aside("%s: %d more", what, more)
	}
}

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
	page *report.Page // gets the labelled texts, the figures with their legends and the warnings; nil for none
}

func (a *answer) line(format string, args ...any) { screen.Printf(a.stdout, format+"\n", args...) }

func (a *answer) gap() { a.line("") }

// fact prints a labelled text, which is wrapped beside its label. Without a label it goes on about the fact before it.
func (a *answer) fact(label, format string, args ...any) {
	text := screen.Text(format, args...)
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

func (a *answer) warn(text string) {
	a.program.warn(text)
	if a.page != nil {
		a.page.Warnings = append(a.page.Warnings, text)
	}
}

// table begins a table with its heads, if it has any. Its rows are cut at a width; 0 is none.
func (a *answer) table(width int, heads ...string) *screen.Table {
	t := &screen.Table{To: a.stdout, Columns: width}
	if len(heads) > 0 {
		t.Row(heads)
	}
	return t
}

// figureTable prints a table that a page has, too, and how to read it, if legend says so.
func (a *answer) figureTable(t *screen.Table, legend string) {
	if a.page != nil {
		a.page.Tables, a.page.Notes = append(a.page.Tables, t.Rows), append(a.page.Notes, legend)
	}
	t.Flush()
	if legend != "" {
		a.gap()
		screen.Paragraph(a.stdout, "", "%s", legend)
	}
}
