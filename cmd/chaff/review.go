package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"chaff/evaluate"
	"chaff/internal/screen"
)

// printReview prints the messages worth reading, and the accuracy by month.
func printReview(w io.Writer, r evaluate.Review) {
	if len(r.Mistakes) > 0 {
		fmt.Fprintln(w, "\nThe worst mistakes:")
		printJudged(w, r.Mistakes)
	}
	if len(r.LeastCertain) > 0 {
		fmt.Fprintln(w, "\nThe least certain:")
		printJudged(w, r.LeastCertain)
	}
	if len(r.Months) < 2 {
		return
	}
	fmt.Fprintln(w, "\nBy the month of delivery:")
	t := newTable(w, "  month", "messages", "accuracy")
	for _, m := range r.Months {
		screen.Printf(t, "  %s\t%d\t%.2f%%\n", m.Month, m.Messages, m.Accuracy)
	}
	t.Flush()
}

// printJudged prints messages with their scores and strongest terms.
func printJudged(w io.Writer, all []evaluate.Judged) {
	for _, j := range all {
		verdict := fmt.Sprintf("%s, given %s", j.Label, j.Class)
		if j.Label == j.Class {
			verdict = j.Label
		}
		screen.Printf(w, "  %s\n    %s: score %.4f, probability %.4f  %s\n", j.Path, verdict, j.Score, j.Probability, shorten([]byte(j.Subject)))
		var terms []string
		for _, t := range j.Terms {
			terms = append(terms, fmt.Sprintf("%s %+.3g", t.Term, t.Contribution))
		}
		if len(terms) > 0 {
			screen.Printf(w, "    for %s: %s\n", j.Class, strings.Join(terms, ", "))
		}
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
