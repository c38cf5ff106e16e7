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
	"chaff/train"
)

func errorf(format string, args ...any) error { return fmt.Errorf(format, args...) }

// progress returns a function that draws a bar on stderr, and one that removes it. It draws nothing if stderr is not a
// terminal.
func (p *program) progress(what string) (step func(read, all int), done func()) {
	file, isFile := p.stderr.(*os.File)
	if !isFile || !term.IsTerminal(int(file.Fd())) {
		return nil, func() {}
	}
	var bar atomic.Pointer[progressbar.ProgressBar]
	step = func(read, all int) {
		if bar.Load() == nil {
			bar.CompareAndSwap(nil, progressbar.NewOptions(all,
				progressbar.OptionSetWriter(file),
				progressbar.OptionSetDescription(what),
				progressbar.OptionShowCount(),
				progressbar.OptionThrottle(100*time.Millisecond),
				progressbar.OptionClearOnFinish(),
			))
		}
		_ = bar.Load().Add(1) // a bar that cannot be drawn must not stop the work
	}
	return step, func() {
		if b := bar.Load(); b != nil {
			_ = b.Finish()
		}
	}
}

// printJSON prints a value as one JSON document.
func printJSON(w io.Writer, v any) error { return screen.PrintJSON(w, v, "  ") }

func newTable(w io.Writer) *tabwriter.Writer { return tabwriter.NewWriter(w, 0, 8, 2, ' ', 0) }

// flushSome prints the rows of a table in blocks: a table keeps its rows in memory to align them. The next row is i.
func flushSome(t *tabwriter.Writer, i int) error {
	const rows = 1000
	if i%rows != rows-1 {
		return nil
	}
	return t.Flush()
}

// printCorpus prints how many messages are used and left out.
func printCorpus(w io.Writer, s train.Summary) {
	var classes []string
	for _, c := range s.Classes {
		classes = append(classes, fmt.Sprintf("%d %s", c.Messages, c.Name))
	}
	screen.Printf(w, "mail        %d messages: %s\n", s.Used, strings.Join(classes, ", "))
	if s.Duplicates > 0 {
		screen.Printf(w, "            %d copies of the same message left out", s.Duplicates)
		if s.Conflicts > 0 {
			screen.Printf(w, ", %d of them with another label", s.Conflicts)
		}
		fmt.Fprintln(w)
	}
	if s.Unreadable > 0 {
		screen.Printf(w, "            %d could not be read\n", s.Unreadable)
	}
	if s.Repaired > 0 {
		screen.Printf(w, "            %d needed repair to be decoded\n", s.Repaired)
	}
	if s.Cut > 0 {
		screen.Printf(w, "            %d were cut at a limit\n", s.Cut)
	}
}

// printProblems prints on stderr which messages are left out.
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
func printFigures(w io.Writer, parts []partFigures) error {
	t := newTable(w)
	fmt.Fprintln(t, "part\tmessages\taccuracy\t95% interval\t0-1 loss\tsquare loss\tlog loss\tBrier\thm%\tsm%\tlam%\t(1-ROCA)%")
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
	return t.Flush()
}

type partFigures struct {
	name    string
	figures *metrics.Figures
}

// printConfusion prints how many messages of each class, a row, were given each class, a column.
func printConfusion(w io.Writer, classes []string, f *metrics.Figures) error {
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
	return t.Flush()
}

// printTest prints the errors of a model, and the reliability of its probabilities.
func printTest(w io.Writer, classes []string, f *metrics.Figures) error {
	if err := printConfusion(w, classes, f); err != nil {
		return err
	}
	if len(classes) > 2 {
		fmt.Fprintln(w)
		if err := printClasses(w, classes, f); err != nil {
			return err
		}
	}
	fmt.Fprintln(w)
	return printReliability(w, classes, f)
}

// printClasses prints the figures of each class.
func printClasses(w io.Writer, classes []string, f *metrics.Figures) error {
	t := newTable(w)
	fmt.Fprintln(t, "class\tmessages\tprecision\trecall\tF1")
	for c, figures := range f.Classes {
		screen.Printf(t, "%s\t%d\t%s\t%s\t%s\n", classes[c], figures.Messages,
			percent(figures.Precision, 2), percent(figures.Recall, 2), percent(figures.F1, 2))
	}
	return t.Flush()
}

// printReliability prints predicted probabilities beside observed shares.
func printReliability(w io.Writer, classes []string, f *metrics.Figures) error {
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
	return t.Flush()
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
