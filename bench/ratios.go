package main

import (
	"fmt"
	"strings"

	"chaff/config"
	"chaff/internal/markdown"
)

// of returns the result of an entrant, an empty one if there is none.
func (c measured) of(id string) result {
	for _, r := range c.results {
		if r.id == id {
			return r
		}
	}
	return result{}
}

// ratios returns the table of the speed of chaff over that of other programs.
func (c measured) ratios() string {
	header := "chaff's messages per CPU second over those of"
	for _, model := range measuredModels() {
		header += " | train " + model
	}
	header += " | classify in bulk | one message: CPU time over chaff's"
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

// target is a goal for chaff. Its figure is that of the entrants of chaff whose ids have the given end.
type target struct {
	what, atLeast, aim string
	figure             func(c measured, end string) string
}

// targets returns the table of goals, with the default settings and with stemming switched.
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
		{"speed of two workers over one, elapsed time of training", "1.8", "1.95", func(c measured, end string) string {
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
	return table("goal | at least | aim | chaff | chaff, stemming switched", rows)
}

// table returns a table in Markdown.
func table(header string, rows []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "| %s |\n|%s\n", header, strings.Repeat("---|", strings.Count(header, " | ")+1))
	for _, row := range rows {
		fmt.Fprintf(&b, "| %s |\n", row)
	}
	return b.String()
}

// figure formats a number with the given digits after the point, and 0 as a dash.
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
