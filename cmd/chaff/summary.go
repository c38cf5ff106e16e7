package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"chaff/cmd/internal/delivery"
	"chaff/evaluate"
	"chaff/internal/screen"
	"chaff/metrics"
	"chaff/train"
)

// addVerbose adds the flag for everything that the short answer of a command leaves out.
func addVerbose(c *cobra.Command, verbose *bool, usage string) {
	c.Flags().BoolVarP(verbose, "verbose", "v", false, usage)
}

// printTrained prints the short answer of train: what the model learned, how good it is, and what its thresholds do.
func printTrained(w io.Writer, s train.Summary, r train.Result, refitted *train.Refitted) {
	printMail(w, s)
	messages, terms, verdicts, cost, guarantee, on := s.Train, r.Terms, r.Verdicts, r.Cost, r.Promise, "on test mail"
	if refitted != nil {
		messages, terms, verdicts, cost, guarantee = refitted.Messages, refitted.Terms, refitted.Verdicts, refitted.Cost, refitted.Promise
		on = heldOut
	}
	field(w, "learned", "%s of %s, by the model %s", plural(terms, "term"), plural(messages, "message"), r.Model)
	printAccuracies(w, partFigures{"development", r.Development}, partFigures{"test", r.Test})
	if verdicts != nil {
		printVerdicts(w, *verdicts, on)
	}
	printCost(w, cost)
	printGuarantee(w, guarantee)
}

// fewToTell is below how many messages a share of errors says nothing.
const fewToTell = 20

// printAccuracies prints a line for each part: its accuracy, the interval, and the number of errors.
func printAccuracies(w io.Writer, parts ...partFigures) {
	t := newTable(w)
	for i, part := range parts {
		label := ""
		if i == 0 {
			label = "accuracy"
		}
		f := part.figures
		if f == nil {
			screen.Printf(t, "%-10s\t%s\tno messages\n", label, part.name)
			continue
		}
		if f.Messages < fewToTell {
			screen.Printf(t, "%-10s\t%s\t%s: too few to tell\n", label, part.name, errorsOf(f))
			continue
		}
		screen.Printf(t, "%-10s\t%s\t%s\t95%% interval %s\t%s\n", label, part.name, screen.Bold.Of(accuracyOf(f)), intervalOf(f), errorsOf(f))
	}
	t.Flush()
}

func errorsOf(f *metrics.Figures) string {
	return plural(f.Messages-f.Confusion.Correct(), "error") + " in " + screen.Grouped(f.Messages)
}

// printNext prints what to do next: commands, each with its purpose.
func printNext(w io.Writer, commands ...[2]string) {
	fmt.Fprintln(w)
	t := newTable(w)
	for i, c := range commands {
		label := ""
		if i == 0 {
			label = "next"
		}
		screen.Printf(t, "%-10s\t%s\t%s\n", label, screen.Quoted(c[0]), c[1])
	}
	t.Flush()
}

// printMore says where the rest of the figures is.
func (x *experiment) printMore(w io.Writer) {
	switch {
	case !x.verbose && !x.page.wanted():
		field(w, "more", "--verbose prints all figures; --report FILE.html draws them")
	case !x.verbose:
		field(w, "more", "--verbose prints all figures")
	}
}

// maxWarnings is how many warnings a short answer has.
const maxWarnings = 2

// printImportant prints the most important warnings: the leaks in one line, then the others.
func (p *program) printImportant(classes []string, leaks []evaluate.Leak, results []train.Result) {
	var texts []string
	if len(leaks) > 0 {
		texts = append(texts, leakLine(classes, leaks))
	}
	texts = append(texts, doubts(results)...)
	for _, text := range texts[:min(maxWarnings, len(texts))] {
		p.warn(text)
	}
	if more := len(texts) - maxWarnings; more > 0 {
		screen.Printf(p.stderr, "chaff: %s: --verbose shows them\n", plural(more, "more warning"))
	}
}

// leakLine describes the strongest leak, what it means, and how to exclude all.
func leakLine(classes []string, leaks []evaluate.Leak) string {
	l := leaks[0]
	var of []string
	for c, n := range l.Messages {
		of = append(of, fmt.Sprintf("%d of %d %s", n, l.Of[c], classes[c]))
	}
	line := fmt.Sprintf("possible leak: %s is in %s", screen.Printable(l.Term), screen.Printable(strings.Join(of, ", ")))
	if len(leaks) == 1 {
		return line + ": " + l.Advice
	}
	exclude := "--verbose lists all"
	if flags := settingsAgainst(leaks); len(flags) > 0 && !slices.ContainsFunc(leaks, func(l evaluate.Leak) bool { return l.Setting == "" }) {
		exclude = strings.Join(flags, " ")
	}
	return fmt.Sprintf("%s, and there are %d more: if the senders did not write them, new mail lacks them and the accuracy is too high: %s", line, len(leaks)-1, exclude)
}

// shellWord returns a path as a shell reads it.
func shellWord(path string) string {
	isPlain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_./~+-,@%=:", r)
	}
	if path != "" && !slices.ContainsFunc([]rune(path), func(r rune) bool { return !isPlain(r) }) {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'"'"'`) + "'" // without a backslash, which would be escaped for the terminal
}

// printBrief prints the first n of so many messages, two lines each.
func printBrief(w io.Writer, classes []string, all []evaluate.Judged, n, of int) {
	t := newTable(w).Within(defaultWidth)
	for _, j := range all[:min(n, len(all))] {
		screen.Printf(t, "  %s, %s: %s\n", judgement(j), delivery.Probability(classes, j.Probability), subjectOf(j))
		t.Flush()
		screen.Printf(w, "    %s\n", j.Path)
	}
	if more := of - min(n, len(all)); more > 0 {
		screen.Printf(w, "  and %d more\n", more)
	}
}
