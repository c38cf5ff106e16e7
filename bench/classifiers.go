package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path"
	"strings"
	"unicode"

	"chaff/message"
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

// fasttext cannot read mail. It gets the header fields and the visible text of each message on one line, in lower case and with
// spaces around punctuation, as in its tutorial.
func fasttext() entrant {
	model := func(j job) string { return path.Join(j.db, "model.bin") }
	return entrant{
		id: "fasttext", name: "fastText", debian: "fasttext",
		settings: "`supervised -lr 1.0 -wordNgrams 2 -thread 1`, the rate and the word pairs of its tutorial; preparing its text is not counted",
		present:  installed("fasttext"),
		prepare:  writeTexts,
		train: func(j job) []command {
			return single("", "fasttext", "supervised", "-input", path.Join(j.inputs, "train"), "-output", path.Join(j.db, "model"),
				"-lr", "1.0", "-wordNgrams", "2", "-thread", "1", "-verbose", "0")
		},
		bulk: func(j job) []command {
			return single("", "fasttext", "predict-prob", model(j), path.Join(j.inputs, "test"))
		},
		one: func(j job, l mailFile) command {
			return command{args: []string{"fasttext", "predict-prob", model(j), "-"}, stdin: path.Join(j.inputs, path.Base(l.name))}
		},
		answers:  eachLine(readFastText),
		middle:   0.5,
		database: []string{"model.bin"},
	}
}

// writeTexts writes the lines of both parts, and a file for each message that is classified alone.
func writeTexts(_ context.Context, j job) error {
	decoder := message.NewDecoder(message.DefaultOptions())
	inputs := map[string][]mailFile{"train": j.train, "test": j.test}
	for _, l := range j.sample {
		inputs[l.name] = []mailFile{l}
	}
	for name, files := range inputs {
		var out bytes.Buffer
		for _, l := range files {
			raw, err := os.ReadFile(j.path(l.name))
			if err != nil {
				return err
			}
			out.WriteString("__label__" + className(l.spam) + " " + lineOf(decoder.Decode(raw)) + "\n")
		}
		if err := j.writeInput(name, out.Bytes()); err != nil {
			return err
		}
	}
	return nil
}

// lineOf returns the words of a message on one line.
func lineOf(m *message.Message) string {
	var b strings.Builder
	for _, f := range m.Header {
		fmt.Fprintf(&b, "%s: %s\n", f.Name, f.Value)
	}
	for _, p := range m.Parts {
		fmt.Fprintf(&b, "%s\n", p.Text)
	}
	var line strings.Builder
	for _, r := range strings.ToLower(b.String()) {
		if unicode.IsPunct(r) || unicode.IsSymbol(r) {
			fmt.Fprintf(&line, " %c ", r)
		} else {
			line.WriteRune(r)
		}
	}
	return strings.Join(strings.Fields(line.String()), " ")
}

// readFastText parses a line such as "__label__spam 0.98", the likelier label with its probability.
func readFastText(line string) (answer, error) {
	var label string
	var probability float64
	if _, err := fmt.Sscan(line, &label, &probability); err != nil {
		return answer{}, err
	}
	switch label {
	case "__label__spam":
		return answer{spam: true, score: probability}, nil
	case "__label__ham":
		return answer{score: 1 - probability}, nil
	}
	return answer{}, fmt.Errorf("unknown label %q", label)
}
