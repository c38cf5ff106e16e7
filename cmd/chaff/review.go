package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"chaff/filter"
)

// addMistakes adds the flag for how many messages are shown.
func addMistakes(c *cobra.Command, n *int) {
	c.Flags().IntVar(n, "mistakes", 5, "show the `N` worst mistakes and the N least certain messages")
}

func checkMistakes(n int) error {
	if n < 0 {
		return errors.New("--mistakes must be at least 0")
	}
	return nil
}

// printReview prints the messages that are worth reading, and the accuracy by month.
func printReview(w io.Writer, r filter.Review) error {
	if len(r.Mistakes) > 0 {
		fmt.Fprintln(w, "\nThe worst mistakes:")
		printJudged(w, r.Mistakes)
	}
	if len(r.LeastCertain) > 0 {
		fmt.Fprintln(w, "\nThe least certain:")
		printJudged(w, r.LeastCertain)
	}
	if len(r.Months) < 2 {
		return nil
	}
	fmt.Fprintln(w, "\nBy the month of delivery:")
	t := newTable(w)
	fmt.Fprintln(t, "  month\tmessages\taccuracy")
	for _, m := range r.Months {
		fmt.Fprintf(t, "  %s\t%d\t%.2f%%\n", m.Month, m.Messages, m.Accuracy)
	}
	return t.Flush()
}

// printJudged prints messages with what was said of them, and the terms that did it.
func printJudged(w io.Writer, all []filter.Judged) {
	for _, j := range all {
		verdict := fmt.Sprintf("%s, given %s", j.Label, j.Class)
		if j.Label == j.Class {
			verdict = j.Label
		}
		fmt.Fprintf(w, "  %s\n    %s: score %.4f, probability %.4f  %s\n", printable(j.Path), verdict, j.Score, j.Probability, shorten([]byte(j.Subject)))
		var terms []string
		for _, t := range j.Terms {
			terms = append(terms, fmt.Sprintf("%s %+.3g", printable(t.Term), t.Contribution))
		}
		if len(terms) > 0 {
			fmt.Fprintf(w, "    for %s: %s\n", j.Class, strings.Join(terms, ", "))
		}
	}
}

// printLeaks warns of terms that tell the classes apart almost alone.
func (p *program) printLeaks(classes []string, leaks []filter.Leak) {
	for _, l := range leaks {
		var of []string
		for c, n := range l.Messages {
			of = append(of, fmt.Sprintf("%d %s", n, classes[c]))
		}
		fmt.Fprintf(p.stderr, "chaff: warning: %s tells the classes apart almost alone (training messages: %s): %s\n",
			printable(l.Term), strings.Join(of, ", "), l.Advice)
	}
}
