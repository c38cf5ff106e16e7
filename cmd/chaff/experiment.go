package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"chaff/config"
	"chaff/evaluate"
	"chaff/internal/places"
	"chaff/train"
)

// experiment is a command that trains or measures models on labelled mail: its flags, and the settings in force.
type experiment struct {
	command  *cobra.Command
	sources  sourceFlags
	settings settingFlags
	page     reportFlags
	replay   replayFlags
	model    string // path of the model file
	mistakes int
	folds    int
	asJSON   bool
	config.Config
}

// add adds the flags that all experiments share, and those for the named settings.
func (x *experiment) add(c *cobra.Command, settings ...string) {
	x.command = c
	x.sources.add(c)
	x.settings.add(c, settings...)
	x.page.add(c)
	addJSON(c, &x.asJSON, "print the result as JSON")
}

func (x *experiment) addFolds(usage string) { x.command.Flags().IntVar(&x.folds, "folds", 0, usage) }

func (x *experiment) addMistakes() {
	x.command.Flags().IntVar(&x.mistakes, "mistakes", 5, "show the `N` worst mistakes and the N least certain messages")
}

// withFolds reports whether --folds is given.
func (x *experiment) withFolds() bool { return x.command.Flags().Changed("folds") }

// load loads the settings, and checks all flags.
func (x *experiment) load(p *program) error {
	loaded, err := p.load(x.command, &x.settings)
	if err != nil {
		return err
	}
	x.Config = loaded.Config
	if x.model == "" {
		x.model = places.Model(p.environ)
	}
	if x.mistakes < 0 {
		return fmt.Errorf("--mistakes is %d: must be at least 0", x.mistakes)
	}
	if err := x.replay.check(x.command); err != nil {
		return err
	}
	if x.withFolds() {
		if err := evaluate.ValidateFolds(x.folds, x.Split); err != nil {
			return fmt.Errorf("--folds: %w", err)
		}
	}
	return x.page.check()
}

// collect reads the mail, to be divided by the settings.
func (x *experiment) collect(p *program) (*train.Collection, error) {
	mail, err := x.sources.open()
	if err != nil {
		return nil, err
	}
	return p.collect(x.command, x.Config, readingOf(x.Config), mail)
}
