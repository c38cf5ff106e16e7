package main

import (
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"chaff/config"
	"chaff/filter"
	"chaff/metrics"
	"chaff/models"
)

func (p *program) compareCommand() *cobra.Command {
	var sources sourceFlags
	var settings settingFlags
	var folds int
	var asJSON bool
	c := &cobra.Command{
		Use:   "compare SOURCES",
		Short: "Train every model on the same mail and compare them",
		Long: `Compare trains every model on the same training part and prints one table of their accuracy on the
training, development and test part, the best on development mail first. Nothing is saved.

With --folds K the mail is divided into K folds, and each model is trained K times: each fold is once
the test part. The table then has the test figures over all messages.`,
		Example: `  chaff compare --folders enron1
  chaff compare --ham inbox --spam junk --seed 7 --json
  chaff compare --ham inbox --spam junk --folds 10`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			cfg, err := p.load(c, &settings)
			if err != nil {
				return err
			}
			mail, err := sources.open()
			if err != nil {
				return err
			}
			withFolds := c.Flags().Changed("folds")
			if withFolds {
				if err := filter.ValidateFolds(folds, cfg.Split); err != nil {
					return fmt.Errorf("--folds: %w", err)
				}
			}
			collection, err := p.collect(c, cfg.Config, mail)
			if err != nil {
				return err
			}
			if withFolds {
				return p.crossValidate(c, collection, cfg.Config, folds, asJSON)
			}
			trained, err := compare(c, collection, cfg.Config)
			if err != nil {
				return err
			}
			results := resultsOf(trained)
			if asJSON {
				return printJSON(p.stdout, report{Corpus: collection.Summary(), Models: results})
			}
			printSplit(p.stdout, cfg.Config, collection.Summary())
			fmt.Fprintln(p.stdout)
			if err := printComparison(p.stdout, results); err != nil {
				return err
			}
			for _, r := range results {
				p.printWarnings(r)
			}
			return nil
		},
	}
	sources.add(c)
	settings.add(c, "workers", "seed", "split")
	c.Flags().IntVar(&folds, "folds", 0, "train each model `K` times, each time with another fold of the mail as the test part")
	c.Flags().BoolVar(&asJSON, "json", false, "print the result as JSON")
	return c
}

// trained is a filter and what training it found out.
type trained struct {
	filter *filter.Filter
	result filter.Result
}

// compare trains every model, and returns the best on the development part first.
func compare(c *cobra.Command, collection *filter.Collection, cfg config.Config) ([]trained, error) {
	var all []trained
	for _, name := range models.Names() {
		f, result, err := filter.Train(c.Context(), collection, name, trainOptions(cfg))
		if err != nil {
			return nil, tooFew(err)
		}
		all = append(all, trained{f, result})
	}
	slices.SortStableFunc(all, func(x, y trained) int {
		ax, ay := accuracy(x.result.Development), accuracy(y.result.Development)
		switch {
		case ax > ay:
			return -1
		case ax < ay:
			return 1
		}
		return 0
	})
	return all, nil
}

func resultsOf(all []trained) []filter.Result {
	results := make([]filter.Result, len(all))
	for i, t := range all {
		results[i] = t.result
	}
	return results
}

func accuracy(f *metrics.Figures) float64 {
	if f == nil {
		return -1
	}
	return f.Accuracy
}

// printComparison prints one row for each model. The figures of errors are those of the test part.
func printComparison(w io.Writer, results []filter.Result) error {
	t := newTable(w)
	fmt.Fprintln(t, "model\tfeatures\ttrain\tdevelopment\ttest\t95% interval\thm%\tsm%\tlam%\t(1-ROCA)%")
	of := func(f *metrics.Figures) string {
		if f == nil {
			return "-"
		}
		return fmt.Sprintf("%.2f%%", f.Accuracy)
	}
	for _, r := range results {
		interval, hm, sm, lam, roca := "-", "-", "-", "-", "-"
		if f := r.Test; f != nil {
			interval = fmt.Sprintf("%.2f-%.2f", f.AccuracyLow, f.AccuracyHigh)
			hm, sm, lam, roca = percent(f.HM, 2), percent(f.SM, 2), percent(f.LAM, 2), percent(f.OneMinusROCA, 4)
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n",
			r.Model, r.Kind, of(r.Train), of(r.Development), of(r.Test), interval, hm, sm, lam, roca)
	}
	return t.Flush()
}
