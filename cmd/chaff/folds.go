package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"chaff/config"
	"chaff/filter"
)

// foldsReport is the JSON of compare with folds.
type foldsReport struct {
	Corpus filter.Summary           `json:"corpus"`
	Folds  int                      `json:"folds"`
	Models []filter.CrossValidation `json:"models"`
}

// evaluateFolds cross-validates the model of the settings.
func (p *program) evaluateFolds(c *cobra.Command, sources *sourceFlags, settings *settingFlags, folds int, page *reportFlags, asJSON bool) error {
	cfg, err := p.load(c, settings)
	if err != nil {
		return err
	}
	mail, err := sources.open()
	if err != nil {
		return err
	}
	if err := filter.ValidateFolds(folds, cfg.Split); err != nil {
		return fmt.Errorf("--folds: %w", err)
	}
	collection, err := p.collect(c, cfg.Config, mail)
	if err != nil {
		return err
	}
	return p.crossValidate(c, collection, cfg.Config, []string{cfg.Model}, folds, page, asJSON)
}

// crossValidate trains the models of the given names on each fold but two, and prints the test figures.
func (p *program) crossValidate(c *cobra.Command, collection *filter.Collection, cfg config.Config, names []string, folds int, page *reportFlags, asJSON bool) error {
	options, done := p.trainOptions(cfg, true)
	results, err := filter.CrossValidate(c.Context(), collection, names, folds, options)
	done()
	if err != nil {
		return tooFew(err)
	}
	if page.wanted() {
		if err := page.write(foldsPage(c.CommandPath(), collection, cfg, folds, results)); err != nil {
			return err
		}
	}
	summary := collection.Summary()
	summary.Train, summary.Development, summary.Test, summary.Terms = 0, 0, 0, 0 // they differ from round to round
	if asJSON {
		return printJSON(p.stdout, foldsReport{summary, folds, results})
	}
	printCorpus(p.stdout, summary)
	fmt.Fprintf(p.stdout, "split       %d folds (%s)\n", folds, splitMethod(cfg.Split, cfg.Seed))
	printGroups(p.stdout, summary, "fold")
	fmt.Fprintln(p.stdout)
	return printFolds(p.stdout, results)
}

// printFolds prints one row for each model, the best on the development parts first.
func printFolds(w io.Writer, results []filter.CrossValidation) error {
	t := newTable(w)
	fmt.Fprintln(t, "model\tfeatures\ttest\t95% interval\tdeviation over folds\thm%\tsm%\tlam%\t(1-ROCA)%\tagainst the best")
	for i, r := range results {
		f, name := r.Test, r.Model
		if i == 0 && len(results) > 1 {
			name += " *"
		}
		fmt.Fprintf(t, "%s\t%s\t%.2f%%\t%.2f-%.2f\t%.2f\t%s\t%s\t%s\t%s\t%s\n", name, r.Kind, f.Accuracy, f.AccuracyLow, f.AccuracyHigh,
			r.Deviation, percent(f.HM, 2), percent(f.SM, 2), percent(f.LAM, 2), percent(f.OneMinusROCA, 4), against(r.AgainstBest))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if len(results) > 1 {
		fmt.Fprintln(w, bestNote)
	}
	if len(results[0].Suspects) == 0 {
		return nil
	}
	fmt.Fprintf(w, "\nMessages whose label may be wrong: %s, which had not seen them, is sure of another class.\n", results[0].Model)
	printJudged(w, results[0].Suspects)
	return nil
}
