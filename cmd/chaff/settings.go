package main

import (
	"strings"

	"github.com/spf13/cobra"

	"chaff/config"
	"chaff/filter"
	"chaff/internal/hint"
	"chaff/internal/places"
	"chaff/models"
	"chaff/train"
)

// addModelFile adds the flag for the model file.
func addModelFile(c *cobra.Command, path *string, verb string) {
	c.Flags().StringVarP(path, "model-file", "m", "", verb+" the model `FILE`; default $XDG_DATA_HOME/chaff/model")
}

// addJSON adds the flag for JSON on stdout.
func addJSON(c *cobra.Command, asJSON *bool, usage string) {
	c.Flags().BoolVar(asJSON, "json", false, usage)
}

// settingFlags are the flags of commands that use the configuration.
type settingFlags struct {
	file string
	set  []string
	// Shorts for settings that are often given: the flag and the setting it stands for.
	named []*namedFlag
}

type namedFlag struct{ flag, key, value string }

func (s *settingFlags) add(c *cobra.Command, shorts ...string) {
	c.Flags().StringVar(&s.file, "config", "", "read settings from `FILE` (.toml, .yaml, .json); default $XDG_CONFIG_HOME/chaff/config.toml")
	c.Flags().StringArrayVar(&s.set, "set", nil, "set `KEY=VALUE`, as tokenize.language=none; chaff config lists the keys")
	usages := map[string][2]string{
		"model":   {"model", "train the model `NAME`: " + strings.Join(models.Names(), ", ") + "; default " + config.Default().Model},
		"workers": {"workers", "read `N` messages at the same time (0: one for each core)"},
		"memory":  {"memory", "keep `SIZE` of terms and matrices in memory, as 300MB or 2GB, and what is beyond it in temporary files (0: no limit); default " + config.Default().Memory + "; distinct terms and their weights, about 100 bytes each, come beside it"},
		"seed":    {"seed", "divide the mail by the seed `N`"},
		"split":   {"split.method", "divide the mail by `METHOD`: grouped, hash or time"},
	}
	for _, flag := range shorts {
		n := &namedFlag{flag: flag, key: usages[flag][0]}
		c.Flags().StringVar(&n.value, flag, "", usages[flag][1])
		s.named = append(s.named, n)
	}
}

// load composes the settings in force.
func (p *program) load(c *cobra.Command, s *settingFlags) (config.Loaded, error) {
	sources := config.Sources{File: s.file, DefaultFile: places.Config(p.environ), Environ: p.environ}
	for _, text := range s.set {
		key, value, found := strings.Cut(text, "=")
		if !found {
			return config.Loaded{}, hint.With(
				errorf("--set %s: must be KEY=VALUE", text), "for example --set tokenize.language=none",
			)
		}
		sources.Set = append(sources.Set, config.Setting{Key: strings.TrimSpace(key), Value: value})
	}
	for _, n := range s.named {
		if c.Flags().Changed(n.flag) {
			sources.Set = append(sources.Set, config.Setting{Key: n.key, Value: n.value})
		}
	}
	loaded, err := config.Load(sources)
	if err != nil {
		return loaded, hint.With(err, "chaff config --explain tells what can be set")
	}
	return loaded, nil
}

// readingOf is how messages are read where no model is saved: under the key that everybody knows, on which no figure depends.
func readingOf(c config.Config) filter.Reading {
	return filter.Reading{Message: c.Message, Tokenize: c.Tokenize}
}

func collectOptions(c config.Config, r filter.Reading, progress func(read, all int)) train.CollectOptions {
	return train.CollectOptions{
		Reading:  r,
		Features: c.Features,
		Split:    c.Split,
		Seed:     c.Seed,
		Workers:  c.Workers,
		Memory:   memoryOf(c),
		Progress: progress,
	}
}

// memoryOf is how many bytes of documents and matrices are kept in memory; the configuration has been checked.
func memoryOf(c config.Config) int64 {
	size, _ := config.ParseSize(c.Memory)
	return size
}

// trainOptions are the options in force. On a terminal each epoch is told until done is called, of several models on one
// line.
func (p *program) trainOptions(c config.Config, several bool) (o train.Options, done func()) {
	tell, done := p.epochs(several)
	return train.Options{Models: c.Models, Thresholds: c.Thresholds, Epoch: tell}, done
}
