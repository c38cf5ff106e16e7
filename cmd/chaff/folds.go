package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"chaff/config"
	"chaff/evaluate"
	"chaff/internal/screen"
	"chaff/metrics"
	"chaff/train"
)

// foldsReport is the JSON of compare with folds.
type foldsReport struct {
	Corpus train.Summary              `json:"corpus"`
	Folds  int                        `json:"folds"`
	Models []evaluate.CrossValidation `json:"models"`
}

// crossValidate cross-validates the named models, and prints the test figures.
func (p *program) crossValidate(x *experiment, names []string) error {
	collection, err := x.collect(p)
	if err != nil {
		return err
	}
	results, err := p.validate(x.command, collection, x.Config, names, x.folds)
	if err != nil {
		return err
	}
	if err := x.page.write(foldsPage(x, collection, results)); err != nil {
		return err
	}
	summary := summaryOfFolds(collection)
	if x.asJSON {
		return printJSON(p.stdout, foldsReport{summary, x.folds, results})
	}
	printFoldsMade(p.stdout, x.Config, summary, x.folds)
	printFolds(p.stdout, "best", results, results[0])
	if len(results) > 1 {
		fmt.Fprint(p.stdout, bestNote)
	}
	if len(results[0].Suspects) == 0 {
		return nil
	}
	screen.Printf(p.stdout, "\nMessages whose label may be wrong: %s, trained without them, is sure of another class.\n", results[0].Model)
	printJudged(p.stdout, results[0].Suspects)
	return nil
}

func (p *program) validate(c *cobra.Command, collection *train.Collection, cfg config.Config, names []string, folds int) ([]evaluate.CrossValidation, error) {
	options, done := p.trainOptions(cfg, true)
	results, err := evaluate.CrossValidate(c.Context(), collection, names, folds, options)
	done()
	if err != nil {
		return nil, tooFew(err)
	}
	return results, nil
}

// summaryOfFolds returns the summary of a collection without the figures that differ between rounds.
func summaryOfFolds(collection *train.Collection) train.Summary {
	summary := collection.Summary()
	summary.Train, summary.Development, summary.Test, summary.Terms = 0, 0, 0, 0
	return summary
}

func printFoldsMade(w io.Writer, cfg config.Config, summary train.Summary, folds int) {
	printCorpus(w, summary)
	screen.Printf(w, "split       %d folds (%s)\n", folds, splitMethod(cfg.Split, cfg.Seed))
	printGroups(w, summary, "fold")
	fmt.Fprintln(w)
}

// printFolds prints one row for each model. It marks base with a star, and compares the others with it. The name of base in the
// heading is called.
func printFolds(w io.Writer, called string, results []evaluate.CrossValidation, base evaluate.CrossValidation) {
	t := newTable(w, "model", "features", "test", "95% interval", "deviation over folds", "hm%", "sm%", "lam%", "(1-ROCA)%", "against the "+called)
	differences := evaluate.AgainstBase(results, base)
	for m, r := range results {
		f, name, difference := r.Test, r.Model, (*metrics.McNemar)(nil)
		switch {
		case r.Model != base.Model:
			difference = &differences[m]
		case len(results) > 1:
			name += " *"
		}
		screen.Printf(t, "%s\t%s\t%.2f%%\t%.2f-%.2f\t%.2f\t%s\t%s\t%s\t%s\t%s\n", name, r.Kind, f.Accuracy, f.AccuracyLow, f.AccuracyHigh,
			r.Deviation, percent(f.HM, 2), percent(f.SM, 2), percent(f.LAM, 2), percent(f.OneMinusROCA, 4), against(difference))
	}
	t.Flush()
}
