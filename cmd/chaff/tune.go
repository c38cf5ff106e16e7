package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"chaff/config"
	"chaff/evaluate"
	"chaff/internal/hint"
	"chaff/internal/replace"
	"chaff/metrics"
	"chaff/train"
)

type tuneFlags struct {
	experiment
	out, trials string
}

func (p *program) tuneCommand() *cobra.Command {
	var flags tuneFlags
	c := &cobra.Command{
		Use:   "tune PATH... --config FILE [-o BEST.toml]",
		Short: "Search for the settings that are best for your mail",
		Long: `Tune tries many settings, compares them on development mail, and writes the best
as a configuration file for chaff train. The section [tune] of the configuration
file lists what to try; the trials change the other settings of the file.

No trial sees the test part. The best settings are measured on it once, at the
end.

After an interrupt, the best settings so far are written. The pages
docs/tuning.md and docs/configuration.md describe searches.`,
		Example: `  chaff tune --config search.toml ~/Maildir
  chaff tune --config search.toml inbox junk -o best.toml --trials trials.csv
  chaff tune --config search.toml inbox junk --report trials.html
  chaff train --config best.toml inbox junk`,
		RunE: func(c *cobra.Command, paths []string) error {
			flags.paths = paths
			if err := flags.load(p); err != nil {
				return err
			}
			plan, err := planOf(c, flags.Config)
			if err != nil {
				return err
			}
			if strings.ToLower(filepath.Ext(flags.out)) != ".toml" {
				return fmt.Errorf("-o %s: its name must end in .toml", flags.out)
			}
			mail, err := flags.open(replace.Output{Path: flags.out, Kind: bestKind()}, replace.Output{Path: flags.trials, Kind: trialsKind()})
			if err != nil {
				return err
			}
			var models []string
			for _, trial := range plan.Trials {
				models = append(models, trial.Config.Model)
			}
			p.warnOfOtherModels(flags.set, models...)
			return p.tune(c, search{flags.Config, plan, flags}, mail)
		},
	}
	flags.add(p, c, "model", "workers", "seed", "split")
	f := c.Flags()
	f.StringVarP(&flags.out, "out", "o", "best.toml", "write the best settings to `FILE`")
	f.StringVar(&flags.trials, "trials", "", "write the table of trials to `FILE` as CSV")
	flags.addFolds("compare by the mean over `K` folds of the training and development part")
	return c
}

// planOf returns the trials of the configuration.
func planOf(c *cobra.Command, cfg config.Config) (config.Plan, error) {
	plan, err := cfg.Plan()
	if errors.Is(err, config.ErrNoSearch) {
		return plan, hint.With(err, "docs/tuning.md has an example of a search; give the file with --config")
	}
	if err != nil {
		return plan, err
	}
	for _, s := range cfg.Tune.Search {
		if strings.EqualFold(s.Key, "model") && c.Flags().Changed("model") {
			return plan, errors.New("--model names one model and the search tries several: leave out one of them")
		}
	}
	return plan, nil
}

// The kinds of files of a search.
func bestKind() replace.Kind { return replace.Kind{Name: "result of a search", Start: bestMark} }
func trialsKind() replace.Kind {
	return replace.Kind{Name: "table of trials", Start: "trial,", Mark: ",cpu_seconds,error\n"}
}

// bestMark begins a file of settings that chaff tune found.
const bestMark = "# Found by chaff tune: "

// search is what to try and where the results go.
type search struct {
	base config.Config
	plan config.Plan
	tuneFlags
}

func (s search) candidates() []evaluate.Candidate {
	all := make([]evaluate.Candidate, len(s.plan.Trials))
	for i, trial := range s.plan.Trials {
		c := trial.Config
		all[i] = evaluate.Candidate{
			Model:    c.Model,
			Reading:  readingOf(c),
			Features: c.Features,
			Options:  train.Options{Models: c.Models, Thresholds: c.Thresholds},
		}
	}
	return all
}

// How a search ended.
const (
	endComplete    = "complete"
	endTime        = "out of time"
	endInterrupted = "interrupted"
)

// errTime ends a search that is out of time.
var errTime = errors.New("out of time")

// outcome is the result of a search.
type outcome struct {
	trials []evaluate.Trial // the best first
	end    string
	corpus train.Summary
	test   *metrics.Figures // of the best; nil if it was not measured
}

func (p *program) tune(c *cobra.Command, s search, mail labelled) error {
	collection, err := p.collect(c, collectOptions(s.base, readingOf(s.base)), mail)
	if err != nil {
		return err
	}
	found := outcome{corpus: collection.Summary()}
	if found.trials, found.end, err = p.search(c.Context(), s, collection); err != nil {
		return err
	}
	if err := s.anyTrial(found); err != nil {
		return err
	}
	best := found.trials[0]
	if err := s.write(found); err != nil {
		return err
	}
	if found.end != endInterrupted {
		tested, err := evaluate.FitCandidate(c.Context(), collection, s.candidates()[best.Candidate])
		switch {
		case c.Context().Err() != nil:
			found.end = endInterrupted
		case err != nil:
			return err
		default:
			found.test = tested.Result.Test
		}
	}
	if s.page.wanted() {
		if err := s.page.write(s.tuningPage(found)); err != nil {
			return err
		}
	}
	if err := p.printTuning(s, found); err != nil {
		return err
	}
	if found.end == endInterrupted {
		return fmt.Errorf("interrupted: the best of %s so far is in %s", plural(len(found.trials), "trial"), s.out)
	}
	return nil
}

// search runs the trials until all are done, the time is over or the user interrupts it, and returns which of these ended it.
func (p *program) search(ctx context.Context, s search, collection *train.Collection) ([]evaluate.Trial, string, error) {
	if budget := s.base.Tune.Budget(); budget > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithDeadlineCause(ctx, time.Now().Add(budget), errTime)
		defer stop()
	}
	progress, done := p.tuneProgress(s.base.Tune.Objective)
	trials, err := evaluate.Tune(ctx, collection, s.candidates(), evaluate.TuneOptions{
		Objective: s.base.Tune.Objective,
		Folds:     s.folds,
		Workers:   s.base.Workers,
		Progress:  progress,
	})
	done()
	switch {
	case errors.Is(err, errTime):
		return trials, endTime, nil
	case errors.Is(err, context.Canceled):
		return trials, endInterrupted, nil
	case err != nil:
		return nil, "", err
	}
	return trials, endComplete, nil
}

// anyTrial returns an error if no trial has figures.
func (s search) anyTrial(found outcome) error {
	switch {
	case len(found.trials) == 0 && found.end == endInterrupted:
		return errors.New("interrupted before a trial was finished")
	case len(found.trials) == 0:
		return fmt.Errorf("no trial finished within %s: raise tune.time", s.base.Tune.Time)
	case found.trials[0].Error != "":
		return fmt.Errorf("no settings can be trained: %s", found.trials[0].Error)
	}
	return nil
}
