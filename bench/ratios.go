package main

import (
	"fmt"
	"strings"

	"chaff/config"
	"chaff/internal/markdown"
)

// of is the result of an entrant, an empty one if it did not take part.
func (c measured) of(id string) result {
	for _, r := range c.results {
		if r.id == id {
			return r
		}
	}
	return result{}
}

// ratios is the table of how many times as fast as the others chaff is.
func (c measured) ratios() string {
	header := "messages per CPU second, chaff's over those of"
	for _, model := range measuredModels() {
		header += " | train " + model
	}
	header += " | classify in bulk | one message: its CPU time over chaff's"
	best := c.of(defaultChaff())
	var rows []string
	for _, r := range c.results {
		if r.debian == "" {
			continue
		}
		row := []string{r.name}
		for _, model := range measuredModels() {
			row = append(row, times(ratio(r.training.seconds(), c.of(chaffID(model)).training.seconds())))
		}
		row = append(row, times(ratio(r.classifying.seconds(), best.classifying.seconds())), times(ratio(r.single.seconds(), best.single.seconds())))
		rows = append(rows, strings.Join(row, " | "))
	}
	return table(header, rows)
}

// target is a figure that chaff is to reach, of chaff with an end of its ids and of the others.
type target struct {
	what, atLeast, aim string
	figure             func(c measured, end string) string
}

// targets is the table of what chaff is to reach, with the default settings and with stemming switched.
func (c measured) targets() string {
	faster := func(step func(result) timing, mine, other string) func(measured, string) string {
		return func(c measured, end string) string {
			return times(ratio(step(c.of(other)).seconds(), step(c.of(chaffID(mine)+end)).seconds()))
		}
	}
	training := func(r result) timing { return r.training }
	classifying := func(r result) timing { return r.classifying }
	best := config.Default().Model
	all := []target{
		{"train multinomial naive Bayes, messages per CPU second over bogofilter's", "2.5", "5", faster(training, "multinomial", "bogofilter")},
		{"train softmax regression, over scikit-learn's SGDClassifier", "5", "15", faster(training, "softmax", "sklearn-sgd")},
		{"train softmax regression, over fastText", "5", "15", faster(training, "softmax", "fasttext")},
		{"classify in bulk, over bogofilter", "3", "6", faster(classifying, best, "bogofilter")},
		{"one message in a fresh process, CPU time over bogofilter's, at most", "1", "0.6", func(c measured, end string) string {
			mine := c.of(chaffID(best) + end)
			text := times(ratio(mine.single.seconds(), c.of("bogofilter").single.seconds()))
			return fmt.Sprintf("%s (%s terms)", text, count(mine.vocabulary))
		}},
		{"database without the texts of terms, bytes a term, at most", "16", "8", func(c measured, end string) string {
			mine := c.of(leanChaff())
			if end != "" {
				return "-"
			}
			return figure(ratio(float64(mine.bytes), float64(mine.vocabulary)), 1)
		}},
		{"two workers against one, training end to end by the clock", "1.8", "1.95", func(c measured, end string) string {
			if end != "" {
				return "-"
			}
			return times(c.workers.times())
		}},
	}
	var rows []string
	for _, t := range all {
		rows = append(rows, strings.Join([]string{t.what, t.atLeast, t.aim, t.figure(c, ""), t.figure(c, switched)}, " | "))
	}
	return table("what | at least | aim | chaff | chaff, stemming switched", rows)
}

// table is a table in Markdown.
func table(header string, rows []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "| %s |\n|%s\n", header, strings.Repeat("---|", strings.Count(header, " | ")+1))
	for _, row := range rows {
		fmt.Fprintf(&b, "| %s |\n", row)
	}
	return b.String()
}

// figure writes what was measured with so many decimals, and a dash for what was not.
func figure(v float64, digits int) string {
	switch {
	case v == 0:
		return "-"
	case digits == 0:
		return markdown.Thousands(int(v + 0.5))
	}
	return fmt.Sprintf("%.*f", digits, v)
}

func times(v float64) string { return figure(v, 2) }

func memory(bytes int64) string { return figure(megabytes(bytes), 1) }

func count(n int) string { return figure(float64(n), 0) }
