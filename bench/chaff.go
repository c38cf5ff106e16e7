package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"chaff/config"
)

// switched ends the id of a chaff with the other setting of stemming than the default.
const switched = "-switched"

// chaffID returns the id of chaff with a model and default settings.
func chaffID(model string) string { return "chaff-" + model }

// defaultChaff returns the id of chaff with all defaults.
func defaultChaff() string { return chaffID(config.Default().Model) }

// quickID returns the id of chaff with a model that is not measured.
func quickID(model string) string { return chaffID(model) + "-quick" }

// leanChaff returns the id of chaff's default model without the texts of terms in its file.
func leanChaff() string { return defaultChaff() + "-lean" }

// small returns the path of chaff-classify, given that of chaff.
func small(program string) string { return program + "-classify" }

// measuredModels returns chaff's default model and the two that other programs have too.
func measuredModels() []string {
	return slices.Compact([]string{config.Default().Model, "multinomial", "softmax"})
}

// chaffs returns the entrants of chaff: each model with the default settings, without measuring it, and with stemming switched, and the
// default model without the texts of terms and without a test part, so that it learns from more messages. program is the path of chaff, with
// chaff-classify beside it.
func chaffs(program string) []entrant {
	setting, words := "tokenize.language=none", "no stemming"
	if config.Default().Tokenize.Language == "none" {
		setting, words = "tokenize.language=english", "stemming"
	}
	var plain, quick, other []entrant
	for _, model := range measuredModels() {
		name := "chaff " + model
		plain = append(plain, chaff(program, chaffID(model), name, model))
		quick = append(quick, chaff(program, quickID(model), name+", not measured", model, "--quick"))
		other = append(other, chaff(program, chaffID(model)+switched, name+", "+words, model, "--set", setting))
	}
	best := config.Default().Model
	more := chaff(program, leanChaff(), "chaff "+best+", learning from four fifths, no texts of terms", best,
		"--set", "split.train=0.8", "--set", "split.test=0", "--set", "features.texts=false")
	return slices.Concat(plain, quick, []entrant{more}, other)
}

// chaff returns one model of chaff. As by default, training measures a model of three fifths of the messages, and fits the saved
// model to all of them.
func chaff(program, id, name, model string, set ...string) entrant {
	options := strings.Join(append([]string{"--model", model}, set...), " ")
	return entrant{
		id: id, name: name,
		settings: fmt.Sprintf("`chaff train --workers 1 %s`, `chaff classify`, one message: `chaff-classify`", options),
		present:  func() bool { return true },
		train: func(j job) []command {
			return single("", trainChaff(program, 1, j.db, model, set...)...)
		},
		bulk: func(j job) []command {
			return single("", program, "classify", "-m", path.Join(j.db, "model"), "test/ham", "test/spam")
		},
		precise: func(j job) []command {
			return single("", program, "classify", "--json", "-m", path.Join(j.db, "model"), "test/ham", "test/spam")
		},
		one: func(j job, l mailFile) command {
			return command{args: []string{small(program), "-m", path.Join(j.db, "model")}, stdin: l.name}
		},
		answers:  eachLine(readChaff),
		database: []string{"model"},
		terms: func(ctx context.Context, j job) (int, error) {
			out, err := printed(ctx, j, program, "inspect", "--json", "-m", path.Join(j.db, "model"))
			if err != nil {
				return 0, err
			}
			return vocabularySize(out)
		},
	}
}

// trainChaff returns the command that trains a model with the given number of workers.
func trainChaff(program string, workers int, db, model string, set ...string) []string {
	args := []string{program, "train", "--workers", fmt.Sprint(workers), "--model", model, "--ham", "train/ham", "--spam", "train/spam", "-m", path.Join(db, "model")}
	return append(args, set...)
}

// readChaff parses a line of chaff classify --json.
func readChaff(line string) (answer, error) {
	var a struct {
		Path, Verdict string
		Score         *float64
	}
	if err := json.Unmarshal([]byte(line), &a); err != nil {
		return answer{}, err
	}
	if a.Score == nil {
		return answer{}, errors.New("no score")
	}
	return answer{a.Path, a.Verdict == "spam", *a.Score}, nil
}

// vocabularySize reads the number of terms in the output of chaff inspect --json.
func vocabularySize(text []byte) (int, error) {
	var m struct {
		Provenance struct{ Corpus struct{ Terms int } }
	}
	if err := json.Unmarshal(text, &m); err != nil {
		return 0, err
	}
	if m.Provenance.Corpus.Terms == 0 {
		return 0, errors.New("chaff inspect prints no number of terms")
	}
	return m.Provenance.Corpus.Terms, nil
}
