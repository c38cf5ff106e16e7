package main

import (
	"context"
	"fmt"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
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
		one:      func(j job, l mailFile) command { return command{args: run(j, "-T"), stdin: l.name, exits: []int{1, 2}} },
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

// crm114 returns CRM114 with the classifier and the settings of its mailfilter.cf. Its own programs start one or more
// processes for each message; the scripts here do the same in one process.
func crm114(scripts string) entrant {
	run := func(j job, script, stdin string) command {
		return command{args: []string{"crm", filepath.Join(scripts, script), "--db=" + j.db}, stdin: stdin}
	}
	return entrant{
		id: "crm114", name: "CRM114 OSB", debian: "crm114",
		settings: "`osb unique microgroom`, `[[:graph:]]+`, trains messages with a margin of at most 5, first 16,000 bytes: as in its `mailfilter.cf`",
		present:  installed("crm"),
		train:    func(j job) []command { return []command{run(j, "train.crm", trainOrder)} },
		bulk:     func(j job) []command { return []command{run(j, "classify.crm", testList)} },
		one:      func(j job, l mailFile) command { return run(j, "one.crm", l.name) },
		answers:  eachLine(readCRM114),
		database: []string{"ham.css", "spam.css"},
	}
}

// readCRM114 parses a line "NAME pR", where pR is above 0 for ham.
func readCRM114(line string) (answer, error) {
	var a answer
	var pr float64
	_, err := fmt.Sscan(line, &a.name, &pr)
	a.score, a.spam = -pr, pr < 0
	return a, err
}

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

// pythonWithSklearn returns a Python that has scikit-learn, or "".
func pythonWithSklearn() string {
	const look = "import importlib.util, sys; sys.exit(importlib.util.find_spec('sklearn') is None)"
	for _, python := range []string{"/usr/bin/python3", "python3"} {
		if exec.Command(python, "-c", look).Run() == nil {
			return python
		}
	}
	return ""
}

// sklearn returns a classifier of scikit-learn that reads mail with Python's email package.
func sklearn(scripts, kind, name, settings string) entrant {
	run := func(stdin string, args ...string) command {
		return command{args: append([]string{pythonWithSklearn(), filepath.Join(scripts, "learn.py")}, args...), stdin: stdin}
	}
	return entrant{
		id: "sklearn-" + kind, name: name, debian: "python3-sklearn", settings: settings,
		present:  func() bool { return pythonWithSklearn() != "" },
		train:    func(j job) []command { return []command{run(trainOrder, "train", kind, path.Join(j.db, "model"))} },
		bulk:     func(j job) []command { return []command{run(testList, "classify", path.Join(j.db, "model"))} },
		one:      func(j job, l mailFile) command { return run(l.name, "one", path.Join(j.db, "model")) },
		answers:  eachLine(readNamed),
		database: []string{"model"},
	}
}

// readNamed parses a line "NAME score", where spam has a score above 0.
func readNamed(line string) (answer, error) {
	var a answer
	_, err := fmt.Sscan(line, &a.name, &a.score)
	a.spam = a.score > 0
	return a, err
}
