package main

import (
	"context"
	"fmt"
	"slices"
)

// spamprobe takes the names of files as arguments. -M makes it read each file as one message.
func spamprobe() entrant {
	run := func(j job, args ...string) []string {
		return append([]string{"spamprobe", "-M", "-d", j.db}, args...)
	}
	return entrant{
		id: "spamprobe", name: "spamprobe", debian: "spamprobe",
		settings: "`auto-train SPAM ... GOOD ...`, `score`; as shipped: Berkeley DB, pairs of words, spam from 0.7 on",
		present:  installed("spamprobe"),
		train: func(j job) []command {
			args := slices.Concat(run(j, "auto-train", "SPAM"), names(j.train, true), []string{"GOOD"}, names(j.train, false))
			return single("", args...)
		},
		bulk: func(j job) []command {
			return single("", append(run(j, "score"), namesOf(j.test)...)...)
		},
		one:      func(j job, l mailFile) command { return command{args: run(j, "score"), stdin: l.name} },
		answers:  eachLine(readSpamprobe),
		middle:   0.5,
		database: []string{"sp_words"},
		terms: func(ctx context.Context, j job) (int, error) {
			out, err := printed(ctx, j, run(j, "export")...)
			return countLines(out), err
		},
	}
}

// readSpamprobe parses a line such as "SPAM 0.9999989 7baa042c9cdfacc46b0c785f0cf8d38b".
func readSpamprobe(line string) (answer, error) {
	var a answer
	var verdict string
	_, err := fmt.Sscan(line, &verdict, &a.score)
	a.spam = verdict == "SPAM"
	return a, err
}
