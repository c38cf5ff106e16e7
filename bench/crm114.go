package main

import (
	"fmt"
	"path/filepath"
)

// crm114 is CRM114 with the classifier and the settings that its mailfilter.cf ships. Its own programs for mail start a
// process for each message, or several; the scripts here do the same with all messages in one.
func crm114(scripts string) entrant {
	run := func(j job, script, stdin string) command {
		return command{args: []string{"crm", filepath.Join(scripts, script), "--db=" + j.db}, stdin: stdin}
	}
	return entrant{
		id: "crm114", name: "CRM114 OSB", debian: "crm114",
		settings: "`osb unique microgroom`, `[[:graph:]]+`, trains what is not surer than 5, first 16,000 bytes: as in the `mailfilter.cf` that it ships",
		present:  installed("crm"),
		train:    func(j job) []command { return []command{run(j, "train.crm", trainOrder)} },
		bulk:     func(j job) []command { return []command{run(j, "classify.crm", testList)} },
		one:      func(j job, l letter) command { return run(j, "one.crm", l.name) },
		answers:  func(_ job, out []byte) ([]answer, error) { return fromLines(out, readCRM114) },
		database: []string{"ham.css", "spam.css"},
	}
}

// readCRM114 reads a line "NAME pR", where pR is above 0 for ham.
func readCRM114(line string) (answer, error) {
	var a answer
	var pr float64
	if _, err := fmt.Sscan(line, &a.name, &pr); err != nil {
		return answer{}, err
	}
	a.score = -pr
	a.spam = pr < 0
	return a, nil
}
