package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"sync/atomic"
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
	file    io.Writer
	colours func() bool // whether styles are shown
	err     error
}

func (o *output) Write(text []byte) (n int, err error) {
	if o.err == nil {
		n, o.err = o.file.Write(text)
	}
	return n, o.err
}

// HasColours reports whether the file shows styles.
func (o *output) HasColours() bool { return o.colours() }

// buffered returns a buffer for lines to o.
func (o *output) buffered() bufferedOutput {
	return bufferedOutput{bufio.NewWriter(o), o.HasColours(), terminalOf(o) != nil}
}

// bufferedOutput is a buffered output that knows its colours.
type bufferedOutput struct {
	*bufio.Writer
	colours, terminal bool
}

// EndLine shows a line at once on a terminal. Elsewhere it waits until the buffer is full or flushed.
func (b bufferedOutput) EndLine() error {
	if b.terminal {
		return b.Flush()
	}
	return nil
}

// HasColours reports whether the output shows styles.
func (b bufferedOutput) HasColours() bool { return b.colours }

// terminalOf returns w if it is a terminal, else nil.
func terminalOf(w io.Writer) *os.File {
	if o, isOutput := w.(*output); isOutput {
		w = o.file
	}
	if file, isFile := w.(*os.File); isFile && term.IsTerminal(int(file.Fd())) {
		return file
	}
	return nil
}

// terminal returns stderr if it is a terminal that shows progress, else nil.
func (p *program) terminal() *os.File {
	if p.quiet {
		return nil
	}
	return terminalOf(p.stderr)
}

// defaultWidth is the width of what is not printed on a terminal.
const defaultWidth = 80

// limit returns the width of stdout in columns if it is a terminal, else 0: what other programs read is not cut.
func (p *program) limit() int {
	file := terminalOf(p.stdout)
	if file == nil {
		return 0
	}
	if width, _, err := term.GetSize(int(file.Fd())); err == nil && width > 0 {
		return width
	}
	return defaultWidth
}

// When colours are shown.
const (
	colourAuto   = "auto"
	colourAlways = "always"
	colourNever  = "never"
)

// colourFlag is the value of --color.
type colourFlag string

func (c *colourFlag) String() string { return string(*c) }

// Type is the name of the value in the help.
func (c *colourFlag) Type() string { return "WHEN" }

// Set refuses values that are not known.
func (c *colourFlag) Set(when string) error {
	if !slices.Contains([]string{colourAuto, colourAlways, colourNever}, when) {
		return errors.New("must be auto, always or never")
	}
	*c = colourFlag(when)
	return nil
}

// hasColours reports whether styles are shown on w: on terminals, unless the environment has NO_COLOR or a terminal without colours.
func (p *program) hasColours(w io.Writer) bool {
	if p.colour != colourAuto {
		return p.colour == colourAlways
	}
	return terminalOf(w) != nil && p.variable("NO_COLOR") == "" && p.variable("TERM") != "dumb"
}

// variable returns a variable of the environment.
func (p *program) variable(name string) string {
	for _, entry := range slices.Backward(p.environ) {
		if value, found := strings.CutPrefix(entry, name+"="); found {
			return value
		}
	}
	return ""
}

func newBar(w io.Writer, all int, what string) *progressbar.ProgressBar {
	return progressbar.NewOptions(all, progressbar.OptionSetWriter(w), progressbar.OptionSetDescription(what), progressbar.OptionShowCount(),
		progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish())
}

// toldEvery is how often long work is told where no terminal shows a bar.
const toldEvery = 10 * time.Second

// progressLines returns a function that prints how far the work is, at most every ten seconds. Any goroutine may call it.
func progressLines(w io.Writer, what string, now func() time.Time) func(read, all int) {
	began := now()
	var told atomic.Int64 // how many intervals are over
	return func(read, all int) {
		took := now().Sub(began)
		before, intervals := told.Load(), int64(took/toldEvery)
		if intervals <= before || !told.CompareAndSwap(before, intervals) {
			return
		}
		left := time.Duration(float64(took) / float64(max(read, 1)) * float64(all-read)).Round(time.Second)
		screen.Printf(w, "chaff: %s: %s of %s messages, %v left\n", what, screen.Grouped(read), screen.Grouped(all), left)
	}
}

// progress returns a function that draws a bar on a terminal, else prints a line from time to time, and one that ends it.
func (p *program) progress(what string) (step func(read, all int), done func()) {
	if p.quiet {
		return nil, func() {}
	}
	file := p.terminal()
	if file == nil {
		return progressLines(p.stderr, what, time.Now), func() {}
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
		width = defaultWidth
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
func newTable(w io.Writer, headings ...string) *screen.Table { return screen.NewTable(w, headings...) }

// flushSome prints the rows of a table in blocks: a table keeps its rows in memory to align them. The next row is i.
func flushSome(t *screen.Table, i int) {
	if i%1000 == 999 {
		t.Flush()
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
	share := 100 * float64(n) / float64(all)
	return percent(&share, 2) + "%"
}

// number formats a figure with three significant digits. An undefined one is a dash.
func number(v *float64) string {
	if v == nil {
		return "-"
	}
	return screen.Figure(*v)
}

// sizeOf formats a number of bytes.
func sizeOf(n int64) string {
	if n < 1e6 {
		return fmt.Sprintf("%d kB", (n+999)/1000)
	}
	mb := float64(n) / 1e6
	return number(&mb) + " MB"
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

// against says whether a model differs from another by more than chance.
func against(m *metrics.McNemar) screen.Styled {
	switch {
	case m == nil:
		return screen.Plain.Of("-")
	case isBetter(*m):
		return screen.Green.Of("better")
	case m.P < chance:
		return screen.Red.Of("worse")
	}
	return screen.Plain.Of("same")
}

func probability(p float64) string {
	if p < 0.001 {
		return "<0.001"
	}
	return fmt.Sprintf("%.3f", p)
}

func plural(n int, what string) string { return pluralOf(n, what, what+"s") }

func pluralOf(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return screen.Grouped(n) + " " + many
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
	if left := s.NoMail.String(); left != "" && p.quiet { // else the summary has it
		screen.Printf(p.stderr, "chaff: %s\n", left)
	}
}

// doubts collects the warnings about models. A warning about several models is one; among several models it names its own.
func doubts(results []train.Result) []string {
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
		switch {
		case len(results) == 1:
		case len(of[text]) == len(results):
			texts[i] = "all models: " + text
		default:
			texts[i] = strings.Join(of[text], ", ") + ": " + text
		}
	}
	return texts
}

// warning begins a warning.
func warning() screen.Styled { return screen.Yellow.Of("warning:") }

// warn prints a warning. Its untrusted parts are quoted.
func (p *program) warn(text string) {
	screen.Printf(p.stderr, "chaff: %s %s\n", warning(), screen.Quoted(text))
}

func (p *program) printWarnings(results []train.Result) {
	for _, text := range doubts(results) {
		p.warn(text)
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
		screen.Printf(p.stderr, "chaff: %s possible leak: %s is in %s (training messages): %s\n", warning(), term, strings.Join(of, ", "), l.Advice)
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
