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
