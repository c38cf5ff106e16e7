package main

import (
	"fmt"
	"path/filepath"
)

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
