package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path"
	"strings"
	"unicode"

	"chaff/message"
)

// fasttext cannot read mail: it gets the header fields and the visible text of each message on one line, in lower case and with
// spaces around signs, as its tutorial does it.
func fasttext() entrant {
	model := func(j job) string { return path.Join(j.db, "model.bin") }
	return entrant{
		id: "fasttext", name: "fastText", debian: "fasttext",
		settings: "`supervised -lr 1.0 -wordNgrams 2 -thread 1`, the rate and the pairs of words as in its tutorial; the text is prepared for it, which is not counted",
		present:  installed("fasttext"),
		prepare:  writeTexts,
		train: func(j job) []command {
			return single("", "fasttext", "supervised", "-input", path.Join(j.kit, "train"), "-output", path.Join(j.db, "model"),
				"-lr", "1.0", "-wordNgrams", "2", "-thread", "1", "-verbose", "0")
		},
		bulk: func(j job) []command {
			return single("", "fasttext", "predict-prob", model(j), path.Join(j.kit, "test"))
		},
		one: func(j job, l letter) command {
			return command{args: []string{"fasttext", "predict-prob", model(j), "-"}, stdin: path.Join(j.kit, path.Base(l.name))}
		},
		answers: func(j job, out []byte) ([]answer, error) {
			answers, err := fromLines(out, readFastText)
			if err != nil {
				return nil, err
			}
			return inOrder(answers, namesOf(j.test))
		},
		middle:   0.5,
		database: []string{"model.bin"},
	}
}

// writeTexts writes the lines of both parts, and a file for each message that is classified alone.
func writeTexts(_ context.Context, j job) error {
	decoder := message.NewDecoder(message.DefaultOptions())
	for name, letters := range map[string][]letter{"train": j.train, "test": j.test} {
		if err := writeLines(decoder, j, path.Join(j.kit, name), letters); err != nil {
			return err
		}
	}
	for _, l := range j.sample {
		if err := writeLines(decoder, j, path.Join(j.kit, path.Base(l.name)), []letter{l}); err != nil {
			return err
		}
	}
	return nil
}

func writeLines(decoder *message.Decoder, j job, name string, letters []letter) error {
	file, err := os.Create(j.path(name))
	if err != nil {
		return err
	}
	defer file.Close()
	out := bufio.NewWriter(file)
	for _, l := range letters {
		raw, err := os.ReadFile(j.path(l.name))
		if err != nil {
			return err
		}
		out.WriteString("__label__" + className(l.spam) + " " + lineOf(decoder.Decode(raw)) + "\n")
	}
	if err := out.Flush(); err != nil {
		return err
	}
	return file.Close()
}

// lineOf is a message as words on one line.
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
		switch {
		case unicode.IsSpace(r):
			line.WriteByte(' ')
		case unicode.IsPunct(r) || unicode.IsSymbol(r):
			fmt.Fprintf(&line, " %c ", r)
		default:
			line.WriteRune(r)
		}
	}
	return strings.Join(strings.Fields(line.String()), " ")
}

// readFastText reads a line such as "__label__spam 0.98", the likelier label with its probability.
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
	return answer{}, fmt.Errorf("%q is no label", label)
}
