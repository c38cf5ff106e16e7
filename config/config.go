// Package config is the settings of the program: defaults, a file (TOML, YAML or JSON), environment variables and
// command line, composed into one typed and checked [Config]. It is the only room that knows viper.
//
// A setting is named by its section and key, as `models.bernoulli.smoothing`; in the environment it is
// CHAFF_MODELS_BERNOULLI_SMOOTHING. Whatever is unknown is an error that names the nearest known one.
//
// The text about each setting is the doc comment of the field that it sets, in the room it belongs to; reference.txt is
// extracted from the source by `go test ./config -update`, which a test keeps fresh.
package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"chaff/corpus"
	"chaff/features"
	"chaff/message"
	"chaff/metrics"
	"chaff/models"
	"chaff/tokenize"
)

// Config is all settings. Its sections are the options of the rooms.
type Config struct {
	// Model is the name of the model to train: one of models.Names. Default votes, which no single kind of evidence can fool.
	Model string `json:"model"`
	// Seed is where all chance comes from: with the same mail and settings it gives the same model. It decides which
	// messages fall into which part of a split by chance, and in which order models that are trained in epochs read them.
	// Any whole number from 0; default 1.
	Seed uint64 `json:"seed"`
	// Workers is how many messages are read at the same time. At least 0; default 0, which means one for each core. It
	// changes no result.
	Workers int `json:"workers"`
	// Memory is how much of the messages' terms and of the matrices made of them is kept in memory, as "300MB" or "2GB";
	// what is beyond it is in temporary files, which training reads again and again. Beside it come each distinct term once,
	// about 50 bytes, its weights while they are learnt, about as much, and some 300 bytes a message. Default "32MB";
	// "0" is for no limit. It changes no result.
	Memory string `json:"memory"`

	// KeyFile is the file with the secret key under which the terms of a new model are hashed, 32 hexadecimal digits, so that nobody
	// can write a word that passes for another term. It is made at random when it does not exist. Machines whose models are to be
	// merged share one. Default "", which is $XDG_DATA_HOME/chaff/key. It changes the bytes of a model and no figure.
	KeyFile string `json:"key_file"`

	Split      corpus.SplitOptions      `json:"split"`
	Message    message.Options          `json:"message"`
	Tokenize   tokenize.Options         `json:"tokenize"`
	Features   features.Options         `json:"features"`
	Train      Train                    `json:"train"`
	Models     models.Options           `json:"models"`
	Thresholds metrics.ThresholdOptions `json:"thresholds"`
	Tune       Tune                     `json:"tune"`
}

// Train is how chaff train makes the model that it saves.
type Train struct {
	// Refit fits the saved model to all the mail, after the accuracy of a model of the training part was measured; its
	// thresholds and probabilities come from out-of-fold scores, each by a model that has not learnt the message. Default
	// true; with false the model of the training part is saved, with thresholds from the development part.
	Refit bool `json:"refit"`
}

// Default returns the settings used when nothing else is said.
func Default() Config {
	return Config{
		Model:      "votes",
		Seed:       1,
		Memory:     "32MB",
		Split:      corpus.DefaultSplitOptions(),
		Message:    message.DefaultOptions(),
		Tokenize:   tokenize.DefaultOptions(),
		Features:   features.DefaultOptions(),
		Train:      Train{Refit: true},
		Models:     models.DefaultOptions(),
		Thresholds: metrics.DefaultThresholdOptions(),
		Tune:       DefaultTune(),
	}
}

// Validate returns everything that is wrong with c, each line with the full name of the setting.
func (c Config) Validate() error {
	var errs []error
	if !slices.Contains(models.Names(), c.Model) {
		errs = append(errs, fmt.Errorf("model is %q: must be one of %s", c.Model, strings.Join(models.Names(), ", ")))
	}
	if c.Workers < 0 {
		errs = append(errs, fmt.Errorf("workers is %d: must be at least 0", c.Workers))
	}
	if _, err := ParseSize(c.Memory); err != nil {
		errs = append(errs, fmt.Errorf("memory is %w", err))
	}
	sections := []struct {
		name string
		err  error
	}{
		{"split", c.Split.Validate()},
		{"message", c.Message.Validate()},
		{"tokenize", c.Tokenize.Validate()},
		{"features", c.Features.Validate()},
		{"models", c.Models.Validate()},
		{"thresholds", c.Thresholds.Validate()},
		{"tune", c.Tune.Validate()},
	}
	for _, s := range sections {
		for _, err := range complaints(s.err) {
			errs = append(errs, fmt.Errorf("%s.%w", s.name, err))
		}
	}
	return errors.Join(errs...)
}

// complaints takes apart what errors.Join put together, at any depth.
func complaints(err error) []error {
	if err == nil {
		return nil
	}
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{err}
	}
	var all []error
	for _, e := range joined.Unwrap() {
		all = append(all, complaints(e)...)
	}
	return all
}
