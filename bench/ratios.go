package main

import (
	"fmt"
	"strings"

	"chaff/docs/markdown"
	"chaff/internal/screen"
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
	return markdown.Table(header, rows)
}

// sameWork returns a line about the speed of training without measuring over that of bogofilter, which measures nothing.
func (c measured) sameWork() string {
	var all []string
	for _, model := range measuredModels() {
		all = append(all, model+" "+times(ratio(c.of("bogofilter").training.seconds(), c.of(quickID(model)).training.seconds())))
	}
	return fmt.Sprintf("The same work, one fit to all messages and no figures: times as fast as bogofilter: %s.\n", strings.Join(all, ", "))
}

// twoWorkers returns a line about the speed of two workers.
func (c measured) twoWorkers() string {
	return fmt.Sprintf("Two workers train %s times as fast as one, by the clock.\n", times(c.workers.times()))
}

// figure formats a number with the given digits after the point, and 0 as a dash.
func figure(v float64, digits int) string {
	switch {
	case v == 0:
		return "-"
	case digits == 0:
		return screen.Grouped(int(v + 0.5))
	}
	return fmt.Sprintf("%.*f", digits, v)
}

func times(v float64) string { return figure(v, 2) }

func memory(bytes int64) string { return figure(megabytes(bytes), 1) }

func count(n int) string { return figure(float64(n), 0) }
