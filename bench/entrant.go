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

// entrant is a program with the settings that it is measured with.
type entrant struct {
	id       string // as -only takes it
	name     string // as the tables call it
	debian   string // the package that it is in, none for chaff
	settings string // in words and options, for the page
	// present tells whether it can be run here.
	present func() bool
	// prepare makes from the mail, once and not measured, what the program cannot make itself. It may be nil.
	prepare func(ctx context.Context, j job) error
	// train makes the database of the training part, one command after the other, in the empty folder job.db; bulk
	// classifies all messages of the test part; one classifies one of job.sample, read from a file as from a pipe.
	train, bulk func(j job) []command
	one         func(j job, l letter) command
	// precise is another way to classify the test part, for a program that tells more than its bulk mode does. It may be nil.
	precise func(j job) []command
	// answers reads what bulk, or precise, printed or wrote.
	answers func(j job, out []byte) ([]answer, error)
	middle  float64 // the score in the middle of its scale
	// database names the files, in job.db, that a trained program needs to classify.
	database []string
	// terms counts the terms in the database. It may be nil: not every database has such.
	terms func(ctx context.Context, j job) (int, error)
}

// job is an entrant's work on one mail. All paths in commands are relative to the folder of the mail.
type job struct {
	*mail
	meter
	db     string // the folder of the database
	kit    string // the folder of what prepare makes
	sample []letter
}

// path is where the file of that name in one of the folders is, for this program itself.
func (j job) path(name string) string { return filepath.Join(j.mail.dir, name) }

// answer is what a program says of a message: whether it takes it for spam, unsure being ham, and its score, which is the
// higher the more the message is like spam.
type answer struct {
	name  string
	spam  bool
	score float64
}

// single makes a list of one command.
func single(stdin string, args ...string) []command {
	return []command{{args: args, stdin: stdin}}
}

// printed runs a command that is not measured and returns what it printed.
func printed(ctx context.Context, j job, args ...string) ([]byte, error) {
	_, out, err := j.run(ctx, command{args: args})
	return out, err
}

// installed tells whether all programs are in the path.
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

// fromLines makes an answer of each line that is not empty.
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

// inOrder gives answers without names the names of the messages that they are about.
func inOrder(answers []answer, names []string) ([]answer, error) {
	if len(answers) != len(names) {
		return nil, fmt.Errorf("%d answers about %d messages", len(answers), len(names))
	}
	for i, name := range names {
		answers[i].name = name
	}
	return answers, nil
}

// namesOf are the names of letters in their order.
func namesOf(letters []letter) []string {
	var list []string
	for _, l := range letters {
		list = append(list, l.name)
	}
	return list
}

// byClass are the names of letters, ham before spam.
func byClass(letters []letter) []string {
	return append(names(letters, false), names(letters, true)...)
}

// sizeOf is the size of files in the folder of the database.
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

// countLines counts the lines of a text.
func countLines(text []byte) int { return bytes.Count(text, []byte("\n")) }
