package main

import (
	"context"
	"fmt"
	"path"
)

// bogofilter reads lists of files in its bulk mode. Its exit code 0, 1 or 2 is the verdict on the last one.
func bogofilter() entrant {
	run := func(j job, options ...string) []string {
		return append([]string{"bogofilter", "-C", "-d", j.db}, options...)
	}
	return entrant{
		id: "bogofilter", name: "bogofilter", debian: "bogofilter",
		settings: "`bogofilter -n -b` and `-s -b`, `-T -b`; as shipped: spam from 0.99 on",
		present:  installed("bogofilter", "bogoutil"),
		train: func(j job) []command {
			return []command{{args: run(j, "-n", "-b"), stdin: trainHam}, {args: run(j, "-s", "-b"), stdin: trainSpam}}
		},
		bulk: func(j job) []command {
			return []command{{args: run(j, "-T", "-b"), stdin: testList, exits: []int{1, 2}}}
		},
		one: func(j job, l mailFile) command {
			return command{args: run(j, "-T"), stdin: l.name, exits: []int{1, 2}}
		},
		answers:  eachLine(readBogofilter),
		middle:   0.5,
		database: []string{"wordlist.db"},
		terms: func(ctx context.Context, j job) (int, error) {
			out, err := printed(ctx, j, "bogoutil", "-d", path.Join(j.db, "wordlist.db"))
			return countLines(out), err
		},
	}
}

// readBogofilter parses a line of bogofilter -T -b, such as "test/ham/000005.eml H 1.06609e-11".
func readBogofilter(line string) (answer, error) {
	var a answer
	var verdict string
	_, err := fmt.Sscan(line, &a.name, &verdict, &a.score)
	a.spam = verdict == "S"
	return a, err
}
