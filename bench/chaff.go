package main

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"chaff/config"
)

// switched is the end of the id of a chaff that stems if the default is not to, and the other way round.
const switched = "-switched"

// chaffID is the id of chaff with a model and the default settings.
func chaffID(model string) string { return "chaff-" + model }

// defaultChaff is the id of chaff as it is when nothing is set.
func defaultChaff() string { return chaffID(config.Default().Model) }

// leanChaff is the id of chaff's default model whose file has what a verdict needs and nothing else.
func leanChaff() string { return defaultChaff() + "-lean" }

// small is the program that classifies one message, by the path of chaff.
func small(program string) string { return program + "-classify" }

// measuredModels are chaff's default model and the two that others have too.
func measuredModels() []string {
	return slices.Compact([]string{config.Default().Model, "multinomial", "softmax"})
}

// chaffs are the models of chaff, each with the default settings and once more with stemming switched; and the default model
// without a test part of its own, so that it learns from more of the training messages, and without the texts of terms.
// program is the path of chaff; the small program for one message is beside it.
func chaffs(program string) []entrant {
	setting, words := "tokenize.language=none", "no stemming"
	if config.Default().Tokenize.Language == "none" {
		setting, words = "tokenize.language=english", "stemming"
	}
	var plain, other []entrant
	for _, model := range measuredModels() {
		name := "chaff " + model
		plain = append(plain, chaff(program, chaffID(model), name, model))
		other = append(other, chaff(program, chaffID(model)+switched, name+", "+words, model, "--set", setting))
	}
	best := config.Default().Model
	more := chaff(program, leanChaff(), "chaff "+best+", learning from four fifths, no texts of terms", best,
		"--set", "split.train=0.8", "--set", "split.test=0", "--set", "features.texts=false")
	return slices.Concat(plain, []entrant{more}, other)
}

// chaff is one model of chaff. As it does by default, it measures a model of three fifths of the training messages, and fits the one
// that it saves to all of them.
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
		one: func(j job, l letter) command {
			return command{args: []string{small(program), "-m", path.Join(j.db, "model")}, stdin: l.name}
		},
		answers:  func(_ job, out []byte) ([]answer, error) { return fromLines(out, readChaff) },
		database: []string{"model"},
		terms: func(ctx context.Context, j job) (int, error) {
			out, err := printed(ctx, j, program, "inspect", "-m", path.Join(j.db, "model"))
			if err != nil {
				return 0, err
			}
			return vocabularySize(out)
		},
	}
}

// trainChaff is how chaff trains a model with so many workers.
func trainChaff(program string, workers int, db, model string, set ...string) []string {
	args := []string{program, "train", "--workers", fmt.Sprint(workers), "--model", model, "--ham", "train/ham", "--spam", "train/spam", "-m", path.Join(db, "model")}
	return append(args, set...)
}

// readChaff reads a line of chaff classify --json.
func readChaff(line string) (answer, error) {
	var a struct {
		Path, Verdict string
		Score         *float64
	}
	if err := json.Unmarshal([]byte(line), &a); err != nil {
		return answer{}, err
	}
	if a.Score == nil {
		return answer{}, fmt.Errorf("there is no score")
	}
	return answer{a.Path, a.Verdict == "spam", *a.Score}, nil
}

// vocabularySize reads the number of terms from what chaff inspect prints.
func vocabularySize(text []byte) (int, error) {
	found := regexp.MustCompile(`(?m)^vocabulary +(\d+) terms`).FindSubmatch(text)
	if found == nil {
		return 0, fmt.Errorf("chaff inspect tells no number of terms")
	}
	return strconv.Atoi(string(found[1]))
}
