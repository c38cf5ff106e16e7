package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"chaff/config"
	"chaff/corpus"
	"chaff/evaluate"
	"chaff/internal/screen"
	"chaff/metrics"
	"chaff/models"
	"chaff/train"
)

// compareParts trains every model on the training part, and compares them. It reports models that cannot be trained on stderr.
func (p *program) compareParts(x *experiment) error {
	collection, err := x.collect(p)
	if err != nil {
		return err
	}
	comparison, err := fit(p, x.Config, true, func(o train.Options) (evaluate.Comparison, error) {
		return evaluate.Compare(x.command.Context(), collection, models.Names(), o)
	})
	if err != nil {
		return err
	}
	for _, failed := range comparison.Failed {
		screen.Printf(p.stderr, "chaff: left out: %v\n", failed)
	}
	all := comparison.Models
	var found findings
	if x.page.wanted() || !x.asJSON {
		if found.leaks, err = evaluate.Leaks(collection); err != nil {
			return err
		}
	}
	if x.page.wanted() && len(all) > 0 {
		if found.review, err = evaluate.ReviewPart(x.command.Context(), collection, all[0].Filter, corpus.Test, shownTerms); err != nil {
			return err
		}
		page, err := p.trainedPage(x, "chaff compare", collection, all, found)
		if err != nil {
			return err
		}
		if err := x.page.write(page); err != nil {
			return err
		}
	}
	results := resultsOf(all)
	if x.asJSON {
		return printJSON(p.stdout, resultReport{Corpus: collection.Summary(), Models: results})
	}
	printSplit(p.stdout, x.Config, collection.Summary())
	fmt.Fprintln(p.stdout)
	printComparison(p.stdout, results)
	fmt.Fprintln(p.stdout)
	printLosses(p.stdout, results)
	p.printWarnings(results)
	p.printLeaks(collection.Classes(), found.leaks)
	return nil
}

func resultsOf(all []train.Trained) []train.Result {
	results := make([]train.Result, len(all))
	for i, t := range all {
		results[i] = t.Result
	}
	return results
}

// printComparison prints one row for each model, the best on the development part first. Errors are those of the test part.
func printComparison(w io.Writer, results []train.Result) {
	t := newTable(w, "model", "features", "train", "development", "test", "95% interval", "hm%", "sm%", "(1-ROCA)%", "against the best", "CPU s", "terms", "MB")
	for i, r := range results {
		name := r.Model
		if i == 0 {
			name += " *"
		}
		interval, hm, sm, roca := "-", "-", "-", "-"
		if f := r.Test; f != nil {
			interval = fmt.Sprintf("%.2f-%.2f", f.AccuracyLow, f.AccuracyHigh)
			hm, sm, roca = percent(f.HM, 2), percent(f.SM, 2), percent(f.OneMinusROCA, 4)
		}
		screen.Printf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%.2f\t%d\t%.1f\n", name, r.Kind,
			accuracyOf(r.Train), accuracyOf(r.Development), accuracyOf(r.Test), interval, hm, sm, roca,
			against(r.AgainstBest), r.Seconds, r.Terms, float64(r.Bytes)/1e6)
	}
	t.Flush()
	fmt.Fprint(w, bestNote)
}

// bestNote explains the table of models.
const bestNote = `
* is the best on development mail. "against the best": + counts the test messages that only this model classifies
correctly, - those that only the best does; p is the probability of such a difference between equally good models
(McNemar's test, Holm's correction).
`

// printLosses prints the losses of each model on the three parts. The square loss uses scores; the log loss and the Brier
// score use probabilities.
func printLosses(w io.Writer, results []train.Result) {
	t := newTable(w, "", "0-1 loss", "", "", "square loss", "", "", "log loss", "", "", "Brier")
	fmt.Fprintln(t, "model\ttrain\tdev.\ttest\ttrain\tdev.\ttest\ttrain\tdev.\ttest\ttest")
	losses := []func(*metrics.Figures) *float64{
		func(f *metrics.Figures) *float64 { return &f.ZeroOneLoss },
		func(f *metrics.Figures) *float64 { return f.SquareLoss },
		func(f *metrics.Figures) *float64 { return f.LogLoss },
	}
	for _, r := range results {
		screen.Printf(t, "%s", r.Model)
		for _, loss := range losses {
			for _, f := range []*metrics.Figures{r.Train, r.Development, r.Test} {
				screen.Printf(t, "\t%s", lossOf(f, loss))
			}
		}
		screen.Printf(t, "\t%s\n", lossOf(r.Test, func(f *metrics.Figures) *float64 { return f.Brier }))
	}
	t.Flush()
}

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
	return fit(p, cfg, true, func(o train.Options) ([]evaluate.CrossValidation, error) {
		return evaluate.CrossValidate(c.Context(), collection, names, folds, o)
	})
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
