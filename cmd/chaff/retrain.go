package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"chaff/config"
	"chaff/internal/screen"
	"chaff/metrics"
	"chaff/store"
	"chaff/train"
)

func (p *program) retrainCommand() *cobra.Command {
	var settings settingFlags
	var path string
	var asJSON bool
	c := &cobra.Command{
		Use:        "retrain [-m FILE]",
		Short:      "Fit the model again to all messages of its log",
		SuggestFor: []string{"refit", "rebuild"},
		Long: `Retrain fits the model again to all messages that its log has, and chooses
the thresholds anew. It needs no mail, since the log has the terms of each
message as numbers. The result is what training on these messages at once gives;
messages that were forgotten leave no trace.

The settings are those that the model was trained with.`,
		Example: `  chaff retrain
  chaff retrain -m spam.model --json`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			loaded, err := p.load(&settings)
			if err != nil {
				return err
			}
			p.warnOfModelSettings(loaded)
			done, err := retrain(c.Context(), path, loaded.Config, nil)
			if err != nil {
				return err
			}
			if done.warning != nil {
				p.warn(done.warning.Error())
			}
			if asJSON {
				return printJSON(p.stdout, done)
			}
			p.printRetrained(done)
			return nil
		},
	}
	settings.add(p, c, "workers", "memory")
	p.addModelFile(c, &path, "fit")
	addJSON(c, &asJSON, "print the result as JSON")
	return c
}

// retrained is what a fit changed. It is the JSON of retrain.
type retrained struct {
	File string `json:"file"`
	// Changed is how many times a message was learned, moved or forgotten since the fit before.
	Changed int `json:"changed"`
	// Before has what held before the fit.
	Before guarantees     `json:"before"`
	Saved  train.Refitted `json:"saved_model"`
	// Doubtful is the number of messages that look mislabelled, and Expired how many left because they were the oldest.
	Doubtful int `json:"doubtful"`
	Expired  int `json:"expired,omitempty"`

	warning error // see [store.Store.Finish]
}

// guarantees are the thresholds of a model, what they guarantee, and the verdicts at its fit.
type guarantees struct {
	Thresholds *metrics.Thresholds  `json:"thresholds,omitempty"`
	Promise    *metrics.Promise     `json:"promise,omitempty"`
	Verdicts   *train.VerdictCounts `json:"out_of_fold_verdicts,omitempty"`
}

func guaranteesOf(f train.Made) (guarantees, error) {
	from, err := train.ProvenanceOf(f)
	return guarantees{f.Settings().Thresholds, from.Promise, from.Verdicts}, err
}

// retrain fits the model at path again. If settle is not nil, it says which labels of the messages of the log are right and wrong.
func retrain(
	ctx context.Context, path string, cfg config.Config, settle func(entries []store.Entry, classes []string) (map[uint64]bool, error),
) (retrained, error) {
	done := retrained{File: path}
	s, err := openStore(ctx, path, cfg.Store)
	if err != nil {
		return done, err
	}
	err = func() error {
		if done.Before, err = guaranteesOf(s.Filter()); err != nil {
			return err
		}
		if done.Changed, err = s.Changed(); err != nil {
			return err
		}
		var right map[uint64]bool
		if settle != nil {
			entries, err := s.Entries()
			if err == nil {
				right, err = settle(entries, s.Classes())
			}
			if err != nil {
				return err
			}
		}
		done.Saved, err = s.Settle(ctx, right, retrainOptions(cfg))
		done.Doubtful, done.Expired, done.warning = len(done.Saved.Doubtful), s.Expired(), s.Finish()
		return aboutFit(err)
	}()
	return done, errors.Join(err, s.Close())
}

func retrainOptions(cfg config.Config) store.RetrainOptions {
	return store.RetrainOptions{Workers: cfg.Workers, Memory: memoryOf(cfg)}
}

func (p *program) printRetrained(r retrained) {
	field(p.stdout, "changes", "%d since the last fit", r.Changed)
	printExpired(p.stdout, r.Expired)
	p.printFitted(r.File, r.Saved, r.Before)
}

// printFitted describes the model at path, which was fitted to all messages of its log, beside what held before the fit.
func (p *program) printFitted(path string, r train.Refitted, before guarantees) {
	w := p.stdout
	field(w, "fitted to", "all %s: %s, %.2f CPU seconds", plural(r.Messages, "message"), plural(r.Terms, "term"), r.Seconds)
	var a answer
	a.thresholds(r.Thresholds)
	if old := before.Thresholds; old != nil && r.Thresholds != nil && *old != *r.Thresholds {
		a.fact("", "before: %s", verdictsAbove(*old))
	}
	a.verdicts(r.Verdicts, heldOut)
	if old := before.Verdicts; old != nil && r.Verdicts != nil && *old != *r.Verdicts {
		a.fact("", "before: %s", verdictShares(*old))
	}
	a.cost(r.Cost)
	a.guarantee(r.Promise)
	if old := before.Promise; old != nil && r.Promise != nil && old.String() != r.Promise.String() {
		a.fact("", "before: %v", old)
	}
	p.say(a)
	if n := len(r.Doubtful); n > 0 {
		field(w, "doubtful", "%s: chaff review PATH lists them", mislabelled(n))
	}
	screen.Printf(w, "%-12s%s\n", "saved", savedFiles(path))
	for _, text := range r.Warnings {
		p.warn(text)
	}
}
