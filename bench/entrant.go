package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// entrant is a program with fixed settings.
type entrant struct {
	id       string // for -only
	name     string // in the tables
	debian   string // its package, "" for chaff
	settings string // for the page
	// present reports whether it is installed.
	present func() bool
	// prepare converts the mail for a program that cannot read it, once and without measuring. It may be nil.
	prepare func(ctx context.Context, j job) error
	// train makes the database of the training part in the empty folder job.db; bulk classifies the test part; one
	// classifies one message of job.sample, read from stdin.
	train, bulk func(j job) []command
	one         func(j job, l mailFile) command
	// precise classifies the test part for a program whose bulk mode prints no exact scores. It may be nil.
	precise func(j job) []command
	// answers parses the output of precise, or of bulk.
	answers func(j job, out []byte) ([]answer, error)
	middle  float64 // the middle of its scale of scores
	// database names the files in job.db that the program needs to classify.
	database []string
	// terms counts the terms in the database. It may be nil.
	terms func(ctx context.Context, j job) (int, error)
}

// job is the work of an entrant on one corpus. Paths in commands are relative to the folder of the mail.
type job struct {
	*mail
	meter
	db     string // the folder of the database
	inputs string // the folder of the files that prepare makes
	sample []mailFile
}

// path returns the path of a file of the job for this process.
func (j job) path(name string) string { return filepath.Join(j.mail.dir, name) }

// answer is a program's verdict on a message, with unsure as ham, and its score, which is higher for spam.
type answer struct {
	name  string
	spam  bool
	score float64
}

// single returns one command as a list.
func single(stdin string, args ...string) []command {
	return []command{{args: args, stdin: stdin}}
}

// printed runs a command without measuring it, and returns its output.
func printed(ctx context.Context, j job, args ...string) ([]byte, error) {
	_, out, err := j.run(ctx, command{args: args})
	return out, err
}

// installed returns a function that reports whether all programs are in the path.
func installed(programs ...string) func() bool {
	return func() bool {
		for _, p := range programs {
			if _, err := exec.LookPath(p); err != nil {
				return false
			}
		}
		return true
	}
}

// eachLine returns a parser that reads an answer from each line. Answers without names are about the test part in its order.
func eachLine(read func(line string) (answer, error)) func(job, []byte) ([]answer, error) {
	return func(j job, out []byte) ([]answer, error) {
		answers, err := fromLines(out, read)
		if err != nil || len(answers) == 0 || answers[0].name != "" {
			return answers, err
		}
		return inOrder(answers, namesOf(j.test))
	}
}

// fromLines reads an answer from each line that is not empty.
func fromLines(out []byte, read func(line string) (answer, error)) ([]answer, error) {
	var all []answer
	for line := range bytes.Lines(out) {
		text := strings.TrimSpace(string(line))
		if text == "" {
			continue
		}
		a, err := read(text)
		if err != nil {
			return nil, fmt.Errorf("answer %q: %w", text, err)
		}
		all = append(all, a)
	}
	return all, nil
}

// inOrder sets the names of answers that have none.
func inOrder(answers []answer, names []string) ([]answer, error) {
	if len(answers) != len(names) {
		return nil, fmt.Errorf("%d answers about %d messages", len(answers), len(names))
	}
	for i, name := range names {
		answers[i].name = name
	}
	return answers, nil
}

// namesOf returns the names of files.
func namesOf(files []mailFile) []string {
	var list []string
	for _, l := range files {
		list = append(list, l.name)
	}
	return list
}

// writeInput writes a file that prepare makes.
func (j job) writeInput(name string, data []byte) error {
	return os.WriteFile(j.path(filepath.Join(j.inputs, filepath.Base(name))), data, 0o644)
}

// byClass returns the names of files, ham before spam.
func byClass(files []mailFile) []string {
	return append(names(files, false), names(files, true)...)
}

// sizeOf returns the size of files in the folder of the database.
func sizeOf(j job, files []string) (int64, error) {
	sum := int64(0)
	for _, name := range files {
		info, err := os.Stat(j.path(filepath.Join(j.db, name)))
		if err != nil {
			return 0, err
		}
		sum += info.Size()
	}
	return sum, nil
}

// countLines counts the line ends of a text.
func countLines(text []byte) int { return bytes.Count(text, []byte("\n")) }
