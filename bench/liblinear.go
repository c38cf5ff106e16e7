package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path"
	"strings"
)

// liblinear cannot read mail. It gets the matrix that chaff export makes with the vocabulary of chaff's default model.
func liblinear(program string) entrant {
	model := func(j job) string { return path.Join(j.db, "model") }
	predictions := func(j job) string { return path.Join(j.inputs, "predictions") }
	return entrant{
		id: "liblinear", name: "LIBLINEAR", debian: "liblinear-tools",
		settings: "`liblinear-train -s 0` (logistic regression, L2); making its matrix with `chaff export` is not counted",
		present:  installed("liblinear-train", "liblinear-predict"),
		prepare:  func(ctx context.Context, j job) error { return exportMatrix(ctx, j, program) },
		train: func(j job) []command {
			return single("", "liblinear-train", "-s", "0", "-q", path.Join(j.inputs, "train"), model(j))
		},
		bulk: func(j job) []command {
			return single("", "liblinear-predict", "-b", "1", path.Join(j.inputs, "test"), model(j), predictions(j))
		},
		one: func(j job, l mailFile) command {
			return command{args: []string{"liblinear-predict", "-b", "1", path.Join(j.inputs, path.Base(l.name)), model(j), predictions(j)}}
		},
		answers: func(j job, _ []byte) ([]answer, error) {
			out, err := os.ReadFile(j.path(predictions(j)))
			if err != nil {
				return nil, err
			}
			answers, err := readLiblinear(out)
			if err != nil {
				return nil, err
			}
			return inOrder(answers, byClass(j.test))
		},
		middle:   0.5,
		database: []string{"model"},
		terms: func(_ context.Context, j job) (int, error) {
			text, err := os.ReadFile(j.path(model(j)))
			if err != nil {
				return 0, err
			}
			var n int
			_, after, _ := strings.Cut(string(text), "nr_feature ")
			_, err = fmt.Sscan(after, &n)
			return n, err
		},
	}
}

// exportMatrix writes the matrix of both parts, and a row for each message that is classified alone. Chaff exports ham
// before spam, in the order of names.
func exportMatrix(ctx context.Context, j job, program string) error {
	model := path.Join(j.inputs, "chaff.model")
	if _, err := printed(ctx, j, program, "train", "--ham", "train/ham", "--spam", "train/spam", "-m", model); err != nil {
		return err
	}
	for part, files := range map[string][]mailFile{"train": j.train, "test": j.test} {
		rows, err := printed(ctx, j, program, "export", "-m", model, "--ham", part+"/ham", "--spam", part+"/spam")
		if err != nil {
			return err
		}
		if n := countLines(rows); n != len(files) {
			return fmt.Errorf("chaff export has %d of %d messages", n, len(files))
		}
		if err := j.writeInput(part, rows); err != nil {
			return err
		}
		if part == "train" {
			continue
		}
		row := make(map[string][]byte)
		for i, line := range bytes.SplitAfter(rows, []byte("\n"))[:len(files)] {
			row[byClass(files)[i]] = line
		}
		for _, l := range j.sample {
			if err := j.writeInput(l.name, row[l.name]); err != nil {
				return err
			}
		}
	}
	return nil
}

// readLiblinear parses the predictions of liblinear-predict -b 1: a first line such as "labels -1 1", and for each message
// its label and the probabilities of these labels. 1 is spam.
func readLiblinear(text []byte) ([]answer, error) {
	first, rest, _ := bytes.Cut(text, []byte("\n"))
	labels := strings.Fields(string(first))
	if len(labels) != 3 || labels[0] != "labels" {
		return nil, fmt.Errorf("predictions begin with %q", first)
	}
	return fromLines(rest, func(line string) (answer, error) {
		var label string
		var probability [2]float64
		if _, err := fmt.Sscan(line, &label, &probability[0], &probability[1]); err != nil {
			return answer{}, err
		}
		a := answer{spam: label == "1", score: probability[1]}
		if labels[1] == "1" {
			a.score = probability[0]
		}
		return a, nil
	})
}
