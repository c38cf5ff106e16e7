package main

import (
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"sync/atomic"
	"text/tabwriter"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

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

// terminal returns stderr if it is a terminal, else nil.
func (p *program) terminal() *os.File {
	if file, isFile := p.stderr.(*os.File); isFile && term.IsTerminal(int(file.Fd())) {
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

// printCorpus prints how many messages are used and left out.
func printCorpus(w io.Writer, s train.Summary) {
	screen.Printf(w, "mail        %s\n", corpusLine(s))
	if s.Duplicates > 0 {
		screen.Printf(w, "            %d copies of the same message left out", s.Duplicates)
		if s.Conflicts > 0 {
			screen.Printf(w, ", %d of them with another label", s.Conflicts)
		}
		fmt.Fprintln(w)
	}
	for _, some := range []struct {
		count int
		what  string
	}{{s.Unreadable, "could not be read"}, {s.Repaired, "needed repair to be decoded"}, {s.Cut, "were cut at a limit"}} {
		if some.count > 0 {
			screen.Printf(w, "            %d %s\n", some.count, some.what)
		}
	}
}

func (p *program) printProblems(s train.Summary) {
	for _, problem := range s.Problems {
		screen.Printf(p.stderr, "chaff: left out: %s\n", screen.Quoted(problem))
	}
	if more := s.Unreadable - len(s.Problems); more > 0 {
		screen.Printf(p.stderr, "chaff: left out: %d more\n", more)
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

// printFigures prints one row of figures for each part of the corpus.
func printFigures(w io.Writer, parts []partFigures) {
	t := newTable(w, "part", "messages", "accuracy", "95% interval", "0-1 loss", "square loss", "log loss", "Brier", "hm%", "sm%", "lam%", "(1-ROCA)%")
	for _, part := range parts {
		f := part.figures
		if f == nil {
			screen.Printf(t, "%s\t0\t-\t-\t-\t-\t-\t-\t-\t-\t-\t-\n", part.name)
			continue
		}
		screen.Printf(t, "%s\t%d\t%.2f%%\t%.2f-%.2f\t%.4f\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", part.name, f.Messages, f.Accuracy, f.AccuracyLow, f.AccuracyHigh,
			f.ZeroOneLoss, number(f.SquareLoss), number(f.LogLoss), number(f.Brier),
			percent(f.HM, 2), percent(f.SM, 2), percent(f.LAM, 2), percent(f.OneMinusROCA, 4))
	}
	t.Flush()
}

type partFigures struct {
	name    string
	figures *metrics.Figures
}

// printConfusion prints how many messages of each class, a row, were given each class, a column.
func printConfusion(w io.Writer, classes []string, f *metrics.Figures) {
	t := newTable(w)
	fmt.Fprint(t, "true \\ given")
	for _, class := range classes {
		screen.Printf(t, "\t%s", class)
	}
	fmt.Fprintln(t)
	for c, row := range f.Confusion {
		screen.Printf(t, "%s", classes[c])
		for _, n := range row {
			screen.Printf(t, "\t%d", n)
		}
		fmt.Fprintln(t)
	}
	t.Flush()
}

// printTest prints the errors of a model, and the reliability of its probabilities.
func printTest(w io.Writer, classes []string, f *metrics.Figures) {
	printConfusion(w, classes, f)
	if len(classes) > 2 {
		fmt.Fprintln(w)
		printClasses(w, classes, f)
	}
	fmt.Fprintln(w)
	printReliability(w, classes, f)
}

func printClasses(w io.Writer, classes []string, f *metrics.Figures) {
	t := newTable(w, "class", "messages", "precision", "recall", "F1")
	for c, figures := range f.Classes {
		screen.Printf(t, "%s\t%d\t%s\t%s\t%s\n", classes[c], figures.Messages,
			percent(figures.Precision, 2), percent(figures.Recall, 2), percent(figures.F1, 2))
	}
	t.Flush()
}

// printReliability prints predicted probabilities beside observed shares.
func printReliability(w io.Writer, classes []string, f *metrics.Figures) {
	of, came := "the class given", "were of it"
	if len(classes) == 2 {
		of, came = classes[1], "were "+classes[1]
	}
	screen.Printf(w, "Probability of %s, and how many %s (mean difference %s):\n", of, came, number(f.CalibrationError))
	t := newTable(w)
	screen.Printf(t, "  probability\tmessages\tmean\t%s\n", came)
	for _, bin := range f.Reliability {
		screen.Printf(t, "  %.1f-%.1f\t%d\t%.1f%%\t%.1f%%\n", bin.Low, bin.High, bin.Messages, 100*bin.Predicted, 100*bin.Observed)
	}
	t.Flush()
}

// printVerdicts prints the rates of verdicts on labelled messages.
func printVerdicts(w io.Writer, v train.VerdictCounts) {
	share := func(n, of int) string {
		if of == 0 {
			return "-"
		}
		return fmt.Sprintf("%.2f%%", 100*float64(n)/float64(of))
	}
	ham, spam := v.Ham.Messages(), v.Spam.Messages()
	screen.Printf(w, "  spam found %s, ham taken for spam %s, unsure %s of ham and %s of spam\n",
		share(v.Spam.Spam, spam), share(v.Ham.Spam, ham), share(v.Ham.Unsure, ham), share(v.Spam.Unsure, spam))
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

func epochLine(e models.Epoch) string {
	line := fmt.Sprintf("epoch %d: %s, train loss %s accuracy %.2f%%", e.Epoch, plural(e.Updates, "update"), number(&e.Train.Loss), e.Train.Accuracy)
	if d := e.Development; d != nil {
		line += fmt.Sprintf(", development loss %s accuracy %.2f%%", number(&d.Loss), d.Accuracy)
	}
	return line + fmt.Sprintf(", %.0f ms", 1000*e.Seconds)
}

// printTraining prints the number of epochs and the figures of the last, if the model has epochs.
func printTraining(w io.Writer, r train.Result) {
	if len(r.Epochs) == 0 {
		return
	}
	last := r.Epochs[len(r.Epochs)-1]
	screen.Printf(w, "trained     %s", plural(len(r.Epochs), "epoch"))
	if r.Kept < last.Epoch {
		screen.Printf(w, ", the weights of epoch %d kept", r.Kept)
	}
	screen.Printf(w, ", %.2f CPU seconds\n            %s\n", r.Seconds, epochLine(r.Epochs[r.Kept-1]))
	if c := r.Convergence; c != nil {
		printConvergence(w, *c)
	}
}

func printConvergence(w io.Writer, c models.Convergence) {
	if !c.Converged {
		screen.Printf(w, "            not linearly separable within %s and %s\n", plural(c.Epochs, "epoch"), plural(c.Updates, "update"))
		return
	}
	screen.Printf(w, "converged   after %s and %s: the training part is linearly separable\n", plural(c.Epochs, "epoch"), plural(c.Updates, "update"))
	for _, s := range c.Separations {
		of := ""
		if s.Class != "" {
			of = s.Class + ": "
		}
		screen.Printf(w, "            %sR %.4g, margin %.4g, geometric margin %.4g", of, s.Radius, s.Margin, s.GeometricMargin)
		if s.UpdateBound != nil {
			screen.Printf(w, "; %s of at most (R/geometric margin)^2 = %.4g", plural(s.Updates, "update"), *s.UpdateBound)
		}
		fmt.Fprintln(w)
	}
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
